import type { Clock, Undo } from '../../core/ports';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { LinkedClient } from './linked-client';

type Client = Pick<LinkedClient, 'send' | 'withdraw'>;

type CallPayload = FromBridgeOf<'tool.call'>['payload'];

type ToolResult = ToBridgeOf<'tool.result'>['payload'];

type Waiting = ToBridgeOf<'tool.waiting'>['payload'];

/** The result of a call that was sent to a client. */
export type RemoteOutcome =
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** the client received it and didn't answer: it may have been done */
  | { readonly kind: 'lost' | 'timeout' | 'cancelled' };

interface Pending {
  readonly client: Client;
  readonly payload: CallPayload;
  /** called when its client asks a person */
  readonly waits: (() => void) | undefined;
  /** set while the client is disconnected */
  undoGrace: Undo | undefined;
  /** Gives up after `ms` from now; undefined: not while the client is connected. */
  limit(ms: number | undefined): void;
  /**
   * Stops waiting and cancels the call. A disconnected client is told when it returns, so that
   * nobody is asked.
   */
  giveUp(reason: string, kind: Exclude<RemoteOutcome['kind'], 'result'>): void;
  settle(outcome: RemoteOutcome): void;
}

/** ms to wait for an answer; longer than any call takes while no person is asked. */
const ANSWER_TIMEOUT = 30_000;

/** Longest delay of a timer in ms; longer ones would fire immediately. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;

/** ms for a disconnected client to return. */
const RECONNECT_GRACE = 15_000;

/** Tool calls that are running at clients. The first answer of the client counts. */
export class RemoteCalls {
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly clock: Clock) {}

  /**
   * Sends a call to a client and waits for the answer.
   * @param waits called when the client asks a person
   * @throws WireError `too_large` if it can't be sent; then nothing was done
   */
  call(
    client: Client,
    payload: CallPayload,
    abort: AbortSignal,
    waits?: () => void,
  ): Promise<RemoteOutcome> {
    const { originSessionId: sessionId, callId } = payload;
    const key = keyOf(sessionId, callId);
    client.send({ type: 'tool.call', sessionId, payload });
    return new Promise((resolve) => {
      const giveUp: Pending['giveUp'] = (reason, kind) => {
        client.withdraw(sessionId, callId);
        client.send({ type: 'tool.cancel', sessionId, payload: { callId, reason } });
        settle({ kind });
      };
      const aborted = (): void => giveUp('The turn was interrupted.', 'cancelled');
      let undo: Undo | undefined;
      const limit = (ms: number | undefined): void => {
        undo?.();
        undo =
          ms === undefined
            ? undefined
            : this.clock.after(ms, () => giveUp('No answer.', 'timeout'));
      };
      const settle = (outcome: RemoteOutcome): void => {
        undo?.();
        entry.undoGrace?.();
        abort.removeEventListener('abort', aborted);
        if (this.pending.get(key) === entry) this.pending.delete(key);
        resolve(outcome);
      };
      const entry: Pending = {
        ...{ client, payload, waits, undoGrace: undefined },
        ...{ limit, giveUp, settle },
      };
      limit(ANSWER_TIMEOUT);
      this.pending.set(key, entry);
      abort.addEventListener('abort', aborted);
      if (abort.aborted) aborted();
    });
  }

  /** @returns false if the call was not running at that client, so that the result is dropped */
  answer(client: Client, sessionId: string, result: ToolResult): boolean {
    const entry = this.pending.get(keyOf(sessionId, result.callId));
    if (entry?.client !== client) return false;
    entry.settle({ kind: 'result', result });
    return true;
  }

  /**
   * Call when the client asks a person. Their time doesn't count; a client that dies meanwhile is
   * still noticed.
   */
  handleWaiting(client: Client, sessionId: string, { callId, ms }: Waiting): void {
    const entry = this.pending.get(keyOf(sessionId, callId));
    if (entry?.client !== client) return;
    entry.limit(ms === undefined ? ms : Math.min(ms + ANSWER_TIMEOUT, MAX_TIMER_DELAY));
    if (ms !== 0) entry.waits?.();
  }

  /** Call when the client's connection broke. Its calls wait for it to return. */
  handleDisconnect(client: Client): void {
    for (const entry of this.callsOf(client)) {
      entry.undoGrace?.();
      entry.undoGrace = this.clock.after(RECONNECT_GRACE, () =>
        entry.giveUp('Away for too long.', 'lost'),
      );
    }
  }

  /**
   * Call when the client has returned. Sends its calls again, since it may have missed them, or
   * their results were lost.
   */
  handleReconnect(client: Client): void {
    for (const entry of this.callsOf(client)) {
      entry.undoGrace?.();
      entry.undoGrace = undefined;
      const { payload } = entry;
      client.send({ type: 'tool.call', sessionId: payload.originSessionId, payload });
    }
  }

  private callsOf(client: Client): readonly Pending[] {
    return [...this.pending.values()].filter((entry) => entry.client === client);
  }
}

/**
 * Providers number their calls from the start in every session, so the key includes the session.
 */
function keyOf(sessionId: string, callId: string): string {
  return `${sessionId} ${callId}`;
}
