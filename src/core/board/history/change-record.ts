import { sequenceDiff } from '../merge/sequence-diff';
import { jsonAs } from '../../json';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { blockText, type BlockText } from '../archive/archive-tasks';
import { actorSchema } from './actor';
import { boardChanges } from '../digest';
import { headerSplices, newNote } from '../note/edit-header';
import { giveId } from '../note/give-id';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices } from '../note/edit-result';
import type { Task } from '../task';
import { Lines } from '../note/lines';

/** Where lines that went stood: id of their task's parent, and the heading above. */
const place = lazy(() =>
  z.object({ parent: z.nullable(z.string()), phase: z.nullable(z.string()) }),
);

/**
 * Lines that a change replaced, each with what ends it. Of the lines around, `above` (nearest first)
 * and `below` hold the keys (`note-rows.ts`), to find the place again in another state of the note.
 */
const hunk = lazy(() =>
  z.object({
    was: z.array(z.string()),
    is: z.array(z.string()),
    above: z.array(z.string()),
    below: z.array(z.string()),
    /** id of the task that the first of these lines belongs to */
    task: z.nullable(z.string()),
    /** of a task line that is there on one side only */
    from: z.optional(place()),
    to: z.optional(place()),
  }),
);

export type TextHunk = z.infer<ReturnType<typeof hunk>>;

/** One change of a board as its history keeps it: who, when, what, and how to take it back. */
const changeRecord = lazy(() =>
  z.object({
    /** names the change and its board: `<session folder>/<file>#<unique>` */
    change: z.string(),
    /** ms since the epoch */
    at: z.number(),
    by: actorSchema(),
    said: z.array(z.string()),
    /** of the board afterwards */
    rev: z.number(),
    /** the change that this one takes back; or the taking back that it takes back */
    undoes: z.optional(z.string()),
    redoes: z.optional(z.string()),
    /** the change of another board by the same act, and each task that moved: id here, id there */
    with: z.optional(
      z.object({ change: z.string(), ids: z.array(z.tuple([z.string(), z.string()])) }),
    ),
    /** keys of the tasks that it is about: nothing may change but these when it is taken back */
    tasks: z.array(z.string()),
    /** ids that it took off the board; where one stands there again, it can't be taken back */
    gone: z.optional(z.array(z.string())),
    /** undefined: too much to keep, so it can't be taken back */
    hunks: z.optional(z.array(hunk())),
    /** what it moved to the archive, and out of it, as it stands there */
    archived: z.optional(z.array(blockText())),
    restored: z.optional(z.array(blockText())),
  }),
);

export type ChangeRecord = z.infer<ReturnType<typeof changeRecord>>;

/** Changes that a history keeps, and how long all of it and one of them may be, in characters. */
const MOST_RECORDS = 200;

export const MOST_HISTORY = 340_000;

const LONGEST_RECORD = 200_000;

/** The records of a history, oldest first. A line that is none (torn, foreign) is passed over. */
export function readRecords(text: string | undefined): readonly ChangeRecord[] {
  const lines = (text ?? '').split('\n').slice(-2 * MOST_RECORDS);
  return lines.flatMap((line) => readRecord(line) ?? []).slice(-MOST_RECORDS);
}

/** Numbers of the lines, from 1, that are no records. A last line without its end may still be written. */
export function damagedLines(text: string): readonly number[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line, at) =>
    line === '' || readRecord(line) !== undefined ? [] : [at + 1],
  );
}

function readRecord(line: string): ChangeRecord | undefined {
  return line.startsWith('{') ? jsonAs(changeRecord(), line) : undefined;
}

/** The history with one more line: the last 200, in at most 340,000 characters, which is less than 1 MiB at three bytes each. */
export function withLine(text = '', line: string): string {
  // More may stand: what only grows is added to its file, not written anew.
  const whole = text === '' || text.endsWith('\n');
  const few = whole && text.length + line.length <= MOST_HISTORY;
  if (few && text.split('\n').length <= 2 * MOST_RECORDS) return text + line;
  const lines = `${text}\n${line}`.split('\n').filter((one) => one.startsWith('{'));
  // A torn line counts too, so of a history with one more are kept.
  const last = lines.slice(whole ? -MOST_RECORDS : -2 * MOST_RECORDS);
  let length = last.reduce((sum, one) => sum + one.length + 1, 0);
  while (length > MOST_HISTORY) length -= (last.shift()?.length ?? 0) + 1;
  return last.map((one) => `${one}\n`).join('');
}

/** The line of a record, with its end; what is too long can't be taken back. */
export function lineOf(record: ChangeRecord): string {
  const line = JSON.stringify(record);
  if (line.length <= LONGEST_RECORD) return `${line}\n`;
  const { hunks: _, archived: __, restored: ___, ...rest } = record;
  return `${JSON.stringify({ ...rest, tasks: rest.tasks.slice(0, 1_000) })}\n`;
}

/** What a change did, as its record says it. */
export type Delta = Pick<ChangeRecord, 'tasks' | 'gone' | 'hunks'>;

/**
 * @param before undefined: the change made the note; taken back, an empty board stays
 * @param archived what it moved to the archive
 */
export function deltaOf(
  before: Note | undefined,
  after: Note,
  archived: readonly BlockText[] = [],
): Delta {
  const kept = [...after.board.tasks, ...archived.flatMap((block) => tasksOf(block, after))];
  const from = named(before ?? empty(after), kept);
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

/** The tasks of a block, each with its id. */
function tasksOf({ text }: BlockText, note: Note): readonly Task[] {
  return parseNote(note.board.path, `${empty(note).text}\n${text}\n`).board.tasks;
}

function empty({ board }: Note): Note {
  const { session, agent, title, prefix, path } = board;
  return parseNote(path, newNote({ session, agent, title, prefix }));
}

/**
 * The note with the ids that the change gave to lines without one: taken back, the line keeps its
 * id, for others may have named it meanwhile.
 * @param kept the tasks after the change
 */
function named(before: Note, kept: readonly Task[]): Note {
  if (before.board.tasks.every(({ id }) => id !== null)) return before;
  const had = new Set(before.board.tasks.map(({ id }) => id));
  const left = new Set(kept.flatMap(({ id, title }) => (id === null ? title : [])));
  const given = kept
    .filter(({ id, title }) => id !== null && !had.has(id) && !left.has(title))
    .sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
  return given.reduce((now, task) => withId(now, task), before);
}

/** The id is drawn again: in their order, each is the next. */
function withId(note: Note, { id, n, title }: Task): Note {
  const { board, layout, text } = note;
  const bare = board.tasks.find((one) => one.id === null && one.title === title);
  if (bare === undefined || layout === null || n === null) return note;
  const counted = applySplices(text, headerSplices(layout, 'next', String(n)));
  const result = giveId(parseNote(board.path, counted), bare.key);
  return result.ok && result.id === id ? parseNote(board.path, result.text) : note;
}

/** Keys of lines around a hunk that it keeps, on each side. */
const AROUND = 5;

/**
 * What differs between two states of a note, line by line, counters of the header left out, and the
 * tasks whose lines are in the hunks: by id, or by title where one has none.
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
      above: keysOf(was.slice(Math.max(0, from - AROUND), from)).reverse(),
      below: keysOf(was.slice(end, end + AROUND)),
      task: ownerOf(after, is, start, stop) ?? ownerOf(before, was, from, end) ?? null,
      ...(come.length === 0 && placeIn(before, gone[0], 'from')),
      ...(gone.length === 0 && placeIn(after, come[0], 'to')),
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

function placeIn({ board }: Note, row: Row | undefined, side: 'from' | 'to'): Partial<TextHunk> {
  const task: Task | undefined = row?.task === undefined ? undefined : board.tasks[row.task];
  if (task === undefined) return {};
  const parent = board.tasks.find(({ key }) => key === task.parent)?.id ?? null;
  return { [side]: { parent, phase: task.phase } };
}

/** A line with what ends it. Lines with one key are the same line in two states of a note. */
interface Row {
  /** id of the task whose line it is; else the text itself */
  readonly key: string;
  readonly text: string;
  /** index in `board.tasks` of the task whose line it is */
  readonly task: number | undefined;
}

/** No line's key: counters of the header go their own way. */
const COUNTER = '\0';

export function noteRows(note: Note): readonly Row[] {
  const { board, text, layout } = note;
  const tasks = new Map(board.tasks.map((task, index) => [task.line, index]));
  const rows: Row[] = [];
  const lines = new Lines(text, 0, 0);
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
