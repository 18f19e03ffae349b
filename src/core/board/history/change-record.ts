import { sequenceDiff } from '../merge/sequence-diff';
import { jsonAs } from '../../json';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { blockText, type BlockText } from '../archive/archive-tasks';
import { actorSchema } from './actor';
import { boardChanges } from '../digest';
import { headerSplices, newNoteText } from '../note/edit-header';
import { giveId } from '../note/give-id';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices } from '../note/edit-result';
import type { Task } from '../task';
import { LineScanner } from '../note/lines';

/** Old place of removed lines: id of their task's parent, and the heading above. */
const place = lazy(() =>
  z.object({ parent: z.nullable(z.string()), phase: z.nullable(z.string()) }),
);

/**
 * Lines that a change replaced, each with its line end. `above` (nearest first) and `below` contain
 * the keys (`Row.key`) of the lines around, to find the place again in another state of the note.
 */
const hunk = lazy(() =>
  z.object({
    was: z.array(z.string()),
    is: z.array(z.string()),
    above: z.array(z.string()),
    below: z.array(z.string()),
    /** id of the task that the first of these lines belongs to */
    task: z.nullable(z.string()),
    /** place of a task line that is on one side only */
    from: z.optional(place()),
    to: z.optional(place()),
  }),
);

export type TextHunk = z.infer<ReturnType<typeof hunk>>;

/** One change of a board in its history: who, when, what, and how to undo it. */
const changeRecord = lazy(() =>
  z.object({
    /** id of the change, with its board: `<session folder>/<file>#<unique>` */
    change: z.string(),
    /** ms since the epoch */
    at: z.number(),
    by: actorSchema(),
    said: z.array(z.string()),
    /** the board's `rev` after it */
    rev: z.number(),
    /** the change that this one undoes, or the undo that it undoes */
    undoes: z.optional(z.string()),
    redoes: z.optional(z.string()),
    /** the change of another board by the same action, and each moved task: id here, id there */
    with: z.optional(
      z.object({ change: z.string(), ids: z.array(z.tuple([z.string(), z.string()])) }),
    ),
    /** keys of the tasks that it concerns: an undo may change no others */
    tasks: z.array(z.string()),
    /** ids that it removed from the board; if one is there again, it can't be undone */
    gone: z.optional(z.array(z.string())),
    /** undefined: too much to store, so it can't be undone */
    hunks: z.optional(z.array(hunk())),
    /** blocks that it moved to the archive, and out of it, with their text there */
    archived: z.optional(z.array(blockText())),
    restored: z.optional(z.array(blockText())),
  }),
);

export type ChangeRecord = z.infer<ReturnType<typeof changeRecord>>;

/** Limits of a history: changes; length of all of it and of one change in UTF-16 code units. */
const MAX_RECORDS = 200;

export const MAX_HISTORY = 340_000;

const LONGEST_RECORD = 200_000;

/** The records of a history, oldest first. Invalid lines (incomplete, foreign) are skipped. */
export function readRecords(text: string | undefined): readonly ChangeRecord[] {
  const lines = (text ?? '').split('\n').slice(-2 * MAX_RECORDS);
  return lines.flatMap((line) => readRecord(line) ?? []).slice(-MAX_RECORDS);
}

/**
 * Numbers of the invalid lines, from 1. A last line without a line end may still be being written,
 * so it is skipped.
 */
export function damagedLines(text: string): readonly number[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line, at) =>
    line === '' || readRecord(line) !== undefined ? [] : [at + 1],
  );
}

function readRecord(line: string): ChangeRecord | undefined {
  return line.startsWith('{') ? jsonAs(changeRecord(), line) : undefined;
}

/**
 * Adds a line to a history and trims it: the last 200 lines, in at most 340,000 characters, which
 * is less than 1 MiB at three bytes each.
 */
export function appendHistoryLine(text = '', line: string): string {
  // It may be longer than that, since lines are usually appended to the file.
  const whole = text === '' || text.endsWith('\n');
  const few = whole && text.length + line.length <= MAX_HISTORY;
  if (few && text.split('\n').length <= 2 * MAX_RECORDS) return text + line;
  const lines = `${text}\n${line}`.split('\n').filter((one) => one.startsWith('{'));
  // An incomplete line counts too, so a history that has one keeps more lines.
  const last = lines.slice(whole ? -MAX_RECORDS : -2 * MAX_RECORDS);
  let length = last.reduce((sum, one) => sum + one.length + 1, 0);
  while (length > MAX_HISTORY) length -= (last.shift()?.length ?? 0) + 1;
  return last.map((one) => `${one}\n`).join('');
}

/** The line of a record, with its line end. Too long a record is stored without undo data. */
export function recordLine(record: ChangeRecord): string {
  const line = JSON.stringify(record);
  if (line.length <= LONGEST_RECORD) return `${line}\n`;
  const { hunks: _, archived: __, restored: ___, ...rest } = record;
  return `${JSON.stringify({ ...rest, tasks: rest.tasks.slice(0, 1_000) })}\n`;
}

/** The differences made by a change, as stored in its record. */
export type Delta = Pick<ChangeRecord, 'tasks' | 'gone' | 'hunks'>;

/**
 * @param before undefined: the change created the note; undoing it leaves an empty board
 * @param archived blocks that the change moved to the archive
 */
export function deltaOf(
  before: Note | undefined,
  after: Note,
  archived: readonly BlockText[] = [],
): Delta {
  const kept = [...after.board.tasks, ...archived.flatMap((block) => tasksOf(block, after))];
  const from = withGivenIds(before ?? emptyNote(after), kept);
  const { hunks, tasks } = noteHunks(from, after);
  const changed = boardChanges(from.board, after.board).map(({ id, title }) => id ?? title);
  const stay = new Set(after.board.tasks.map(({ id }) => id));
  const gone = from.board.tasks.flatMap(({ id }) => (id === null || stay.has(id) ? [] : id));
  return {
    hunks,
    tasks: [...new Set([...changed, ...tasks])],
    ...(gone.length > 0 && { gone }),
  };
}

/** The tasks of a block, with their ids. */
function tasksOf({ text }: BlockText, note: Note): readonly Task[] {
  return parseNote(note.board.path, `${emptyNote(note).text}\n${text}\n`).board.tasks;
}

function emptyNote({ board }: Note): Note {
  const { session, agent, title, prefix, path } = board;
  return parseNote(path, newNoteText({ session, agent, title, prefix }));
}

/**
 * The note with the ids that the change gave to lines without one: after an undo the line keeps its
 * id, since other lines may refer to it already.
 * @param kept the tasks after the change
 */
function withGivenIds(before: Note, kept: readonly Task[]): Note {
  if (before.board.tasks.every(({ id }) => id !== null)) return before;
  const had = new Set(before.board.tasks.map(({ id }) => id));
  const left = new Set(kept.flatMap(({ id, title }) => (id === null ? title : [])));
  const given = kept
    .filter(({ id, title }) => id !== null && !had.has(id) && !left.has(title))
    .sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
  return given.reduce((now, task) => withId(now, task), before);
}

/** Draws the id again: in their order, each is the next one. */
function withId(note: Note, { id, n, title }: Task): Note {
  const { board, layout, text } = note;
  const bare = board.tasks.find((one) => one.id === null && one.title === title);
  if (bare === undefined || layout === null || n === null) return note;
  const counted = applySplices(text, headerSplices(layout, 'next', String(n)));
  const result = giveId(parseNote(board.path, counted), bare.key);
  return result.ok && result.id === id ? parseNote(board.path, result.text) : note;
}

/** Number of lines around a hunk whose keys are stored, on each side. */
const CONTEXT_LINES = 5;

/**
 * Compares two states of a note line by line, without the counters of the header. Also returns the
 * tasks whose lines are in the hunks: by id, or by title if they have none.
 */
export function noteHunks(before: Note, after: Note) {
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const hunks: TextHunk[] = [];
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
      above: keysOf(was.slice(Math.max(0, from - CONTEXT_LINES), from)).reverse(),
      below: keysOf(was.slice(end, end + CONTEXT_LINES)),
      task: taskOfRows(after, is, start, stop) ?? taskOfRows(before, was, from, end) ?? null,
      ...(come.length === 0 && placeOfRow(before, gone[0], 'from')),
      ...(gone.length === 0 && placeOfRow(after, come[0], 'to')),
    });
  };
  for (const hunk of sequenceDiff(keysOf(was), keysOf(is))) {
    same(hunk.before);
    at = hunk.before + hunk.beforeLength;
    to = hunk.after + hunk.afterLength;
    add(hunk.before, at, hunk.after, to);
  }
  same(was.length);
  return { hunks, tasks };
}

function rowsOf(note: Note): readonly Row[] {
  return noteRows(note).filter(({ key }) => key !== COUNTER);
}

function keysOf(rows: readonly Row[]): string[] {
  return rows.map(({ key }) => key);
}

/** The task of the first task line among some rows, else of the nearest one above them. */
function taskOfRows(
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

function placeOfRow({ board }: Note, row: Row | undefined, side: 'from' | 'to'): Partial<TextHunk> {
  const task: Task | undefined = row?.task === undefined ? undefined : board.tasks[row.task];
  if (task === undefined) return {};
  const parent = board.tasks.find(({ key }) => key === task.parent)?.id ?? null;
  return { [side]: { parent, phase: task.phase } };
}

/** A line with its line end. Rows with the same key are the same line in two states of a note. */
interface Row {
  /** id of the task on this line; else the text itself */
  readonly key: string;
  readonly text: string;
  /** index in `board.tasks` of the task on this line */
  readonly task: number | undefined;
}

/** Key of the header's counters, which hunks leave out; no other line has it. */
const COUNTER = '\0';

export function noteRows(note: Note): readonly Row[] {
  const { board, text, layout } = note;
  const tasks = new Map(board.tasks.map((task, index) => [task.line, index]));
  const rows: Row[] = [];
  const lines = new LineScanner(text, 0, 0);
  while (lines.advance()) {
    const written = text.slice(lines.start, lines.next);
    const index = tasks.get(lines.number);
    const task = index === undefined ? undefined : board.tasks[index];
    const counter = lines.number <= (layout?.header.lines ?? 0) && isCounter(written);
    const own = task !== undefined && task.id === task.key ? task.id : written;
    rows.push({ key: counter ? COUNTER : own, text: written, task: index });
  }
  return rows;
}

function isCounter(line: string): boolean {
  return /^["']?(?:rev|next|archived)["']?[ \t]*:/.test(line);
}
