import type { Undo } from '../ports';

/**
 * Listeners of one kind. A listener that throws hurts no other; what it threw goes to `fault`.
 * One added during a call is not called in it, one removed is not called any more, and a call
 * inside a call waits, so that all listeners get the values in the same order.
 */
export class Listeners<T> {
  readonly #entries = new Set<{ readonly listener: (value: T) => void }>();
  readonly #waiting: T[] = [];
  #running = false;

  constructor(private readonly fault: (error: unknown) => void = () => undefined) {}

  add(listener: (value: T) => void): Undo {
    const entry = { listener }; // the same function twice is two listeners
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
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
