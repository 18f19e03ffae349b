import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Status, Task } from '../../core/board/task';
import type { Undo } from '../../core/ports';

/** ms after which a frame is no longer awaited: a hidden window draws none. */
const MAX_WAIT = 100;

/**
 * Statuses that the person set and that are not written yet. Each row listens for its own task
 * only, so the cost of an immediate redraw does not grow with the board.
 */
export class PendingStatuses {
  private readonly pending = new Map<string, { readonly status: Status }>();
  private readonly listeners = new Map<string, Set<() => void>>();

  /** @param painted resolves when the drawn frame is visible */
  constructor(private readonly painted: () => Promise<void> = nextPaint) {}

  /** The status that a task is shown with. */
  statusOf(path: string, task: Task): Status {
    return this.pending.get(idOf(path, task.key))?.status ?? task.status;
  }

  onChange(path: string, key: string, listener: () => void): Undo {
    const id = idOf(path, key);
    const all = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.listeners.get(id) === all) this.listeners.delete(id);
    };
  }

  /**
   * Shows a status at once, then writes it. After the write, failed or not, the board's own status
   * is shown.
   */
  async showWhile<T>(
    path: string,
    key: string,
    status: Status,
    write: () => Promise<T>,
  ): Promise<T> {
    const id = idOf(path, key);
    const own = { status };
    this.set(id, own);
    try {
      await this.painted();
      return await write();
    } finally {
      // A status that was set meanwhile waits for its own write.
      if (this.pending.get(id) === own) this.set(id, undefined);
    }
  }

  private set(id: string, given: { readonly status: Status } | undefined): void {
    if (given === undefined) this.pending.delete(id);
    else this.pending.set(id, given);
    for (const listener of [...(this.listeners.get(id) ?? [])]) listener();
  }
}

function idOf(path: string, key: string): string {
  return `${path}\n${key}`;
}

/**
 * Resolves after the next frame, in a separate turn of the event loop: by then the frame is on the
 * screen.
 */
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    window.requestAnimationFrame(() => window.setTimeout(resolve, 0));
    window.setTimeout(resolve, MAX_WAIT);
  });
}

/** The status that a task is shown with, for a component: redraws when it changes. */
export function useShownStatus(pending: PendingStatuses, path: string, task: Task): Status {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(
    () => pending.onChange(path, task.key, () => draw(undefined)),
    [pending, path, task.key],
  );
  return pending.statusOf(path, task);
}
