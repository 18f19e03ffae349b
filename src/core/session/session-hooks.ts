import type { ErrorHandler } from '../error-handler';
import type { Undo } from '../ports';
import type { SessionEvent, SessionEventBus } from './session-event-bus';
import type { HookRunner } from '../hook/hooks';

/** How many messages are remembered, by id: the end of a message is reported more than once. */
const MAX_REMEMBERED = 1_000;

/** Runs the hooks for events of sessions: their start, messages, ends of turns and errors. */
export function followSessions(hooks: HookRunner, bus: SessionEventBus): Undo {
  const reported = new Set<string>();
  return bus.onAll((event: SessionEvent) => {
    const { type, sessionId, payload } = event;
    if (type === 'session.created') {
      const { title, parentId, agent } = payload;
      void hooks.run('on-session-init', { sessionId, title, parentId, agent });
    } else if (type === 'turn.end') {
      const { reason, error } = payload;
      void hooks.run('on-stop', { sessionId, reason });
      if (error === undefined) return;
      const fault = { at: 'session.turn', severity: 'error', message: error.message } as const;
      void hooks.run('on-error', { ...fault, sessionId });
    } else if (type === 'message.final') {
      const { messageId, partId, role = 'assistant', kind = 'text', text } = payload;
      const key = JSON.stringify([sessionId, messageId, partId]);
      if (kind !== 'text' || text === '' || reported.has(key)) return;
      reported.add(key);
      for (const oldest of reported) {
        if (reported.size <= MAX_REMEMBERED) break;
        reported.delete(oldest);
      }
      void hooks.run('on-message-added', { sessionId, messageId, role, text });
    }
  });
}

/**
 * Runs the hooks for faults: on the first occurrence of each, and not for faults of hooks
 * themselves.
 */
export function followFaults(hooks: HookRunner, errors: ErrorHandler): Undo {
  return errors.subscribe(() => {
    const last = errors.faults().at(-1);
    if (last === undefined || last.count > 1 || last.module === 'hook') return;
    const { message, module, operation, severity } = last;
    if (severity !== 'critical' && severity !== 'error') return;
    void hooks.run('on-error', { message, at: `${module}.${operation}`, severity });
  });
}
