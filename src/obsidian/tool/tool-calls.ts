import type { Ask, PendingAsks } from '../../core/permission/ask';
import type { Clock, Log, Undo } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import type { SessionEventBus, SessionEventOf } from '../../core/session/session-event-bus';
import { CallResults } from '../../core/tool/call-results';
import type { ToolHost } from '../../core/tool/tool-host';
import type { AnsweredCall, ToolCall } from '../../core/tool/tool';

interface ToolCallDeps {
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

interface WaitingCallsDeps {
  readonly asks: Pick<PendingAsks, 'all' | 'onChange'>;
  readonly connection: Pick<Bridges, 'send'>;
  readonly clock: Clock;
}

/** Tells the bridge which calls wait for a person, so that it doesn't give them up meanwhile. */
class WaitingCalls {
  /** requests that the bridge was told of, by call */
  private told = new Map<string, Ask>();
  private readonly stop: Undo;

  constructor(private readonly deps: WaitingCallsDeps) {
    this.stop = deps.asks.onChange(() => this.look());
  }

  /** The bridge asks for a call again: it may not have heard that it waits. */
  again(sessionId: string, callId: string): void {
    const ask = this.told.get(keyOf(sessionId, callId));
    if (ask !== undefined) this.tell(ask);
  }

  close(): void {
    this.stop();
  }

  private look(): void {
    const before = this.told;
    this.told = new Map();
    for (const ask of this.deps.asks.all()) {
      if (ask.sessionId !== undefined) this.told.set(keyOf(ask.sessionId, ask.callId), ask);
    }
    for (const [key, ask] of this.told) {
      if (before.get(key)?.requestId !== ask.requestId) this.tell(ask);
    }
    for (const [key, ask] of before) if (!this.told.has(key)) this.tell(ask, 0);
  }

  /** What is not sent is told when the bridge asks again. */
  private tell({ sessionId, callId, expiresAt }: Ask, ms = this.left(expiresAt)): void {
    if (sessionId === undefined) return;
    const payload = { callId, ...(ms !== undefined && { ms }) };
    this.deps.connection.send({ type: 'tool.waiting', sessionId, payload });
  }

  private left(expiresAt: number | undefined): number | undefined {
    return expiresAt && Math.max(1, expiresAt - this.deps.clock.now());
  }
}

function keyOf(sessionId: string, callId: string): string {
  return JSON.stringify([sessionId, callId]);
}

/** Calls that are under way, by their sessions. */
class OpenCalls {
  /** how often each call is asked for at the moment */
  private readonly calls = new Map<string, Map<string, number>>();

  /** @returns what ends it */
  add(sessionId: string, callId: string): Undo {
    const calls = this.calls.get(sessionId) ?? new Map<string, number>();
    this.calls.set(sessionId, calls.set(callId, (calls.get(callId) ?? 0) + 1));
    return () => {
      const left = (calls.get(callId) ?? 0) - 1;
      if (left > 0) calls.set(callId, left);
      else calls.delete(callId);
      if (calls.size === 0 && this.calls.get(sessionId) === calls) this.calls.delete(sessionId);
    };
  }

  of(sessionId: string): readonly string[] {
    return [...(this.calls.get(sessionId)?.keys() ?? [])];
  }
}
