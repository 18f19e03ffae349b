import { readSharedSettings } from '../core/shared-settings';
import { TodoManager, type TodoManagerDeps } from '../core/board/todo-manager';
import { StoreError, type Log } from '../core/ports';

/**
 * The boards on disk as the vault's shared settings say now; the manager is kept as long as they
 * say the same.
 */
export class DiskBoards {
  private current: { readonly key: string; readonly manager: TodoManager } | undefined;

  constructor(
    private readonly deps: Pick<TodoManagerDeps, 'store' | 'clock' | 'ids'> & { readonly log: Log },
  ) {}

  /** @throws StoreError where the settings can't be read */
  async manager(): Promise<TodoManager> {
    const { problem, aliases: _, ...settings } = await readSharedSettings(this.deps.store);
    const key = JSON.stringify([settings, problem]);
    if (this.current?.key === key) return this.current.manager;
    if (problem !== undefined) this.deps.log.note(problem);
    const manager = new TodoManager({ ...this.deps, ...settings });
    this.current = { key, manager };
    return manager;
  }

  /** Where the boards are, relative to the vault. */
  async root(): Promise<string> {
    return (await readSharedSettings(this.deps.store)).root;
  }

  /** Whether models see the deprecated tools too; not where the settings can't be read. */
  async aliases(): Promise<boolean> {
    try {
      return (await readSharedSettings(this.deps.store)).aliases;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note(error.message);
      return false;
    }
  }
}
