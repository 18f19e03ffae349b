import type { ToolPermissionRequest, PendingPermissions } from '../../core/permission/ask';
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
  readonly asks: Pick<PendingPermissions, 'all' | 'onChange'>;
}

/**
 * Runs each `tool.call` of the bus once and answers it, also if it fails. A call that is repeated
 * after a lost connection gets its first answer again. A call that is cancelled, or whose turn has
 * ended, has no further effect; it is answered too, which reports its effects so far.
 */
export function answerToolCalls(deps: ToolCallDeps): Undo {
  const { host, bus } = deps;
  const results = new CallResults(host);
  const open = new OpenCalls();
  const waiting = new WaitingCalls(deps);
  const stop = bus.onAll((event) => {
    const { type, sessionId } = event;
    if (type === 'tool.call') {
      const { callId } = event.payload;
      waiting.repeated(sessionId, callId);
      const done = open.add(sessionId, callId);
      void results
        .run(callId, callOf(event))
        .finally(done)
        .then((outcome) => answer(deps, event, outcome));
    } else if (type === 'tool.cancel') {
      host.cancel(event.payload.callId, sessionId);
    } else if (type === 'turn.end' || type === 'session.end') {
      for (const callId of open.callsOf(sessionId)) host.cancel(callId, sessionId);
    }
  });
  return () => {
    stop();
    waiting.close();
  };
}

function answer(
  { connection, log }: ToolCallDeps,
  { sessionId, payload: { callId } }: SessionEventOf<'tool.call'>,
  outcome: AnsweredCall,
): void {
  const send = (given: AnsweredCall): boolean =>
    connection.send({ type: 'tool.result', sessionId, payload: { ...given, callId } });
  try {
    if (!send(outcome))
      log.note('A tool was run; its answer waits until the bridge asks again.', {
        at: 'tool.answer',
      });
  } catch {
    // The answer was not sent, since it is larger than a frame.
    const message = 'It was done, but the answer is too long to be sent. List the tasks to see it.';
    send({ ok: false, error: { code: 'too_large', message }, audit: outcome.audit });
  }
}

/** The session is taken from the call's context; no argument can name another. */
function callOf({ sessionId, payload }: SessionEventOf<'tool.call'>): ToolCall {
  const { callId, tool, args, agent, sessionTitle, board } = payload;
  const call: ToolCall = { callId, tool, args, sessionId, agent };
  const titled = sessionTitle === undefined ? call : { ...call, sessionTitle };
  return board === undefined ? titled : { ...titled, board };
}

/** Tells the bridge which calls wait for a person, so that these don't time out. */
class WaitingCalls {
  /** requests that were reported to the bridge, by call */
  private reported = new Map<string, ToolPermissionRequest>();
  readonly close: Undo;

  constructor(private readonly deps: ToolCallDeps) {
    this.close = deps.asks.onChange(() => this.update());
  }

  /** The bridge repeated a call: it may not know that the call waits. */
  repeated(sessionId: string, callId: string): void {
    const ask = this.reported.get(keyOf(sessionId, callId));
    if (ask !== undefined) this.sendWaiting(ask);
  }

  private update(): void {
    const before = this.reported;
    this.reported = new Map();
    for (const ask of this.deps.asks.all()) {
      if (ask.sessionId !== undefined) this.reported.set(keyOf(ask.sessionId, ask.callId), ask);
    }
    for (const [key, ask] of this.reported) {
      if (before.get(key)?.requestId !== ask.requestId) this.sendWaiting(ask);
    }
    for (const [key, ask] of before) if (!this.reported.has(key)) this.sendWaiting(ask, 0);
  }

  /** A message that can't be sent is sent when the bridge asks again. */
  private sendWaiting(
    { sessionId, callId, expiresAt }: ToolPermissionRequest,
    ms = this.remainingMs(expiresAt),
  ): void {
    if (sessionId === undefined) return;
    const payload = { callId, ...(ms !== undefined && { ms }) };
    this.deps.connection.send({ type: 'tool.waiting', sessionId, payload });
  }

  private remainingMs(expiresAt: number | undefined): number | undefined {
    return expiresAt && Math.max(1, expiresAt - this.deps.clock.now());
  }
}

function keyOf(sessionId: string, callId: string): string {
  return JSON.stringify([sessionId, callId]);
}

/** Running calls by session. */
class OpenCalls {
  /** number of requests in progress for each call */
  private readonly calls = new Map<string, Map<string, number>>();

  /** @returns ends the call */
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

  callsOf(sessionId: string): readonly string[] {
    return [...(this.calls.get(sessionId)?.keys() ?? [])];
  }
}
