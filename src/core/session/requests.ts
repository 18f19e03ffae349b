import type { FromBridge } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Clock } from '../ports';

interface WaitOptions {
  readonly timeoutMs: number;
  readonly answers: (message: FromBridge) => boolean;
  /**
   * Whether the message is sent again after its connection breaks, so that the answer may still
   * arrive.
   */
  readonly outlives: boolean;
  readonly onTimeout?: () => void;
}

interface Pending extends Pick<WaitOptions, 'answers' | 'outlives'> {
  readonly resolve: (message: FromBridge) => void;
  readonly reject: (error: WireError) => void;
  readonly undoTimeout: () => void;
}

/** Requests that wait for their answers, by the id of their message. */
export class PendingRequests {
  readonly #pending = new Map<string, Pending>();

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves with the first message for which `answers` returns true; rejects with an `error` that
   * replies to `id`, with `timeout` after `timeoutMs`, or with the error passed to `reject`,
   * `rejectLost` or `rejectAll`.
   */
  wait(id: string, { timeoutMs, answers, outlives, onTimeout }: WaitOptions): Promise<FromBridge> {
    return new Promise((resolve, reject) => {
      const undoTimeout = this.clock.after(timeoutMs, () => {
        this.#pending.delete(id);
        onTimeout?.();
        reject(new WireError('timeout', 'The program did not answer in time.', true));
      });
      this.#pending.set(id, { answers, outlives, resolve, reject, undoTimeout });
    });
  }

  /** @returns whether the message settled a request */
  offer(message: FromBridge): boolean {
    let settled = false;
    for (const [id, { answers, resolve, reject, undoTimeout }] of this.#pending) {
      const refused = message.type === 'error' && message.replyTo === id;
      if (!refused && !answers(message)) continue;
      settled = true;
      this.#pending.delete(id);
      undoTimeout();
      if (!refused) {
        resolve(message);
        continue;
      }
      const { code, message: words, retryable } = message.payload;
      reject(new WireError(code, words, retryable));
    }
    return settled;
  }

  /** Rejects one request, if it still waits. */
  reject(id: string, error: WireError): void {
    this.#reject(error, (_, waiting) => waiting === id);
  }

  /** Call when the connection broke: rejects requests that don't outlive it. */
  rejectLost(error: WireError): void {
    this.#reject(error, ({ outlives }) => !outlives);
  }

  rejectAll(error: WireError): void {
    this.#reject(error, () => true);
  }

  #reject(error: WireError, which: (pending: Pending, id: string) => boolean): void {
    for (const [id, pending] of [...this.#pending]) {
      if (!which(pending, id)) continue;
      this.#pending.delete(id);
      pending.undoTimeout();
      pending.reject(error);
    }
  }
}
