import { changedKeys } from './digest';
import type { Board } from './task';
import type { Log, Undo } from '../ports';

/** Who made a change: an agent, a person in a view, an import; `disk`: an edit of the file. */
export type ChangedBy = 'agent' | 'person' | 'import' | 'disk';

export interface BoardChange {
  readonly path: string;
  readonly session: string;
  readonly agent: string;
  /** undefined: the note was removed */
  readonly board: Board | undefined;
  /** undefined: the note is new; for a note that was broken, its last readable state */
  readonly before: Board | undefined;
  readonly by: ChangedBy;
  /** keys in `board` of the tasks that are new or differ in a field */
  readonly changedKeys: readonly string[];
}

/** A change as found in the file; `boardChange` computes the rest. */
export interface BoardFileChange {
  readonly path: string;
  readonly before: Board | undefined;
  readonly after: Board | undefined;
  readonly by: ChangedBy;
}

export type BoardListener = (move: BoardFileChange) => void;

export function boardChange({ path, before, after, by }: BoardFileChange): BoardChange {
  const named = after ?? before;
  return {
    path,
    session: named?.session ?? '',
    agent: named?.agent ?? '',
    board: after,
    before,
    by,
    changedKeys: changedTaskKeys(before, after),
  };
}

function changedTaskKeys(before: Board | undefined, after: Board | undefined): readonly string[] {
  // If the note was never readable before, no task counts as changed.
  if (after === undefined || (before !== undefined && before.broken !== null)) return [];
  return before === undefined ? after.tasks.map(({ key }) => key) : changedKeys(before, after);
}

/** Notifies listeners of changes, in order; one that throws does not affect the others. */
export class BoardEvents {
  private readonly listeners = new Set<(change: BoardChange) => void>();

  constructor(private readonly log: Log | undefined) {}

  on(listener: (change: BoardChange) => void): Undo {
    // Wrapped, so that one function can be registered twice and removed once.
    const own = (change: BoardChange): void => listener(change);
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  emit(move: BoardFileChange): void {
    if (this.listeners.size === 0) return;
    const change = boardChange(move);
    for (const listener of [...this.listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.log?.note('A listener for board changes threw.', {
          at: 'board.listener',
          severity: 'error',
          path: move.path,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }
}
