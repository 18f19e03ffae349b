import type { FromBridge } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Clock } from '../ports';

interface WaitOptions {
  readonly timeoutMs: number;
  readonly answers: (message: FromBridge) => boolean;
  /** The message is sent again where its connection breaks: the answer may still come. */
  readonly outlives: boolean;
  readonly onTimeout?: () => void;
}

interface Pending extends Pick<WaitOptions, 'answers' | 'outlives'> {
  readonly resolve: (message: FromBridge) => void;
  readonly reject: (error: WireError) => void;
  readonly undoTimeout: () => void;
}

/** Requests that wait for their answer, by the id of their message. */
export class PendingRequests {
  readonly #pending = new Map<string, Pending>();

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves with the first message for which `answers` holds; rejects with what an `error` says
   * that replies to `id`, with `timeout` after `timeoutMs`, and with what `reject`, `rejectLost` or
   * `rejectAll` is given.
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

  /** One alone, if it still waits. */
  reject(id: string, error: WireError): void {
    this.#reject(error, (_, waiting) => waiting === id);
  }

  /** The connection broke: rejects those whose answer can't come on another. */
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
