import type { Undo } from '../ports';

/**
 * Listeners of one kind. A listener that throws does not affect the others; its error goes to
 * `fault`. One added during a call is not called in it, one removed is no longer called, and a
 * nested call waits, so that all listeners get the values in the same order.
 */
export class Listeners<T> {
  readonly #entries = new Set<{ readonly listener: (value: T) => void }>();
  readonly #waiting: T[] = [];
  #running = false;

  constructor(private readonly fault: (error: unknown) => void = () => undefined) {}

  add(listener: (value: T) => void): Undo {
    const entry = { listener }; // the same function added twice is two listeners
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  call(value: T): void {
    this.#waiting.push(value);
    if (this.#running) return;
    this.#running = true;
    for (let next = 0; next < this.#waiting.length; next++) this.#deliver(this.#waiting[next] as T);
    this.#waiting.length = 0;
    this.#running = false;
  }

  clear(): void {
    this.#entries.clear();
  }

  #deliver(value: T): void {
    for (const entry of [...this.#entries]) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(value);
      } catch (error) {
        this.fault(error);
      }
    }
  }
}
