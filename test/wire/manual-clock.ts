import type { Clock, Undo } from '../../src/core/ports';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** Runs everything that is ready: promises, and what they start. */
export function flushPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  /** offset of the wall clock from the elapsed time */
  #offset = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now + this.#offset;
  }

  /** Shifts the wall clock by `ms`, which may be negative; timers keep their duration. */
  set(ms: number): void {
    this.#offset += ms;
  }

  today(): string {
    return '2026-11-21';
  }

  after(ms: number, task: () => void): Undo {
    const timer = { at: this.#now + ms, task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Number of pending timers. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Advances the time, timer by timer; after each, what it started runs before the next. */
  async advance(ms: number): Promise<void> {
    await flushPromises();
    const end = this.#now + ms;
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await flushPromises();
    }
    this.#now = end;
  }

  /** The machine sleeps: time passes, and timers that came due only run now. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  #due(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
