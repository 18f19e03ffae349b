/**
 * Runs the tasks of one key one after another, in the order in which they were added; different
 * keys run in parallel. A failure rejects only for the caller of that task. A task must not wait
 * for another of its own key.
 */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.tails.get(key) ?? Promise.resolve()).then(task);
    const tail: Promise<void> = result.then(
      () => this.forget(key, tail),
      () => this.forget(key, tail),
    );
    this.tails.set(key, tail);
    return result;
  }

  private forget(key: string, tail: Promise<void>): void {
    if (this.tails.get(key) === tail) this.tails.delete(key);
  }
}
