import type { OpenTransport } from '../ports';
import type { Endpoint } from './connection';

/** A bridge in this process. */
export interface LinkedBridge {
  readonly endpoint: Endpoint;
  readonly open: OpenTransport;
  /** Cuts every connection; settles when nothing of it works any more. */
  close(): Promise<void>;
}

/** Which bridge this process has, which may be another one later: found and opened beside all others. */
export class LinkedBridges {
  #now: LinkedBridge | undefined;
  #changes: Promise<void> = Promise.resolve();
  #closed = false;

  /** In the place of the one that there was; settles when it is there. */
  replace(make: () => Promise<LinkedBridge | undefined>): Promise<void> {
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

  async #put(made: LinkedBridge | undefined): Promise<void> {
    const before = this.#now;
    this.#now = this.#closed ? undefined : made;
    await before?.close();
    if (this.#closed) await made?.close();
  }

  get endpoints(): readonly Endpoint[] {
    return this.#now === undefined ? [] : [this.#now.endpoint];
  }

  /** Opens those here, all others by `open`. */
  beside(open: OpenTransport): OpenTransport {
    return (target, handlers) => {
      const here = this.#now?.endpoint.url === target.url ? this.#now : undefined;
      return (here?.open ?? open)(target, handlers);
    };
  }
}
