import type { Clock, Log, Undo } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import type { SessionEventOf } from '../../core/session/session-event';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import { CallResults } from '../../core/tool/call-results';
import type { ToolHost } from '../../core/tool/tool-host';
import type { AnsweredCall } from '../../core/tool/tool';

export interface ToolCallDeps {
  readonly bus: SessionEventBus;
  readonly connection: Pick<Bridges, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: Pick<ToolHost, 'run' | 'refuse'>;
}

/**
 * Runs each `tool.call` of the bus once and answers it, a failure too. A call that comes again
 * after a broken connection gets its answer again. A cancelled call is answered as well: what it
 * did is then known, and edits of notes take too little time to be broken off.
 */
export function answerToolCalls(deps: ToolCallDeps): Undo {
  const results = new CallResults(deps.host);
  return deps.bus.onAll((event) => {
    if (event.type === 'tool.call') void answer(deps, results, event);
  });
}

/** The session is that of the call's context; no argument can name another. */
async function answer(
  deps: ToolCallDeps,
  results: CallResults,
  event: SessionEventOf<'tool.call'>,
): Promise<void> {
  const { sessionId, payload } = event;
  const { callId, tool, args, agent, sessionTitle, board } = payload;
  const began = deps.clock.now();
  const more = { ...(sessionTitle !== undefined && { sessionTitle }), ...(board && { board }) };
  const outcome = await results.run(callId, { tool, args, sessionId, agent, ...more });
  const send = (given: AnsweredCall): boolean => {
    const audit = { ...given.audit, ms: Math.max(0, deps.clock.now() - began) };
    return deps.connection.send({
      type: 'tool.result',
      sessionId,
      payload: { callId, ...given, audit },
    });
  };
  try {
    if (!send(outcome))
      deps.log.note('A tool was run; its answer waits until the bridge asks again.');
  } catch {
    // Nothing was sent: the answer is larger than a frame.
    const message = 'It was done, but the answer is too long to be sent. List the tasks to see it.';
    send({ ok: false, error: { code: 'too_large', message }, audit: outcome.audit });
  }
}
