import { KeyedQueue } from '../../keyed-queue';
import type { Log } from '../../ports';
import type { TodoManager } from '../todo-manager';

type Mirror = Pick<TodoManager, 'mirrorTodos'>;
type Owner = Parameters<Mirror['mirrorTodos']>[0];
type Todos = Parameters<Mirror['mirrorTodos']>[1];

interface TodoListsServices {
  readonly log: Log;
  readonly boards: { manager(): Promise<Mirror> };
  /** owner of the board, asked at the time of the write */
  readonly ownerOf: (sessionId: string) => Promise<Owner>;
}

/**
 * Mirrors agents' todo lists to the boards of their sessions. If several lists arrive during a
 * write, only the newest is written next.
 */
export class TodoLists {
  private readonly newest = new Map<string, Todos>();
  private readonly queue = new KeyedQueue();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly services: TodoListsServices) {}

  enqueue(sessionId: string, todos: Todos): void {
    this.newest.set(sessionId, todos);
    const run = this.queue.run(sessionId, () => this.writeNewest(sessionId));
    this.running.add(run);
    void run.finally(() => this.running.delete(run));
  }

  /** Resolves when all lists of a session received so far are written. */
  settled(sessionId: string): Promise<void> {
    return this.queue.run(sessionId, () => Promise.resolve());
  }

  /** Resolves when all lists received so far are written. */
  async allSettled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Never rejects: a failed write must not end a turn, or the process. */
  private async writeNewest(sessionId: string): Promise<void> {
    const todos = this.newest.get(sessionId);
    if (todos === undefined) return;
    this.newest.delete(sessionId);
    const { log, boards, ownerOf } = this.services;
    try {
      const owner = await ownerOf(sessionId);
      const done = await (await boards.manager()).mirrorTodos(owner, todos);
      const why = done.ok ? done.left.join(' ') : done.message;
      if (why !== '')
        log.note('A list of todowrite is not whole on its board.', {
          at: 'mirror.todowrite',
          why,
        });
    } catch (error) {
      log.note('A list of todowrite could not be brought to its board.', {
        at: 'mirror.todowrite',
        severity: 'error',
        error: String(error),
      });
    }
  }
}
