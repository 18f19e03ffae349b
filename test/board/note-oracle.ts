import { expect } from 'vitest';
import type { Note } from '../../src/core/board/note/note';
import type { Task } from '../../src/core/board/task';
import { rawLines } from './note-maker';

/** The result of one edit of a note, and what the edit named. */
export interface EditOutcome {
  readonly text: string;
  /** fields of the tasks that the edit named, by index */
  readonly named: Partial<Record<keyof Task, unknown>>;
  readonly index: number;
  readonly added?: boolean;
  readonly removed?: boolean;
  /** number of lines that the edit may add next to the named ones */
  readonly grows?: number;
  /** 0-based lines of the old text that may differ in the new */
  readonly lines: ReadonlySet<number>;
}

/** The line of a key of the header and those of its value, 0-based. */
export function keyLines(note: Note, key: string): readonly number[] {
  const lines = rawLines(note.text);
  const first = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (first < 0) return [];
  const behind = lines.findIndex((line, i) => i > first && !/^\s/.test(line));
  return Array.from({ length: behind - first }, (_, i) => first + i);
}

/** Asserts that old and new lines are the same, in the same order, except named and added ones. */
export function expectOnlyNamedLines(before: string, done: EditOutcome): void {
  const kept = rawLines(before).filter((_, i) => !done.lines.has(i));
  const now = rawLines(done.text);
  let at = 0;
  for (const line of kept) {
    while (at < now.length && now[at] !== line && now[at] !== endsLike(line, now[at])) at += 1;
    if (at === now.length) throw new Error(`lost ${JSON.stringify(line)}`);
    at += 1;
  }
  const grown = now.length - kept.length;
  expect(grown).toBeLessThanOrEqual(done.lines.size + (done.added ? 4 : 0) + (done.grows ?? 0) + 1);
}

/** The last line of a note without a final newline gets one if lines are added after it. */
function endsLike(line: string, other: string | undefined): string | undefined {
  // When the line after a lone CR is removed, its LF joins the CR.
  if (line.endsWith('\r')) return `${line}\n`;
  return /[\r\n]$/.test(line) || other === undefined
    ? line
    : line + (/[\r\n]+$/.exec(other)?.[0] ?? '');
}

export function expectOnlyNamedChange(before: Note, after: Note, done: EditOutcome): void {
  expect(after.board.broken).toBeNull();
  const old = comparableTasks(before, done.removed ? done.index : Infinity);
  const now = comparableTasks(after, done.added ? done.index : Infinity);
  if (done.added) {
    expect(now[done.index]).toMatchObject({ ...done.named, malformed: null });
    now.splice(done.index, 1);
  } else if (done.removed) old.splice(done.index, 1);
  else if (done.index >= 0)
    old[done.index] = { ...(old[done.index] as Task), ...(done.named as Partial<Task>) };
  expect(now).toEqual(old);
  const followed = { rev: 0, title: '', tasks: [], emptyPhases: undefined, problems: [] };
  expect({ ...after.board, ...followed }).toEqual({ ...before.board, ...followed });
}

/** The tasks without fields derived from line positions; `left`: index of one only in this note. */
function comparableTasks({ board }: Note, left: number): Task[] {
  const places = new Map(board.tasks.map((task, i) => [task.key, i > left ? i - 1 : i]));
  return board.tasks.map((task) => ({
    ...task,
    key: '',
    line: 0,
    parent: task.parent === null ? null : `task ${places.get(task.parent)}`,
    malformed: task.malformed === null ? null : 'malformed',
  }));
}
