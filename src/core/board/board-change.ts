import { changedKeys } from './digest';
import type { Board } from './task';
import type { Log, Undo } from '../ports';

/** Whose doing a change was: an agent, a person through a view, an import; `disk`: anyone else, in the file. */
export type ChangedBy = 'agent' | 'person' | 'import' | 'disk';

export interface BoardChange {
  readonly path: string;
  readonly session: string;
  readonly agent: string;
  /** undefined: the note is gone */
  readonly board: Board | undefined;
  /** undefined: the note is new; of a note that was broken, as it could be read last */
  readonly before: Board | undefined;
  readonly by: ChangedBy;
  /** keys in `board` of the tasks that are new or differ in a field */
  readonly changedKeys: readonly string[];
}

/** What was found in the file; the rest of a `BoardChange` follows. */
export interface BoardMove {
  readonly path: string;
  readonly before: Board | undefined;
  readonly after: Board | undefined;
  readonly by: ChangedBy;
}

export type BoardListener = (move: BoardMove) => void;

export function boardChange({ path, before, after, by }: BoardMove): BoardChange {
  const named = after ?? before;
  return {
    path,
    session: named?.session ?? '',
    agent: named?.agent ?? '',
    board: after,
    before,
    by,
    changedKeys: keys(before, after),
  };
}

function keys(before: Board | undefined, after: Board | undefined): readonly string[] {
  // Of a note that nobody could read before, nothing is known to have changed.
  if (after === undefined || (before !== undefined && before.broken !== null)) return [];
  return before === undefined ? after.tasks.map(({ key }) => key) : changedKeys(before, after);
}

/** Tells listeners of changes, in order; one that throws hurts no other. */
export class BoardEvents {
  private readonly listeners = new Set<(change: BoardChange) => void>();

  constructor(private readonly log: Log | undefined) {}

  on(listener: (change: BoardChange) => void): Undo {
    // A function of its own, so that the same one may listen twice and stop once.
    const own = (change: BoardChange): void => listener(change);
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  emit(move: BoardMove): void {
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
