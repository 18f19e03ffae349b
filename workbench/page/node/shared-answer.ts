/** A call for the worker that makes blocking calls. */
export interface BlockingCall {
  readonly address: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Maximum bytes of an answer; memory is only used once it is written. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** ms without an answer after which the server counts as gone */
const ANSWER_TIMEOUT_MS = 60_000;

const TOO_LONG = new TextEncoder().encode('The answer is too long');
const STATE = { waits: 0, ok: 1, fault: 2 } as const;

/** Memory shared by two threads: state, length and bytes of the answer to one blocking call. */
export class SharedAnswer {
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  /** @param memory the memory that the calling thread created */
  constructor(readonly memory = new SharedArrayBuffer(8 + MAX_ANSWER_BYTES)) {
    this.#head = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, 8);
  }

  clear(): void {
    Atomics.store(this.#head, 0, STATE.waits);
  }

  put(ok: boolean, body: Uint8Array): void {
    if (body.length > this.#bytes.length) return this.put(false, TOO_LONG);
    this.#bytes.set(body);
    Atomics.store(this.#head, 1, body.length);
    Atomics.store(this.#head, 0, ok ? STATE.ok : STATE.fault);
  }

  /** Spins until the answer is there, since the page's main thread may not block. */
  take(): { readonly ok: boolean; readonly text: string } {
    const end = performance.now() + ANSWER_TIMEOUT_MS;
    while (Atomics.load(this.#head, 0) === STATE.waits) {
      if (performance.now() > end) return { ok: false, text: 'The workbench does not answer' };
    }
    const ok = Atomics.load(this.#head, 0) === STATE.ok;
    // Shared bytes cannot be decoded without a copy.
    const body = this.#bytes.slice(0, Atomics.load(this.#head, 1));
    return { ok, text: new TextDecoder().decode(body) };
  }
}
