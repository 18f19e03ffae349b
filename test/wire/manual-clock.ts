import type { Clock, Undo } from '../../src/core/ports';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** Lets everything that is ready to run, run: promises, and what they start. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  /** how far the clock on the wall was set from the time that passed */
  #set = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now + this.#set;
  }

  /** The clock on the wall is set on, or back where `ms` is less than 0; timers last as long as before. */
  set(ms: number): void {
    this.#set += ms;
  }

  today(): string {
    return '2026-11-21';
  }

  after(ms: number, task: () => void): Undo {
    const timer = { at: this.#now + ms, task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves time on, timer by timer; what a timer starts gets to run before the next. */
  async advance(ms: number): Promise<void> {
    await settled();
    const end = this.#now + ms;
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await settled();
    }
    this.#now = end;
  }

  /** The machine sleeps: time passes, and all timers that came due run only now. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  #due(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
