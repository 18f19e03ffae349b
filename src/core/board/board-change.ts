import { changedKeys } from './digest';
import type { Board } from './task';

/** Whose doing a change was: an agent, a person through a view, an import; `disk`: anyone else, in the file. */
export type ChangedBy = 'agent' | 'person' | 'import' | 'disk';

export interface BoardChange {
  readonly path: string;
  readonly session: string;
  readonly agent: string;
  /** undefined: the note is gone */
  readonly board: Board | undefined;
  /** undefined: the note is new */
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
  if (after === undefined) return [];
  return before === undefined ? after.tasks.map(({ key }) => key) : changedKeys(before, after);
}
