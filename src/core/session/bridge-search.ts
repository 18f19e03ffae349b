import type { Clock, Ids, Log, Undo } from '../ports';
import type { Endpoint } from './connection';
import { retryDelay } from './retry-delay';

export interface BridgeSearchDeps {
  /** Where a bridge may be found now. */
  readonly discover: () => Promise<Endpoint | undefined>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export interface BridgeSearchEvents {
  /** Try this one. The search has stopped. */
  found(endpoint: Endpoint): void;
  /** There is none. The search goes on. */
  none(): void;
}

/** Between two looks for a bridge that was not tried yet, ms. */
const LOOK_EVERY = 2_000;

/**
 * Says which bridge to try, and when. Whatever it waits for, it looks every 2 s for one that was
 * not tried yet: a restarted OpenCode has another port and another token.
 */
export class BridgeSearch {
  /** tries since the last `reset` */
  #attempt = 0;
  /** tokens tried since then */
  readonly #tried = new Set<string>();
  /** raised by `stop`: what is under way then is void */
  #epoch = 0;
  #undoRetry: Undo | undefined;
  #undoLook: Undo | undefined;

  constructor(
    private readonly deps: BridgeSearchDeps,
    private readonly events: BridgeSearchEvents,
  ) {}

  /** Forgets what was tried: pauses are short again, and every bridge is new. */
  reset(): void {
    this.#attempt = 0;
    this.#tried.clear();
  }

  /** Looks at once, and takes what is there, tried or not. */
  now(): void {
    this.stop();
    const epoch = this.#epoch;
    void this.#discover().then((endpoint) => {
      if (epoch !== this.#epoch) return;
      if (endpoint !== undefined) {
        this.#take(endpoint);
        return;
      }
      this.reset();
      this.#look();
      this.events.none();
    });
  }

  /** Looks after a pause that grows with each call, earlier for a bridge that is new. */
  later(): { readonly attempt: number; readonly at: number } {
    this.stop();
    const attempt = ++this.#attempt;
    const delay = retryDelay(attempt, this.deps.ids.random());
    this.#undoRetry = this.deps.clock.after(delay, () => this.now());
    this.#look();
    return { attempt, at: this.deps.clock.now() + delay };
  }

  /** Waits for a bridge that is new. */
  forNew(): void {
    this.stop();
    this.#look();
  }

  stop(): void {
    this.#epoch++;
    this.#undoRetry?.();
    this.#undoLook?.();
  }

  #look(): void {
    const epoch = this.#epoch;
    this.#undoLook = this.deps.clock.after(LOOK_EVERY, () => {
      void this.#discover().then((endpoint) => {
        if (epoch !== this.#epoch) return;
        if (endpoint === undefined || this.#tried.has(endpoint.token)) this.#look();
        else this.#take(endpoint);
      });
    });
  }

  #take(endpoint: Endpoint): void {
    this.stop();
    this.#tried.add(endpoint.token);
    this.events.found(endpoint);
  }

  async #discover(): Promise<Endpoint | undefined> {
    try {
      return await this.deps.discover();
    } catch (error) {
      this.deps.log.note('Looking for a bridge failed.', { error: String(error) });
      return undefined; // as good as none: the next look may do better
    }
  }
}
