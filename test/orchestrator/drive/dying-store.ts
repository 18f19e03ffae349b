import { StoreError, type Entry, type NoteStore, type Stat } from '../../../src/core/ports';

/** The store of a process that is killed at its n-th write: right before or right after it. */
export class DyingStore implements NoteStore {
  dead = false;
  #writes = 0;

  constructor(
    private readonly store: NoteStore,
    private readonly at: number,
    private readonly when: 'before' | 'behind',
    private readonly onDeath: () => void,
  ) {}

  read(path: string): Promise<string | undefined> {
    return this.#alive(() => this.store.read(path));
  }

  list(folder: string): Promise<readonly Entry[]> {
    return this.#alive(() => this.store.list(folder));
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.#alive(() => this.store.stat(path));
  }

  update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    return this.#write(() => this.store.update(path, edit));
  }

  append(path: string, lines: string, most: number): Promise<boolean> {
    return this.#write(() => this.store.append(path, lines, most));
  }

  remove(path: string): Promise<void> {
    return this.#write(() => this.store.remove(path));
  }

  rename(from: string, to: string): Promise<boolean> {
    return this.#write(() => this.store.rename(from, to));
  }

  async #alive<T>(task: () => Promise<T>): Promise<T> {
    if (this.dead) throw new StoreError('io', 'The process is gone.');
    return task();
  }

  async #write<T>(task: () => Promise<T>): Promise<T> {
    this.#writes += 1;
    const last = this.#writes === this.at;
    if (last && this.when === 'before') this.#die();
    const done = await this.#alive(task);
    if (last) this.#die();
    if (this.dead) throw new StoreError('io', 'The process is gone.');
    return done;
  }

  #die(): void {
    this.dead = true;
    this.onDeath();
  }
}
