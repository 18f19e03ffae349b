import type { Board, Task } from '../task';
import type { Header } from './header';
import type { Scan } from './blocks';

/**
 * A note as it was parsed: the board that it says, and the text that it says it in. Immutable; an edit
 * answers a new one. `layout` belongs to the modules of this folder.
 */
export interface Note {
  /** so that what an edit answers is a note or a fault; a broken note can be read too */
  readonly ok: true;
  readonly board: Board;
  readonly text: string;
  /** null where the note is broken */
  readonly layout: Layout | null;
}

export interface Layout {
  readonly header: Header;
  /** its `blocks` stand in the order of `board.tasks` */
  readonly scan: Scan;
  /** the number that the next id takes: what the header says, or one more than the highest in a task line */
  readonly next: number;
  /** what ends a new line where no neighbour shows it */
  readonly eol: string;
}

/**
 * Whether two sequences of tasks are equal, wherever they are: the same lines and bodies in the same order,
 * and the same sub-tasks. A parent outside of its sequence counts as none.
 * @param phases whether they must also be under the same headings
 */
export function sameTasks(
  before: readonly Task[],
  after: readonly Task[],
  phases: boolean,
): boolean {
  if (before.length !== after.length) return false;
  const [was, is] = [placesOf(before), placesOf(after)];
  return before.every((one, at) => {
    const other = after[at];
    return (
      other !== undefined &&
      (!phases || one.phase === other.phase) &&
      parentPlace(one, was) === parentPlace(other, is) &&
      said(one) === said(other)
    );
  });
}

function placesOf(tasks: readonly Task[]): ReadonlyMap<string, number> {
  return new Map(tasks.map(({ key }, at) => [key, at]));
}

function parentPlace({ parent }: Task, places: ReadonlyMap<string, number>): number {
  return parent === null ? -1 : (places.get(parent) ?? -1);
}

/** Blank lines of a body are no part of what it says, but for those of a fence, which stay with it. */
function said(task: Task): string {
  const rest = { key: '', line: 0, depth: 0, parent: null, phase: null };
  return JSON.stringify({ ...task, ...rest, malformed: task.malformed !== null });
}
