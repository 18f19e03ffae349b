import { diffIndices } from 'node-diff3';
import type { Note } from '../note/note';
import type { Task } from '../task';
import type { Hunk } from './change-record';
import { isCounterRow, noteRows, type Row } from './note-rows';

/** Keys of lines around a hunk that it keeps, on each side. */
const AROUND = 5;

export interface NoteHunks {
  readonly hunks: readonly Hunk[];
  /** of the tasks whose lines are in the hunks: the id, or the title of one without */
  readonly tasks: ReadonlySet<string>;
}

/** What differs between two states of a note, line by line, counters of the header left out. */
export function noteHunks(before: Note, after: Note): NoteHunks {
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const hunks: Hunk[] = [];
  const tasks = new Set<string>();
  const collect = ({ board }: Note, rows: readonly Row[]): void => {
    for (const row of rows) {
      const task = row.task === undefined ? undefined : board.tasks[row.task];
      if (task !== undefined) tasks.add(task.id ?? task.title);
    }
  };
  let [at, to] = [0, 0];
  const same = (end: number): void => {
    for (; at < end; at += 1, to += 1) {
      if (was[at]?.text !== is[to]?.text) add(at, at + 1, to, to + 1);
    }
  };
  const add = (from: number, end: number, start: number, stop: number): void => {
    const [gone, come] = [was.slice(from, end), is.slice(start, stop)];
    collect(before, gone);
    collect(after, come);
    hunks.push({
      was: gone.map(({ text }) => text),
      is: come.map(({ text }) => text),
      above: keysOf(was.slice(Math.max(0, from - AROUND), from)).reverse(),
      below: keysOf(was.slice(end, end + AROUND)),
      task: ownerOf(after, is, start, stop) ?? ownerOf(before, was, from, end) ?? null,
      ...(come.length === 0 && placeIn(before, gone[0], 'from')),
      ...(gone.length === 0 && placeIn(after, come[0], 'to')),
    });
  };
  for (const [from, size, start, length] of changedRuns(was, is)) {
    same(from);
    add(from, from + size, start, start + length);
    at = from + size;
    to = start + length;
  }
  same(was.length);
  return { hunks, tasks };
}

function rowsOf(note: Note): readonly Row[] {
  return noteRows(note).filter((row) => !isCounterRow(row));
}

/** Runs of rows whose keys differ: where and how many, on either side. */
function changedRuns(
  was: readonly Row[],
  is: readonly Row[],
): readonly (readonly [number, number, number, number])[] {
  // Most changes are small: what is the same at both ends need not be compared as a whole.
  let head = 0;
  while (head < was.length && head < is.length && was[head]?.key === is[head]?.key) head += 1;
  let tail = 0;
  const most = Math.min(was.length, is.length) - head;
  while (tail < most && was[was.length - 1 - tail]?.key === is[is.length - 1 - tail]?.key) {
    tail += 1;
  }
  const middle = (rows: readonly Row[]): string[] => keysOf(rows.slice(head, rows.length - tail));
  return diffIndices(middle(was), middle(is)).map(({ buffer1, buffer2 }) => [
    Number(buffer1[0]) + head,
    Number(buffer1[1]),
    Number(buffer2[0]) + head,
    Number(buffer2[1]),
  ]);
}

function keysOf(rows: readonly Row[]): string[] {
  return rows.map(({ key }) => key);
}

/** The task of the first task line of some rows, else the one above them. */
function ownerOf(
  { board }: Note,
  rows: readonly Row[],
  start: number,
  stop: number,
): string | undefined {
  if (start === stop) return undefined;
  const inside = rows.slice(start, stop).find(({ task }) => task !== undefined);
  const row = inside ?? rows.slice(0, start).findLast(({ task }) => task !== undefined);
  return row?.task === undefined ? undefined : (board.tasks[row.task]?.id ?? undefined);
}

function placeIn({ board }: Note, row: Row | undefined, side: 'from' | 'to'): Partial<Hunk> {
  const task: Task | undefined = row?.task === undefined ? undefined : board.tasks[row.task];
  if (task === undefined) return {};
  const parent = board.tasks.find(({ key }) => key === task.parent)?.id ?? null;
  return { [side]: { parent, phase: task.phase } };
}
