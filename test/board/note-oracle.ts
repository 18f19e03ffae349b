import { expect } from 'vitest';
import type { Note } from '../../src/core/board/note/note';
import type { Task } from '../../src/core/board/task';
import { rawLines } from './note-maker';

/** What one edit made of a note, and what it had named. */
export interface Done {
  readonly text: string;
  /** the tasks' fields that the edit named, by index */
  readonly named: Partial<Record<keyof Task, unknown>>;
  readonly index: number;
  readonly added?: boolean;
  readonly removed?: boolean;
  /** lines that the edit may put beside the named ones */
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

/** Old and new lines are the same, in the same order, but for the named ones and new ones. */
export function expectOnlyNamedLines(before: string, done: Done): void {
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

/** The last line of a note without a final newline gets one where something is added behind it. */
function endsLike(line: string, other: string | undefined): string | undefined {
  // A lone CR takes in the LF of a line that is removed behind it.
  if (line.endsWith('\r')) return `${line}\n`;
  return /[\r\n]$/.test(line) || other === undefined
    ? line
    : line + (/[\r\n]+$/.exec(other)?.[0] ?? '');
}

export function expectOnlyNamedChange(before: Note, after: Note, done: Done): void {
  expect(after.board.broken).toBeNull();
  const old = facts(before, done.removed ? done.index : Infinity);
  const now = facts(after, done.added ? done.index : Infinity);
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

/** What the tasks say, without what follows from the place of a line; `left` is the index of one that is only here. */
function facts({ board }: Note, left: number): Task[] {
  const places = new Map(board.tasks.map((task, i) => [task.key, i > left ? i - 1 : i]));
  return board.tasks.map((task) => ({
    ...task,
    key: '',
    line: 0,
    parent: task.parent === null ? null : `task ${places.get(task.parent)}`,
    malformed: task.malformed === null ? null : 'malformed',
  }));
}
