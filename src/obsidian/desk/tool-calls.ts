import type { Clock, Log, Undo } from '../../core/ports';
import type { ConnectionManager } from '../../core/session/connection-manager';
import type { SessionEventOf } from '../../core/session/session-event';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import type { ToolHost } from '../../core/tool/tool-host';
import type { ToolOutcome } from '../../core/tool/tool';

export interface ToolCallDeps {
  readonly bus: SessionEventBus;
  readonly connection: Pick<ConnectionManager, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: ToolHost;
}

/** Runs each `tool.call` of the bus and answers it once, a failure too. */
export function answerToolCalls(deps: ToolCallDeps): Undo {
  return deps.bus.onAll((event) => {
    if (event.type === 'tool.call') void answer(deps, event);
  });
}

/** The session is that of the call's context; no argument can name another. */
async function answer(deps: ToolCallDeps, event: SessionEventOf<'tool.call'>): Promise<void> {
  const { sessionId, payload } = event;
  const { callId, tool, args, agent, sessionTitle } = payload;
  const began = deps.clock.now();
  const title = sessionTitle === undefined ? {} : { sessionTitle };
  const outcome = await deps.host.run({ tool, args, sessionId, agent, ...title });
  const send = (given: ToolOutcome): boolean => {
    const audit = { approved: true, dryRun: false, ms: Math.max(0, deps.clock.now() - began) };
    return deps.connection.send({
      type: 'tool.result',
      sessionId,
      payload: { callId, ...given, audit },
    });
  };
  try {
    if (!send(outcome)) deps.log.note('A tool was run, but its answer could not be sent.');
  } catch {
    // Nothing was sent: the answer is larger than a frame.
    const message = 'It was done, but the answer is too long to be sent. List the tasks to see it.';
    send({ ok: false, error: { code: 'too_large', message } });
  }
}
