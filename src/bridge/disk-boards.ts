import { defaultSettings, readSharedSettings, type SharedSettings } from '../core/shared-settings';
import { TodoManager, type TodoManagerDeps } from '../core/board/todo-manager';
import { NamedStore } from '../core/board/names/named-store';
import { loadMarkUnchecked } from '../core/orchestrator/drive/run-files';
import { StoreError, type Log } from '../core/ports';

/**
 * The boards on disk, under the vault's current shared settings. The manager is kept while the
 * settings stay the same.
 */
export class DiskBoards {
  private current: { readonly key: string; readonly manager: TodoManager } | undefined;

  constructor(
    private readonly deps: Pick<TodoManagerDeps, 'store' | 'clock' | 'ids'> & { readonly log: Log },
  ) {}

  /** @throws StoreError if the settings can't be read */
  async manager(): Promise<TodoManager> {
    return (await this.now()).manager;
  }

  /**
   * The manager and the settings it was made with.
   * @throws StoreError if the settings can't be read
   */
  async now(): Promise<{ readonly manager: TodoManager; readonly settings: SharedSettings }> {
    const settings = await readSharedSettings(this.deps.store);
    const { problem, root, defaultSession, nameByTitle } = settings;
    const key = JSON.stringify([root, defaultSession, nameByTitle, problem]);
    if (this.current?.key === key) return { manager: this.current.manager, settings };
    if (problem !== undefined) {
      const at = 'board.settings';
      this.deps.log.note('The shared settings are not all followed.', {
        at,
        severity: 'error',
        why: problem,
      });
    }
    const unchecked = () => loadMarkUnchecked(this.deps.store);
    const store = new NamedStore(this.deps.store, root, nameByTitle);
    const manager = new TodoManager({ ...this.deps, store, root, defaultSession, unchecked });
    this.current = { key, manager };
    return { manager, settings };
  }

  /**
   * Completes moves between boards that a crash interrupted, as Obsidian does when it starts; for
   * programs that may run without it. Logs what was done, and what can't be done yet.
   */
  async finishMoves(): Promise<void> {
    try {
      const { moves } = await this.manager();
      for (const why of await moves.finish()) {
        const at = 'board.moves';
        this.deps.log.note('A move of tasks was interrupted, and is settled now.', {
          at,
          severity: 'info',
          why,
        });
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note('A move of tasks that was interrupted is not settled.', {
        at: 'board.moves',
        severity: 'error',
        why: error.message,
      });
    }
  }

  /** The board folder, relative to the vault. */
  async root(): Promise<string> {
    return (await readSharedSettings(this.deps.store)).root;
  }

  /**
   * The current settings, or the defaults if they can't be read, so that the engine starts anyway.
   */
  async settings(): Promise<SharedSettings> {
    try {
      return await readSharedSettings(this.deps.store);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note('The shared settings could not be read.', {
        at: 'board.settings',
        severity: 'error',
        why: error.message,
      });
      return defaultSettings();
    }
  }
}
