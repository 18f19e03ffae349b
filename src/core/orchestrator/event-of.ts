import type { SessionEvent, SessionEventOf } from '../session/session-event';
import { ending } from './cut-text';
import type { RunEvent } from './event';
import { permissionWords, questionWords } from './ask-words';
import { MOST_SAID } from './turn';

/** What a run makes of an event of the bus; undefined for what no run depends on. */
export function eventOf(event: SessionEvent): RunEvent | undefined {
  const { sessionId } = event;
  switch (event.type) {
    case 'message.final':
      return said(event);
    case 'permission.request':
      return asked(event, permissionWords(event.payload));
    case 'question.request':
      return asked(event, questionWords(event.payload));
    case 'permission.resolved':
    case 'question.resolved':
      return { type: 'answered', sessionId, request: event.payload.requestId };
    case 'progress.update':
      return progressed(event);
    case 'turn.end': {
      const { messageId, reason, error } = event.payload;
      const ended = { sessionId, message: messageId ?? null, reason, error: error?.message ?? '' };
      return { type: 'turn_ended', ...ended };
    }
    case 'session.end':
      // A process that ended leaves the session on the disk: how it stands is asked for.
      return event.payload.reason === 'closed' ? undefined : { type: 'session_ended', sessionId };
    case 'snapshot':
    case 'session.created':
    case 'stream.token':
    case 'stream.thinking':
    case 'tool.call':
    case 'tool.cancel':
    case 'tool.update':
    case 'error':
      return undefined;
  }
}

function asked(
  { sessionId, payload }: SessionEventOf<'permission.request' | 'question.request'>,
  what: string,
): RunEvent {
  return { type: 'asked', sessionId, request: payload.requestId, what };
}

/** Words of the agent's answer: not of a prompt, not its thinking. */
function said({ sessionId, payload }: SessionEventOf<'message.final'>): RunEvent | undefined {
  const { role, kind, text } = payload;
  const own = role !== 'user' && kind !== 'thinking' && text.trim() !== '';
  return own ? { type: 'said', sessionId, text: ending(text, MOST_SAID) } : undefined;
}

function progressed({
  sessionId,
  payload,
}: SessionEventOf<'progress.update'>): RunEvent | undefined {
  if (payload.kind !== 'tokens') return undefined;
  const { messageId, input, output, reasoning } = payload;
  const count = input + output + (reasoning ?? 0);
  return { type: 'tokens', sessionId, message: messageId ?? null, count };
}
