import type { SessionEvent, SessionEventOf } from '../../src/core/session/session-event-bus';

/** Short ways to write events. */

export function created(sessionId: string, title = 'A title'): SessionEventOf<'session.created'> {
  return {
    type: 'session.created',
    sessionId,
    ts: 100,
    payload: { title, directory: '/vault' },
  };
}

export function token(sessionId: string, delta: string): SessionEventOf<'stream.token'> {
  return {
    type: 'stream.token',
    sessionId,
    ts: 200,
    payload: { messageId: 'm', partId: 'p', delta },
  };
}

export function progress(
  sessionId: string,
  payload: SessionEventOf<'progress.update'>['payload'],
): SessionEvent {
  return { type: 'progress.update', sessionId, ts: 300, payload };
}

export function ended(
  sessionId: string,
  reason: 'deleted' | 'closed' | 'error' = 'deleted',
): SessionEvent {
  return { type: 'session.end', sessionId, ts: 400, payload: { reason } };
}

export function turnEnd(
  sessionId: string,
  payload: SessionEventOf<'turn.end'>['payload'],
): SessionEvent {
  return { type: 'turn.end', sessionId, ts: 500, payload };
}
