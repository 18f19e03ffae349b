import type { FromBridge } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Clock, Undo } from '../ports';

interface Pending {
  readonly answers: (message: FromBridge) => boolean;
  readonly resolve: (message: FromBridge) => void;
  readonly reject: (error: WireError) => void;
  readonly undoTimeout: Undo;
}

/** Requests that wait for their answer, by the id of their message. */
export class PendingRequests {
  readonly #pending = new Map<string, Pending>();

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#pending.size;
  }

  /**
   * Resolves with the first message for which `answers` holds; rejects with what an `error` says
   * that replies to `id`, with `timeout` after `timeoutMs`, and with what `rejectAll` is given.
   */
  wait(id: string, timeoutMs: number, answers: Pending['answers']): Promise<FromBridge> {
    return new Promise((resolve, reject) => {
      const undoTimeout = this.clock.after(timeoutMs, () => {
        this.#pending.delete(id);
        reject(new WireError('timeout', 'OpenCode did not answer in time.', true));
      });
      this.#pending.set(id, { answers, resolve, reject, undoTimeout });
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
      if (!refused) resolve(message);
      else
        reject(
          new WireError(message.payload.code, message.payload.message, message.payload.retryable),
        );
    }
    return settled;
  }

  rejectAll(error: WireError): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { undoTimeout, reject } of all) {
      undoTimeout();
      reject(error);
    }
  }
}
