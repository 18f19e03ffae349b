import type { Clock, Undo } from '../ports';

/** Between two pings, ms. */
const EVERY = 10_000;
/** Silence after which the other end is taken for dead, ms; both ends keep to it. */
export const DEAD_AFTER = 25_000;

/** Pings, and notices when nothing at all is heard. Browsers can't ping below the application. */
export class Heartbeat {
  #heardAt: number;
  #undo: Undo;

  constructor(
    private readonly clock: Clock,
    private readonly ping: () => void,
    private readonly dead: () => void,
  ) {
    this.#heardAt = clock.now();
    this.#undo = clock.after(EVERY, () => this.check());
  }

  /** Any frame is a sign of life. */
  heard(): void {
    this.#heardAt = this.clock.now();
  }

  /** Now, not at the next beat: after the machine slept, or when the window is looked at again. */
  check(): void {
    this.#undo();
    const left = DEAD_AFTER - (this.clock.now() - this.#heardAt);
    if (left <= 0) {
      this.dead();
      return;
    }
    this.#undo = this.clock.after(Math.min(EVERY, left), () => this.check());
    this.ping();
  }

  stop(): void {
    this.#undo();
  }
}
