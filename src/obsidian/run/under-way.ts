import type { Undo } from '../../core/ports';

/** What the person asked of runs and is not done yet, so that views show it at once. */
export class UnderWay {
  readonly #doing = new Map<string, readonly string[]>();
  readonly #listeners = new Set<() => void>();

  /** What is being done to a run, as in `Going back…`; undefined where nothing is. */
  of(run: string): string | undefined {
    return this.#doing.get(run)?.at(-1);
  }

  /** Called when something begins or is over. */
  onChange(listener: () => void): Undo {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** @param words for the person, as long as the task is not over */
  async during<T>(run: string, words: string, task: () => Promise<T>): Promise<T> {
    this.#put(run, [...(this.#doing.get(run) ?? []), words]);
    try {
      return await task();
    } finally {
      const left = [...(this.#doing.get(run) ?? [])];
      left.splice(left.indexOf(words), 1);
      this.#put(run, left);
    }
  }

  #put(run: string, doing: readonly string[]): void {
    if (doing.length === 0) this.#doing.delete(run);
    else this.#doing.set(run, doing);
    for (const listener of [...this.#listeners]) listener();
  }
}
