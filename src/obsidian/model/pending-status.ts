import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Status, Task } from '../../core/board/task';
import type { Undo } from '../../core/ports';

/** ms after which a frame is no longer waited for: a window that nobody sees draws none. */
const LATEST = 100;

/**
 * Statuses that the person gave tasks and that are not written yet. A row listens for its own task
 * alone, so that what is drawn at once does not grow with the board.
 */
export class PendingStatuses {
  private readonly given = new Map<string, { readonly status: Status }>();
  private readonly listeners = new Map<string, Set<() => void>>();

  /** @param painted resolves when what was drawn can be seen */
  constructor(private readonly painted: () => Promise<void> = nextPaint) {}

  /** The status that a task is shown with. */
  of(path: string, task: Task): Status {
    return this.given.get(idOf(path, task.key))?.status ?? task.status;
  }

  on(path: string, key: string, listener: () => void): Undo {
    const id = idOf(path, key);
    const all = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.listeners.get(id) === all) this.listeners.delete(id);
    };
  }

  /** Shows a task with a status, and then writes it; when that ended, well or not, it shows what is in its board. */
  async show<T>(path: string, key: string, status: Status, write: () => Promise<T>): Promise<T> {
    const id = idOf(path, key);
    const own = { status };
    this.set(id, own);
    try {
      await this.painted();
      return await write();
    } finally {
      // What was given since then waits for its own write.
      if (this.given.get(id) === own) this.set(id, undefined);
    }
  }

  private set(id: string, given: { readonly status: Status } | undefined): void {
    if (given === undefined) this.given.delete(id);
    else this.given.set(id, given);
    for (const listener of [...(this.listeners.get(id) ?? [])]) listener();
  }
}

function idOf(path: string, key: string): string {
  return `${path}\n${key}`;
}

/** Behind a frame, in a turn of the loop of its own: then it is on the screen. */
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    window.requestAnimationFrame(() => window.setTimeout(resolve, 0));
    window.setTimeout(resolve, LATEST);
  });
}

/** The status that a task is shown with; draws anew when it is another. */
export function useShownStatus(pending: PendingStatuses, path: string, task: Task): Status {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(
    () => pending.on(path, task.key, () => draw(undefined)),
    [pending, path, task.key],
  );
  return pending.of(path, task);
}
