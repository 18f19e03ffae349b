import type { SessionEvent, SessionEventOf } from '../../../src/core/session/session-event-bus';
import type { Block } from '../../../src/core/session/transcript/transcript';

/** Short ways to write the events of a conversation; `ts` increases by itself. */
export class SessionEventFactory {
  private ts = 1_000;

  constructor(readonly sessionId = 'a') {}

  created(): SessionEvent {
    const payload = { title: 'A title', directory: '/vault' };
    return this.event({ type: 'session.created', payload });
  }

  prompt(text: string, partId = `prompt-${text}`, messageId = `m-${partId}`): SessionEvent {
    const payload = { messageId, partId, text, role: 'user' as const };
    return this.event({ type: 'message.final', payload });
  }

  /** A prompt with an attached note. */
  promptWithNote(text: string, path: string, tokens?: number): SessionEvent {
    const payload = { messageId: 'm', partId: 'p', text, role: 'user' as const };
    const attached = [{ kind: 'note' as const, path, ...(tokens !== undefined && { tokens }) }];
    return this.event({ type: 'message.final', payload: { ...payload, attached } });
  }

  token(delta: string, partId = 'p', messageId = 'm'): SessionEvent {
    return this.event({ type: 'stream.token', payload: { messageId, partId, delta } });
  }

  thinking(delta: string, partId = 't', messageId = 'm'): SessionEvent {
    return this.event({ type: 'stream.thinking', payload: { messageId, partId, delta } });
  }

  final(text: string, partId = 'p', kind: 'text' | 'thinking' = 'text'): SessionEvent {
    const payload = { messageId: 'm', partId, text, role: 'assistant' as const, kind };
    return this.event({ type: 'message.final', payload });
  }

  tool(payload: Partial<SessionEventOf<'tool.update'>['payload']> = {}): SessionEvent {
    return this.event({
      type: 'tool.update',
      payload: { callId: 'c', tool: 'read', status: 'running', ...payload },
    });
  }

  permission(requestId = 'per'): SessionEvent {
    return this.event({
      type: 'permission.request',
      payload: { requestId, permission: 'edit', patterns: ['a.md'], always: [], metadata: {} },
    });
  }

  resolved(requestId = 'per'): SessionEvent {
    return this.event({ type: 'permission.resolved', payload: { requestId, reply: 'once' } });
  }

  question(requestId = 'que'): SessionEvent {
    const questions = [{ question: 'Which?', options: [] }];
    return this.event({ type: 'question.request', payload: { requestId, questions } });
  }

  answered(requestId = 'que'): SessionEvent {
    return this.event({ type: 'question.resolved', payload: { requestId } });
  }

  turn(messageId: string, reason: 'completed' | 'interrupted' = 'completed'): SessionEvent {
    return this.event({ type: 'turn.end', payload: { messageId, reason } });
  }

  tokens(input: number, output: number): SessionEvent {
    const payload = { kind: 'tokens' as const, input, output, limit: 9_000 };
    return this.event({ type: 'progress.update', payload });
  }

  snapshot(
    messages: SessionEventOf<'snapshot'>['payload']['state']['messages'],
    more: Partial<SessionEventOf<'snapshot'>['payload']> = {},
    status: 'idle' | 'busy' = 'idle',
  ): SessionEventOf<'snapshot'> {
    const state = { title: 'A title', status, permissions: [], questions: [], todos: [], messages };
    return this.event({
      type: 'snapshot',
      payload: { state, uptoSeq: 1, part: 1, more: false, ...more },
    }) as SessionEventOf<'snapshot'>;
  }

  progress(payload: SessionEventOf<'progress.update'>['payload']): SessionEvent {
    return this.event({ type: 'progress.update', payload });
  }

  private event(event: Pick<SessionEvent, 'type' | 'payload'>): SessionEvent {
    return { ...event, sessionId: this.sessionId, ts: (this.ts += 10) } as SessionEvent;
  }
}

/** A transcript as one readable line per block. */
export function transcriptLines(blocks: readonly Block[]): readonly string[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'prompt':
        return `> ${block.text}`;
      case 'text':
      case 'thinking':
        return `${block.kind}: ${block.text}${block.live ? ' …' : ''}`;
      case 'tool':
        return `tool ${block.tool} ${block.status}: ${block.output ?? ''}`;
      case 'board':
        return `board ${block.by}: ${block.changes.map((c) => `${c.title} ${c.what}`).join(', ')}`;
      case 'permission':
        return `permission ${block.reply ?? 'waits'}`;
      case 'question':
        return `question ${block.resolved ? 'over' : 'waits'}`;
      case 'turn':
        return `turn ${block.reason}, ${block.changedTasks} changed`;
      case 'todos':
        return `todos ${block.todos.map(({ content, status }) => `${content} ${status}`).join(', ')}`;
      case 'missed':
      case 'compacted':
        return block.kind;
    }
  });
}
