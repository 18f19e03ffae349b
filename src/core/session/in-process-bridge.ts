import type { OpenTransport } from '../ports';
import type { Endpoint } from './connection';

/** A bridge that runs in this process. */
export interface InProcessBridge {
  readonly endpoint: Endpoint;
  readonly open: OpenTransport;
  /** Closes every connection; resolves when the bridge has stopped all work. */
  close(): Promise<void>;
}

/**
 * The bridge in this process, which can be replaced; found and opened alongside those of other
 * processes.
 */
export class InProcessBridgeSlot {
  #now: InProcessBridge | undefined;
  #changes: Promise<void> = Promise.resolve();
  #closed = false;

  /** Closes the current bridge and opens the one that `make` returns; resolves when it is open. */
  replace(make: () => Promise<InProcessBridge | undefined>): Promise<void> {
    const next = this.#changes.then(async () => {
      await this.#put(undefined);
      if (!this.#closed) await this.#put(await make());
    });
    this.#changes = next.catch(() => undefined);
    return next;
  }

  /** May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#put(undefined);
  }

  async #put(made: InProcessBridge | undefined): Promise<void> {
    const before = this.#now;
    this.#now = this.#closed ? undefined : made;
    await before?.close();
    if (this.#closed) await made?.close();
  }

  get endpoints(): readonly Endpoint[] {
    return this.#now === undefined ? [] : [this.#now.endpoint];
  }

  /** Opens the bridge in this process, and all others with `open`. */
  wrapOpen(open: OpenTransport): OpenTransport {
    return (target, handlers) => {
      const here = this.#now?.endpoint.url === target.url ? this.#now : undefined;
      return (here?.open ?? open)(target, handlers);
    };
  }
}
