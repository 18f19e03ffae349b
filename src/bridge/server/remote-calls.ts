import type { Clock, Undo } from '../../core/ports';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { LinkedClient } from './linked-client';

type Client = Pick<LinkedClient, 'send' | 'withdraw'>;

type CallPayload = FromBridgeOf<'tool.call'>['payload'];

type ToolResult = ToBridgeOf<'tool.result'>['payload'];

type Waiting = ToBridgeOf<'tool.waiting'>['payload'];

/** How a call that was given to a client came back. */
export type RemoteOutcome =
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** the client took it and didn't answer: it may have been done */
  | { readonly kind: 'lost' | 'timeout' | 'cancelled' };

interface Pending {
  readonly client: Client;
  readonly payload: CallPayload;
  /** its client asks a person */
  readonly waits: (() => void) | undefined;
  /** set while the client is away */
  undoGrace: Undo | undefined;
  /** Gives it up after that time; undefined: while its client is there, never. Counts from now. */
  limit(ms: number | undefined): void;
  /** Nobody waits for it any more. One that is away hears it when it is back: nobody is asked then. */
  giveUp(reason: string, kind: Exclude<RemoteOutcome['kind'], 'result'>): void;
  settle(outcome: RemoteOutcome): void;
}

/** Longer than a call ever takes while no person is asked, ms. */
const ANSWER_WITHIN = 30_000;

/** What a timer can wait, ms; a longer one would go off at once. */
const LONGEST = 2 ** 31 - 1;

/** What a client has to come back, ms. */
const GRACE = 15_000;

/** Tool calls that are out at clients. A client's answer is the answer; the first one counts. */
export class RemoteCalls {
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly clock: Clock) {}

  /**
   * Gives a call to a client and waits for the answer.
   * @param waits called where the client asks a person
   * @throws WireError `too_large` where it can't be sent; then nothing was done
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
      limit(ANSWER_WITHIN);
      this.pending.set(key, entry);
      abort.addEventListener('abort', aborted);
      if (abort.aborted) aborted();
    });
  }

  /** @returns whether the call was out at that client; else the result comes to nobody */
  answer(client: Client, sessionId: string, result: ToolResult): boolean {
    const entry = this.pending.get(keyOf(sessionId, result.callId));
    if (entry?.client !== client) return false;
    entry.settle({ kind: 'result', result });
    return true;
  }

  /** A person is asked: their time doesn't count. A client that dies meanwhile is noticed all the same. */
  waits(client: Client, sessionId: string, { callId, ms }: Waiting): void {
    const entry = this.pending.get(keyOf(sessionId, callId));
    if (entry?.client !== client) return;
    entry.limit(ms === undefined ? ms : Math.min(ms + ANSWER_WITHIN, LONGEST));
    if (ms !== 0) entry.waits?.();
  }

  /** The client's connection broke: what it has waits a while for it to come back. */
  closed(client: Client): void {
    for (const entry of this.of(client)) {
      entry.undoGrace?.();
      entry.undoGrace = this.clock.after(GRACE, () => entry.giveUp('Away for too long.', 'lost'));
    }
  }

  /** It is back: what it may not have got, or answered in vain, is sent once more. */
  returned(client: Client): void {
    for (const entry of this.of(client)) {
      entry.undoGrace?.();
      entry.undoGrace = undefined;
      const { payload } = entry;
      client.send({ type: 'tool.call', sessionId: payload.originSessionId, payload });
    }
  }

  private of(client: Client): readonly Pending[] {
    return [...this.pending.values()].filter((entry) => entry.client === client);
  }
}

/** Providers number their calls anew in every session. */
function keyOf(sessionId: string, callId: string): string {
  return `${sessionId} ${callId}`;
}
