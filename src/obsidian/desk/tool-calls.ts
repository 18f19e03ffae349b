import type { PendingAsks } from '../../core/permission/pending-asks';
import type { Clock, Log, Undo } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import type { SessionEventOf } from '../../core/session/session-event';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import { CallResults } from '../../core/tool/call-results';
import type { ToolHost } from '../../core/tool/tool-host';
import type { AnsweredCall, ToolCall } from '../../core/tool/tool';
import { OpenCalls } from './open-calls';
import { WaitingCalls } from './waiting-calls';

export interface ToolCallDeps {
  readonly bus: SessionEventBus;
  readonly connection: Pick<Bridges, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: Pick<ToolHost, 'run' | 'refuse' | 'cancel'>;
  readonly asks: Pick<PendingAsks, 'all' | 'onChange'>;
}

interface Answering extends ToolCallDeps {
  readonly results: CallResults;
  readonly open: OpenCalls;
}

/**
 * Runs each `tool.call` of the bus once and answers it, a failure too. A call that comes again
 * after a broken connection gets its answer again. One that is cancelled, or whose turn is over, has
 * no effect from then on, and is answered as well: what it did before is then known.
 */
export function answerToolCalls(deps: ToolCallDeps): Undo {
  const { host, bus } = deps;
  const answering = { ...deps, results: new CallResults(host), open: new OpenCalls() };
  const waiting = new WaitingCalls(deps);
  const stop = bus.onAll((event) => {
    const { sessionId } = event;
    const { type } = event;
    if (type === 'tool.call') {
      waiting.again(sessionId, event.payload.callId);
      void answer(answering, event);
    } else if (type === 'tool.cancel') {
      host.cancel(event.payload.callId, sessionId);
    } else if (type === 'turn.end' || type === 'session.end') {
      for (const callId of answering.open.of(sessionId)) host.cancel(callId, sessionId);
    }
  });
  return () => {
    stop();
    waiting.close();
  };
}

/** The session is that of the call's context; no argument can name another. */
async function answer(deps: Answering, event: SessionEventOf<'tool.call'>): Promise<void> {
  const { sessionId, payload } = event;
  const { callId } = payload;
  const done = deps.open.add(sessionId, callId);
  let outcome: AnsweredCall;
  try {
    outcome = await deps.results.run(callId, callOf(event));
  } finally {
    done();
  }
  const send = (given: AnsweredCall): boolean =>
    deps.connection.send({ type: 'tool.result', sessionId, payload: { callId, ...given } });
  try {
    if (!send(outcome))
      deps.log.note('A tool was run; its answer waits until the bridge asks again.');
  } catch {
    // Nothing was sent: the answer is larger than a frame.
    const message = 'It was done, but the answer is too long to be sent. List the tasks to see it.';
    send({ ok: false, error: { code: 'too_large', message }, audit: outcome.audit });
  }
}

function callOf({ sessionId, payload }: SessionEventOf<'tool.call'>): ToolCall {
  const { callId, tool, args, agent, sessionTitle, board } = payload;
  const call: { -readonly [K in keyof ToolCall]: ToolCall[K] } = {
    callId,
    tool,
    args,
    sessionId,
    agent,
  };
  if (sessionTitle !== undefined) call.sessionTitle = sessionTitle;
  if (board !== undefined) call.board = board;
  return call;
}
