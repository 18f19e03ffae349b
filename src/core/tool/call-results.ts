import { jsonSize, type ToolHost } from './tool-host';
import type { AnsweredCall, ToolCall, ToolFault } from './tool';

interface Run {
  readonly call: ToolCall;
  readonly outcome: Promise<AnsweredCall>;
  /**
   * of the arguments and the outcome, in UTF-16 units; of the arguments only while the call runs
   */
  size: number;
  done: boolean;
}

/** Number of answers kept. A call is usually repeated within seconds, if at all. */
const MAX_CALLS = 512;
/** Most UTF-16 units of arguments and answers kept. */
const MAX_TEXT = 8 * 1024 * 1024;

/**
 * Runs each call once. A repeated call (same session, id and arguments) gets the first call's
 * answer, even while that is still running. Another call with the same id is refused.
 */
export class CallResults {
  readonly #runs = new Map<string, Run>();
  #size = 0;

  constructor(private readonly host: Pick<ToolHost, 'run' | 'refuse'>) {}

  /** @param callId the id that the model gave the call */
  run(callId: string, given: ToolCall): Promise<AnsweredCall> {
    const call = given.callId === callId ? given : { ...given, callId };
    const { sessionId, args } = call;
    const key = `${sessionId?.length ?? ''} ${sessionId ?? ''} ${callId}`;
    const before = this.#runs.get(key);
    if (before !== undefined) {
      return isSame(before.call, call) ? before.outcome : this.host.refuse(call, conflict(callId));
    }
    const outcome = this.host.run(call);
    const run: Run = { call, outcome, size: 0, done: false };
    this.#runs.set(key, run);
    this.#grow(run, jsonSize(args));
    void outcome.then(
      (given) => this.#finish(run, given),
      () => this.#finish(run, undefined), // the caller handles the rejection
    );
    return outcome;
  }

  #finish(run: Run, outcome: AnsweredCall | undefined): void {
    run.done = true;
    this.#grow(run, jsonSize(outcome));
    for (const [key, { done, size }] of this.#runs) {
      if (this.#runs.size <= MAX_CALLS && this.#size <= MAX_TEXT) return;
      if (!done) continue; // it may still be repeated
      this.#runs.delete(key);
      this.#size -= size;
    }
  }

  #grow(run: Run, by: number): void {
    run.size += by;
    this.#size += by;
  }
}

/** Compares by JSON; only needed when an id is repeated, which is rare. */
function isSame(before: ToolCall, again: ToolCall): boolean {
  const [one, other] = [before, again].map(({ tool, args, agent, board }) =>
    JSON.stringify([tool, args, agent, board]),
  );
  return one === other;
}

function conflict(callId: string): ToolFault {
  const message = `Nothing was done: the call ${callId} was made before with other arguments. Make a new call.`;
  return { code: 'conflict', message };
}
