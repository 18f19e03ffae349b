import type { BoardChange } from '../../core/board/board-change';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Undo } from '../../core/ports';

/** The TodoManager of the board root that is set now; another root is another manager. */
export class CurrentManager {
  private manager: TodoManager;
  private stop: Undo;

  constructor(
    private readonly make: (root: string) => TodoManager,
    root: string,
    private readonly changed: (change: BoardChange) => void,
  ) {
    this.manager = make(root);
    this.stop = this.manager.onChange(changed);
  }

  get now(): TodoManager {
    return this.manager;
  }

  useRoot(root: string): void {
    this.stop();
    this.manager = this.make(root);
    this.stop = this.manager.onChange(this.changed);
  }

  close(): void {
    this.stop();
  }
}
