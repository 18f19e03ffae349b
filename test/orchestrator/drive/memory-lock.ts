import { StoreError, type NoteLock } from '../../../src/core/ports';

/** Locks of one machine, shared by its programs; a program's locks die with it. */
export class MemoryLocks {
  readonly #held = new Map<string, object>();

  /** The lock of one program. @returns also `die`, which releases all that it holds */
  program(): { readonly lock: NoteLock; readonly die: () => void } {
    const own = {};
    const lock: NoteLock = {
      hold: async (key, task) => {
        await Promise.resolve();
        if (this.#held.has(key)) throw new StoreError('busy', 'Another program has it.');
        this.#held.set(key, own);
        try {
          return await task();
        } finally {
          if (this.#held.get(key) === own) this.#held.delete(key);
        }
      },
    };
    const die = (): void => {
      for (const [key, holder] of this.#held) if (holder === own) this.#held.delete(key);
    };
    return { lock, die };
  }

  get held(): readonly string[] {
    return [...this.#held.keys()];
  }
}
