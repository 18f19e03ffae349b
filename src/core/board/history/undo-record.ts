import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { readTaskLine } from '../note/task-line';
import { quoted } from '../find-task';
import type { Board, Task } from '../task';
import { nameOfActor, sameActor, type Actor } from './actor';
import { noteHunks, noteRows, type ChangeRecord, type TextHunk } from './change-record';
import { fault, type Fault } from '../../fault';
import { sentence, type SentenceValues } from '../../fault/sentence';
import { cutBlocks, setArchived, type BlockText } from '../archive/archive-tasks';
import { placeFor } from '../note/place-task';

/**
 * Undoes one change: restores its lines as they were, removes what it added, and adds what it
 * removed. Refused if one of its tasks changed since, or if another task would get another meaning
 * or place. The caller sets `rev`.
 * @param later the records after it, to tell who changed what since
 * @param archive the board's archive, undefined if there is none
 */
export function undoRecord(
  note: Note,
  record: ChangeRecord,
  later: readonly ChangeRecord[],
  archive: Note | undefined,
): UndoneRecord | Fault {
  const { hunks } = record;
  if (hunks === undefined) return undoRefused('too_large', 'tooLarge');
  const again = alreadyBackFault(note.board, record);
  if (again !== undefined) return again;
  const reverted = revertHunks(note, hunks);
  if (!reverted.ok) return changedSinceFault(note.board, reverted.lost.task, record, later);
  const now = parseNote(note.board.path, reverted.text);
  if (now.board.broken !== null) return changedSinceFault(note.board, null, record, later);
  const refused =
    orphanedTaskFault(note.board, now.board, record) ??
    placeGoneFault(now.board, record) ??
    othersChangedFault(note.board, now.board, record);
  return refused ?? moveThroughArchive(now, record, archive);
}

const STAYS = 'so the board stays as it is';
const NEXT = 'Look at the board, and change there what you still want.';

/** Why a change of a board can't be undone, or not done again. */
export const UNDO_FAULTS = {
  nothingToUndo: 'There is nothing to undo.',
  nothingToRedo: 'There is nothing to redo.',
  tooLarge: `The history does not keep all of a change of this size, ${STAYS}. ${NEXT}`,
  changed: `{task} was changed since, ${STAYS}. ${NEXT}`,
  removed: `{task} was removed since, ${STAYS}. ${NEXT}`,
  changedByYou: `You changed {task} since, ${STAYS}. ${NEXT}`,
  removedByYou: `You removed {task} since, ${STAYS}. ${NEXT}`,
  changedByOther: `{who} changed {task} since, ${STAYS}. ${NEXT}`,
  removedByOther: `{who} removed {task} since, ${STAYS}. ${NEXT}`,
  noteChanged: `The note was changed since, ${STAYS}. ${NEXT}`,
  back: `{task} is on the board again since, ${STAYS}. ${NEXT}`,
  hasSubtask: `{task} has the subtask {child} since, ${STAYS}. Move {child} to another place first, then try again.`,
  placeGone: `The place where {task} stood is no longer there, ${STAYS}. Add {task} where you want it now.`,
  changesOther: `The note changed since, and this would change {task} too, ${STAYS}. ${NEXT}`,
  archiveBroken: `The archive of this board can't be read until it is repaired, ${STAYS}. Repair it, then try again.`,
  changedInArchive: `{task} was changed in the archive since, ${STAYS}. Restore it from the archive instead.`,
  gone: `The note of this board is no longer there, ${STAYS}. Bring it back from the trash or a backup first.`,
  unknown: `The history of the board no longer has this change, ${STAYS}. Change the tasks by hand.`,
  notYours: `{who} made this change, so it was not undone for you. Change the tasks by hand instead.`,
  already: 'This change was undone already, so nothing was written.',
  otherUnknown: `The history of the other plan ({path}) lacks its part of the move, ${STAYS}. Move the tasks by hand.`,
  otherUndone: `The other part of this move, in {path}, was undone already, ${STAYS}. Move the tasks by hand.`,
  otherChanged: `The other part of this move, in {path}, was followed by another change, ${STAYS}. Move the tasks by hand.`,
} as const;

export function undoRefused(
  code: string,
  name: keyof typeof UNDO_FAULTS,
  values?: SentenceValues,
): Fault {
  return fault(code, sentence(['undoFault', UNDO_FAULTS], name, values));
}

function changedSinceFault(
  board: Board,
  id: string | null,
  record: ChangeRecord,
  later: readonly ChangeRecord[],
): Fault {
  const task = id === null ? undefined : board.tasks.find((one) => one.id === id);
  const title = task?.title ?? titleIn(record, id);
  if (title === undefined) return undoRefused('changed_since', 'noteChanged');
  const last = later.findLast((one) => id !== null && one.tasks.includes(id));
  const by = last === undefined ? '' : isOwn(last.by, record.by) ? 'ByYou' : 'ByOther';
  const who = last === undefined ? '' : nameOfActor(last.by);
  const what = task === undefined ? 'removed' : 'changed';
  return undoRefused('changed_since', `${what}${by}`, { task: quoted(title), who });
}

/** A person's imports count as their own. */
function isOwn(by: Actor, reader: Actor): boolean {
  return sameActor(by, reader) || (by.kind === 'person' && reader.kind === 'import');
}

/** The title of a removed task, from its line after the change, else before it. */
function titleIn({ hunks = [] }: ChangeRecord, id: string | null): string | undefined {
  if (id === null) return undefined;
  const lines = hunks.flatMap(({ is, was }) => [...is, ...was]).map((line) => line.trimEnd());
  const line = lines.find((one) => one.includes('[') && one.endsWith(`^${id}`));
  return line && readTaskLine(line, line.indexOf(']') + 1, line.length).title;
}

/** Refuses to restore a removed task that is back already, since it would be there twice. */
function alreadyBackFault({ tasks }: Board, record: ChangeRecord): Fault | undefined {
  const { gone = [] } = record;
  if (gone.length === 0) return undefined;
  const went = new Set(gone);
  const task = tasks.find(({ id }) => id !== null && went.has(id));
  if (task === undefined) return undefined;
  return undoRefused('changed_since', 'back', { task: quoted(task.title) });
}

/** Refuses to remove a task that has got subtasks since, which would lose their parent. */
function orphanedTaskFault(before: Board, after: Board, record: ChangeRecord): Fault | undefined {
  const { tasks } = record;
  const stay = new Set(after.tasks.map(nameOfTask));
  const keys = new Map(before.tasks.map((task) => [task.key, task]));
  for (const task of before.tasks) {
    const parent = task.parent === null ? undefined : keys.get(task.parent);
    if (parent === undefined || stay.has(nameOfTask(parent)) || tasks.includes(nameOfTask(task))) {
      continue;
    }
    const [name, child] = [quoted(parent.title), quoted(task.title)];
    return undoRefused('has_children', 'hasSubtask', { task: name, child });
  }
  return undefined;
}

/** Refuses if a restored task would not be under its old parent. */
function placeGoneFault({ tasks }: Board, record: ChangeRecord): Fault | undefined {
  const { hunks = [] } = record;
  const keys = new Map(tasks.map((task) => [task.key, task]));
  for (const { task: id, from } of hunks) {
    const task = from === undefined || id === null ? undefined : tasks.find((one) => one.id === id);
    if (task === undefined) continue;
    const parent = task.parent === null ? null : (keys.get(task.parent)?.id ?? null);
    if (parent === from?.parent) continue;
    return undoRefused('changed_since', 'placeGone', { task: quoted(task.title) });
  }
  return undefined;
}

/** Refuses if any other task would change in its values, order or parent. */
function othersChangedFault(before: Board, after: Board, record: ChangeRecord): Fault | undefined {
  const [was, is] = [otherTasks(before, record), otherTasks(after, record)];
  if (was.length === is.length && was.every((one, at) => one.said === is[at]?.said)) {
    return undefined;
  }
  const other = was.find((one, at) => one.said !== is[at]?.said) ?? is[was.length];
  return undoRefused('changed_since', 'changesOther', { task: quoted(other?.title ?? '') });
}

function otherTasks(
  { tasks }: Board,
  record: ChangeRecord,
): readonly { readonly title: string; readonly said: string }[] {
  const names = new Map(tasks.map((task) => [task.key, nameOfTask(task)]));
  const about = new Set(record.tasks);
  return tasks
    .filter((task) => !about.has(nameOfTask(task)))
    .map((task) => {
      const parent = task.parent === null ? null : names.get(task.parent);
      const malformed = task.malformed !== null;
      const said = JSON.stringify({ ...task, key: '', line: 0, depth: 0, parent, malformed });
      return { title: task.title, said };
    });
}

function nameOfTask({ id, title }: Task): string {
  return id ?? title;
}

interface UndoneRecord {
  readonly ok: true;
  readonly note: Note;
  /** blocks that the undo moves to the archive, and out of it */
  readonly archived: readonly BlockText[];
  readonly restored: readonly BlockText[];
}

/**
 * Moves restored tasks back to the archive, and archived ones back out. Refused if a task was
 * changed in the archive since, because that change would be lost.
 * @param archive the current archive, undefined if there is none
 */
function moveThroughArchive(
  now: Note,
  record: ChangeRecord,
  archive: Note | undefined,
): UndoneRecord | Fault {
  const here = new Set(now.board.tasks.map(({ id }) => id));
  const [put, back] = [record.archived ?? [], record.restored ?? []];
  // A task that one change restored and archived again is in the archive. All others are taken out
  // of it: if their line is not here, the change itself had added them, or given them their ids.
  const restored = put.filter(
    ({ ids }) => ids.some((id) => here.has(id)) || !back.some((one) => sharesId(one, ids)),
  );
  const archived = back.filter(
    ({ ids }) => !ids.some((id) => here.has(id)) && !put.some((one) => sharesId(one, ids)),
  );
  if (restored.length + archived.length === 0) return { ok: true, note: now, archived, restored };
  const refused = changedInArchiveFault(restored, archive);
  if (refused !== undefined) return refused;
  const note = setArchived(now, archived, restored);
  return note.ok ? { ok: true, note, archived, restored } : note;
}

function sharesId(block: BlockText, ids: BlockText['ids']): boolean {
  return block.ids.some((id) => ids.includes(id));
}

function changedInArchiveFault(
  blocks: readonly BlockText[],
  archive: Note | undefined,
): Fault | undefined {
  if (archive === undefined || blocks.length === 0) return undefined;
  const { broken, tasks } = archive.board;
  if (broken !== null) return undoRefused('broken_note', 'archiveBroken');
  for (const { ids, text } of blocks) {
    const root = tasks.find(({ id }) => id !== null && id === ids[0]);
    if (root === undefined) continue;
    const cut = cutBlocks(archive, new Set([root.key]));
    if (cut.ok && normalizedText(cut.blocks[0]?.text ?? '') === normalizedText(text)) continue;
    return undoRefused('changed_since', 'changedInArchive', { task: quoted(root.title) });
  }
  return undefined;
}

/** Normalizes line ends, which differ between notes. */
function normalizedText(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}

/** The text after all hunks are reverted, or the first hunk whose lines have changed since. */
type Reverted =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly lost: TextHunk };

type Line = Pick<ReturnType<typeof noteRows>[number], 'key' | 'text'>;

/** Restores the lines that hunks replaced, wherever they are now; changes no other line. */
export function revertHunks(note: Note, hunks: readonly TextHunk[]): Reverted {
  const lines: Line[] = [...noteRows(note)];
  // Backwards, so that the lines above a hunk are still unchanged.
  for (const hunk of hunks.toReversed()) {
    const place = hunk.is.length > 0 ? removeHunkLines(lines, hunk) : findGap(lines, hunk, note);
    if (place === undefined) return { ok: false, lost: hunk };
    const { at, key = '\0' } = place;
    lines.splice(at, 0, ...hunk.was.map((text) => ({ key, text })));
  }
  return { ok: true, text: lines.map(({ text }) => text).join('') };
}

interface InsertPoint {
  readonly at: number;
  /** key of the one line that was there */
  readonly key?: string | undefined;
}

/** Removes the lines of a hunk. @returns their place, undefined if they are not all there */
function removeHunkLines(
  lines: Line[],
  { is, was, above, below }: TextHunk,
): InsertPoint | undefined {
  const runs = findRuns(lines, is);
  if (runs.length === 0) return is.length === 1 ? undefined : removeLinesSingly(lines, is);
  const at = best(runs, (run) => contextScore(lines, run, run + is.length, above, below));
  const [first] = lines.splice(at, is.length);
  // A changed line keeps its key for the hunks around it.
  return { at, key: is.length === 1 && was.length === 1 ? first?.key : undefined };
}

/** Removes the lines of a hunk one by one, if other lines have been inserted between them. */
function removeLinesSingly(lines: Line[], is: readonly string[]): InsertPoint | undefined {
  const found: number[] = [];
  for (const text of is.filter((line) => line.trim() !== '')) {
    const [at, ...more] = findRuns(lines, [text]);
    if (at === undefined || more.length > 0) return undefined;
    found.push(at);
  }
  for (const at of found.sort((a, b) => b - a)) lines.splice(at, 1);
  const at = found.at(-1);
  return at === undefined ? undefined : { at };
}

function findRuns(lines: readonly Line[], run: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + run.length <= lines.length; at += 1) {
    if (run.every((text, i) => lines[at + i]?.text === text)) found.push(at);
  }
  return found;
}

/** The place for removed lines. */
function findGap(lines: readonly Line[], hunk: TextHunk, note: Note): InsertPoint | undefined {
  const { above, below, from } = hunk;
  const open = [...lines.keys(), lines.length].filter((at) => !wouldAdoptLines(lines, at, hunk));
  const at = best(open, (one) => contextScore(lines, one, one, above, below));
  if (contextScore(lines, at, at, above, below) >= TEXT_LINE_WEIGHT) return { at };
  return from === undefined ? undefined : endOfPlace(lines, from, note);
}

/** Weight of a non-blank line around a gap; a blank one (1) only decides between two gaps. */
const TEXT_LINE_WEIGHT = 4;

/** How well the lines around a gap match those that were around it, nearest first. */
function contextScore(
  lines: readonly Line[],
  from: number,
  to: number,
  above: readonly string[],
  below: readonly string[],
): number {
  const upward = above.findIndex((key, i) => lines[from - 1 - i]?.key !== key);
  const downward = below.findIndex((key, i) => lines[to + i]?.key !== key);
  return weight(above, upward) + weight(below, downward);
}

/** @param end index of the first key that does not match, -1 if all do */
function weight(keys: readonly string[], end: number): number {
  const same = end < 0 ? keys : keys.slice(0, end);
  return same.reduce((sum, key) => sum + (key.trim() === '' ? 1 : TEXT_LINE_WEIGHT), 0);
}

/**
 * Whether lines after the gap are indented deeper, so that they would become subtasks of the
 * inserted lines.
 */
function wouldAdoptLines(lines: readonly Line[], at: number, { was, below }: TextHunk): boolean {
  const behind = lines.slice(at).find(({ text }) => text.trim() !== '');
  const [first = ''] = was;
  if (behind === undefined || behind.key === below.find((key) => key.trim() !== '')) return false;
  return indentOf(behind.text) > indentOf(first);
}

function indentOf(text: string): number {
  return /^[ \t]*/.exec(text)?.[0].length ?? 0;
}

/** The end of the parent's subtasks or of the phase; undefined if the parent is gone. */
function endOfPlace(
  lines: readonly Line[],
  { parent, phase }: NonNullable<TextHunk['from']>,
  { board }: Note,
): InsertPoint | undefined {
  const now = parseNote(board.path, lines.map(({ text }) => text).join(''));
  if (now.layout === null) return undefined;
  const wanted = parent === null ? (phase === null ? {} : { phase }) : { parent };
  const place = placeFor(now, now.layout, wanted);
  if (!place.ok || place.before.some((line) => line !== '')) return undefined;
  let at = 0;
  for (let end = 0; at < lines.length && end <= place.at; at += 1) {
    end += lines[at]?.text.length ?? 0;
  }
  return { at };
}

/** The entry with the highest score, the first of several. */
function best(entries: readonly number[], score: (entry: number) => number): number {
  let [found, highest] = [entries[0] ?? 0, -1];
  for (const entry of entries) {
    const own = score(entry);
    if (own > highest) [found, highest] = [entry, own];
  }
  return found;
}

/**
 * Applies an agent's own change also to the state that it saw, so that the change is not reported
 * as a person's. Undefined if the agent had not seen the changed lines.
 */
export function seenAfter(seen: string, before: Note, after: Note): string | undefined {
  if (seen === before.text) return after.text;
  const note = parseNote(before.board.path, seen);
  if (note.board.broken !== null) return undefined;
  const there = revertHunks(note, noteHunks(after, before).hunks);
  return there.ok ? there.text : undefined;
}
