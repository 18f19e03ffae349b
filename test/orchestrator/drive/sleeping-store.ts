import type { Entry, NoteStore, Stat } from '../../../src/core/ports';

/** The store of a process that stops right before its n-th call and sleeps until woken. */
export class SleepingStore implements NoteStore {
  asleep = false;
  #calls = 0;
  #wake: () => void = () => undefined;
  #woken: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: NoteStore,
    private readonly at: number,
  ) {}

  read(path: string): Promise<string | undefined> {
    return this.#whenAwake(() => this.store.read(path));
  }

  list(folder: string): Promise<readonly Entry[]> {
    return this.#whenAwake(() => this.store.list(folder));
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.#whenAwake(() => this.store.stat(path));
  }

  update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    return this.#whenAwake(() => this.store.update(path, edit));
  }

  append(path: string, lines: string, most: number): Promise<boolean> {
    return this.#whenAwake(() => this.store.append(path, lines, most));
  }

  remove(path: string): Promise<void> {
    return this.#whenAwake(() => this.store.remove(path));
  }

  rename(from: string, to: string): Promise<boolean> {
    return this.#whenAwake(() => this.store.rename(from, to));
  }

  wake(): void {
    this.asleep = false;
    this.#wake();
  }

  async #whenAwake<T>(task: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    if (this.#calls === this.at) {
      this.asleep = true;
      this.#woken = new Promise((wake) => (this.#wake = wake));
    }
    if (this.asleep) await this.#woken;
    return task();
  }
}
