import type { Clock, Undo } from '../../ports';
import type { RunLink } from './orchestrator-deps';

/** Pauses of a run that end early: when the connection is back, and for good when it rests. */
export class Waits {
  readonly #ends = new Set<() => void>();
  readonly #undo: Undo;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly link: RunLink,
  ) {
    this.#undo = link.onChange(() => {
      if (link.up()) this.#end();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Until it is worth another try: after `ms`, or where there is no connection, when it is back. */
  turn(ms: number): Promise<void> {
    return this.#until(ms, this.link.up());
  }

  /** @returns false where it rests since */
  async time(ms: number): Promise<boolean> {
    await this.#until(ms, true);
    return !this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#undo();
    this.#end();
  }

  #until(ms: number, timed: boolean): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const undo = this.clock.after(timed ? ms : LONG, () => end());
      const end = (): void => {
        undo();
        this.#ends.delete(end);
        resolve();
      };
      this.#ends.add(end);
    });
  }

  #end(): void {
    for (const end of [...this.#ends]) end();
  }
}

/** Without a connection: a change of it that nobody told of is found out too, ms. */
const LONG = 30_000;
