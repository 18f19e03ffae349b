import type { Board, Task, TaskTarget } from './task';
import { isFinished } from './facts';
import type { TaskRef } from './op';
import type { Fault } from '../fault';
import { refuseChange } from './change-faults';
import type { Note } from './note/note';

/**
 * Finds the task that a view saw, or that a caller means by `2`, `"#2"`, `"k3f9-2"` or a title. A
 * title that matches only the board as the agent last saw it (`seen`) finds the task that a person
 * has renamed since.
 */
export function findTask(
  board: Board,
  reference: TaskRef,
  seen?: Board,
): { readonly ok: true; readonly task: Task } | Fault {
  if (typeof reference === 'object') return findTarget(board, reference);
  const text = String(reference).trim();
  const task = byId(board, text);
  if (task !== undefined) return { ok: true, task };
  const titled = byTitle(board, text);
  if (titled.length === 1 && titled[0] !== undefined) return { ok: true, task: titled[0] };
  if (titled.length > 1) return ambiguousFault(text, titled);
  const [known, ...more] = seen === undefined ? [] : byTitle(seen, text);
  if (known?.id !== undefined && known.id !== null && more.length === 0) {
    const renamed = byId(board, known.id);
    if (renamed !== undefined) return { ok: true, task: renamed };
  }
  return unknownTaskFault(board, text, seen);
}

/**
 * Finds the task that a view means: by id, among several with the same id the one with the title
 * that the view saw; a task without an id by line and title, else by title if it is unique.
 */
function findTarget(
  board: Board,
  { id, line, title }: TaskTarget,
): { readonly ok: true; readonly task: Task } | Fault {
  const same = board.tasks.filter(
    (task) => task.id === id && (id !== null || task.title === title),
  );
  const titled = same.filter((task) => task.title === title);
  const task =
    titled.find((one) => one.line === line) ??
    (id !== null || titled.length === 1 ? (titled[0] ?? same[0]) : undefined);
  if (task !== undefined) return { ok: true, task };
  return refuseChange('unknown_task', 'taskGone', { title });
}

function byId(board: Board, text: string): Task | undefined {
  const id = idOf(board, text);
  return board.tasks.find((task) => task.id === id);
}

/** `2` and `#2` mean numbers of this board. */
function idOf({ prefix }: Board, text: string): string {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  return number === undefined ? text : `${prefix}-${Number(number)}`;
}

/** Exact matches, else matches that ignore case and white space. */
function byTitle(board: Board, text: string): readonly Task[] {
  const exact = board.tasks.filter(({ title }) => title === text);
  if (exact.length > 0) return exact;
  const wanted = normalizeTitle(text);
  return wanted === '' ? [] : board.tasks.filter(({ title }) => normalizeTitle(title) === wanted);
}

/** Normalizes a title, so that case and white space make no difference. */
export function normalizeTitle(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function ambiguousFault(text: string, tasks: readonly Task[]): Fault {
  const ids = tasks.slice(0, 5).map((task) => nameOf(task));
  const more = tasks.length > 5 ? ` and ${tasks.length - 5} more` : '';
  return {
    ok: false,
    code: 'ambiguous',
    message: `${tasks.length} tasks are called ${quoted(text)}: ${ids.join(', ')}${more}. Send an id.`,
  };
}

function unknownTaskFault(board: Board, text: string, seen: Board | undefined): Fault {
  const id = idOf(board, text);
  if (board.archived?.has(id) === true) {
    const message = `${quoted(text)} is finished and in the archive: nothing has to wait for it. {"type": "restore", "id": "${id}"} brings it back.`;
    return { ok: false, code: 'archived', message };
  }
  const gone = seen && (byId(seen, text) ?? byTitle(seen, text)[0]);
  const removed = gone === undefined ? '' : ` It was there when you last looked; it was removed.`;
  const message = `No task ${quoted(text)}.${removed} ${suggestion(board, text)}`;
  return { ok: false, code: 'unknown_task', message };
}

function suggestion(board: Board, text: string): string {
  if (board.tasks.length === 0) return 'This board has no tasks yet: add one.';
  const near = nearest(text.replace(/^#?\d+$/, ''), board.tasks, 3);
  if (near.length > 0) return `Did you mean ${near.map(nameWithTitle).join(', ')}?`;
  const open = board.tasks.filter((task) => !isFinished(task));
  const tasks = [...open, ...board.tasks.filter(isFinished)];
  const more = tasks.length > 3 ? ` and ${tasks.length - 3} more` : '';
  return `Tasks here: ${tasks.slice(0, 3).map(nameWithTitle).join(', ')}${more}.`;
}

/** `#2`, or the quoted title of a task without an id. */
export function nameOf(task: Pick<Task, 'id' | 'n' | 'title'>): string {
  if (task.n !== null) return `#${task.n}`;
  return task.id ?? quoted(task.title);
}

/** `#2 Build the index`, short enough for a line. */
export function nameWithTitle(task: Pick<Task, 'id' | 'n' | 'title'>): string {
  if (task.id === null) return quoted(task.title);
  return `${nameOf(task)} ${shortened(task.title, 100)}`;
}

export function quoted(text: string): string {
  return `"${shortened(text.replace(/[\p{Cc}\p{Surrogate}\u2028\u2029]/gu, ' '), 100)}"`;
}

/** Shortens by code points, so that no character is cut in half. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // A code point has at most two units, so the rest of the text, maybe megabytes, can be skipped.
  const letters = [...text.slice(0, 2 * most + 2)];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

/** Finds all tasks of a list of references, without duplicates; or returns the first fault. */
export function findTasks(
  note: Note,
  references: readonly TaskRef[],
  { seen }: { readonly seen: Board | undefined },
  field = 'dependsOn',
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const tasks: Task[] = [];
  for (const reference of references) {
    const found = findTask(note.board, reference, seen);
    if (!found.ok) return field === 'id' ? found : faultInField(field, found);
    if (!tasks.includes(found.task)) tasks.push(found.task);
  }
  return { ok: true, tasks };
}

function faultInField(field: string, fault: Fault): Fault {
  return { ...fault, message: `${field}: ${fault.message}` };
}

/** Names a task in an answer: for an agent by its number, for a person by its title. */
export type NameTask = (task: Pick<Task, 'id' | 'n' | 'title'>) => string;

/** `"Build the index"`: for a person, who may not see the number. */
export const quotedTitle: NameTask = ({ title }) => quoted(title);

/** Names tasks by key or id, such as `#1, #2`; at most ten of them. */
export function namesOf(
  { board }: { readonly board: Board },
  keys: readonly string[],
  name: NameTask = nameOf,
): string {
  const tasks = new Map(board.tasks.map((task) => [task.key, task]));
  const names = keys.slice(0, 10).map((key) => {
    const task = tasks.get(key);
    return task === undefined ? key : name(task);
  });
  return keys.length > 10 ? `${names.join(', ')} and ${keys.length - 10} more` : names.join(', ');
}

/** A task and all tasks under it, in the order of the note. */
export function subtreeOf({ tasks }: Pick<Board, 'tasks'>, task: Task): readonly Task[] {
  const keys = new Set([task.key]);
  return tasks.filter(({ key, parent }) => {
    if (parent !== null && keys.has(parent)) keys.add(key);
    return keys.has(key);
  });
}

/**
 * The entries whose title is most similar to `text`, best first: at most `most`, each with a
 * similarity above `least` (0 to 1).
 */
export function nearest<T extends { readonly title: string }>(
  text: string,
  entries: readonly T[],
  most: number,
  least = 0.25,
): T[] {
  const wanted = pairs(text);
  return entries
    .map((entry, at) => ({ entry, at, score: similarity(wanted, pairs(entry.title)) }))
    .filter(({ score }) => score > least)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** Pairs of neighbouring letters (Dice), which works without word boundaries too. */
function pairs(text: string): Set<string> {
  const letters = [...` ${text.toLowerCase().slice(0, 500)} `];
  return new Set(letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`));
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
}

/** An unfinished reference to a task in what a person types; `from` is its start in the line. */
export interface IdQuery {
  readonly from: number;
  readonly words: string;
  /** after ⛔ the whole id, elsewhere its short form, `#6` */
  readonly form: 'id' | 'number';
}

/** The query that ends at the cursor; undefined if there is none. */
export function idQuery(before: string): IdQuery | undefined {
  const waits =
    /⛔\uFE0F?[ \t]*(?:[\w-]+[ \t]*,[ \t]*)*(#?[^,\p{Extended_Pictographic}#^[\]]*)$/u.exec(before);
  if (waits !== null) return queryAt(before, waits[1] ?? '', 'id');
  const [, hash] = /(?:^|[ \t])(#[\p{L}\p{N}_-]*)$/u.exec(before) ?? [];
  return hash === undefined ? undefined : queryAt(before, hash, 'number');
}

function queryAt(before: string, text: string, form: IdQuery['form']): IdQuery {
  return { from: before.length - text.length, words: text.replace(/^#/, '').trim(), form };
}

/** Maximum number of suggested tasks. */
const MAX_MATCHES = 8;

/** Tasks whose title or number matches; those whose title begins with the words come first. */
export function matchingTasks(
  tasks: readonly Task[],
  { words }: IdQuery,
  excludedId: string | null,
): readonly Task[] {
  const wanted = words.toLocaleLowerCase();
  const fits = tasks.flatMap((task) => {
    if (task.id === null || task.id === excludedId) return [];
    const title = task.title.toLocaleLowerCase();
    const named = task.id === wanted || `${task.n ?? ''}`.startsWith(wanted);
    if (title.startsWith(wanted) || named) return [{ task, rank: 0 }];
    return title.includes(wanted) ? [{ task, rank: 1 }] : [];
  });
  return fits
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_MATCHES)
    .map(({ task }) => task);
}
