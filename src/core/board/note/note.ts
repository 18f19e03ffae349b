import type { Board, Task } from '../task';
import type { Header } from './header';
import type { Scan } from './blocks';

/**
 * A parsed note: its board and its text. Immutable; an edit returns a new note. `layout` is
 * internal to the modules of this folder.
 */
export interface Note {
  /** lets an edit return a note or a fault; true for broken notes too */
  readonly ok: true;
  readonly board: Board;
  readonly text: string;
  /** null if the note is broken */
  readonly layout: Layout | null;
}

export interface Layout {
  readonly header: Header;
  /** its `blocks` have the order of `board.tasks` */
  readonly scan: Scan;
  /** the next id's number: from the header, or one more than the highest in a task line */
  readonly next: number;
  /** line end for new lines where no neighbouring line has one */
  readonly eol: string;
}

/**
 * Whether two sequences of tasks are equal, wherever they are in the note: the same lines and
 * bodies in the same order, and the same subtasks. A parent outside of its sequence counts as
 * none.
 */
export function sameTasks(
  before: readonly Task[],
  after: readonly Task[],
  phases: boolean,
): boolean {
  if (before.length !== after.length) return false;
  const [was, is] = [indexByKey(before), indexByKey(after)];
  return before.every((one, at) => {
    const other = after[at];
    return (
      other !== undefined &&
      (!phases || one.phase === other.phase) &&
      parentPlace(one, was) === parentPlace(other, is) &&
      comparisonText(one) === comparisonText(other)
    );
  });
}

function indexByKey(tasks: readonly Task[]): ReadonlyMap<string, number> {
  return new Map(tasks.map(({ key }, at) => [key, at]));
}

function parentPlace({ parent }: Task, places: ReadonlyMap<string, number>): number {
  return parent === null ? -1 : (places.get(parent) ?? -1);
}

/** The task as a string to compare. Blank lines of a body are ignored, except in a fence. */
function comparisonText(task: Task): string {
  const rest = { key: '', line: 0, depth: 0, parent: null, phase: null };
  return JSON.stringify({ ...task, ...rest, malformed: task.malformed !== null });
}
