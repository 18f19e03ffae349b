import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { readTaskLine } from '../note/task-line';
import { quoted } from '../find-task';
import type { Board, Task } from '../task';
import { nameOfActor, sameActor, type Actor } from './actor';
import { noteHunks, noteRows, type ChangeRecord, type TextHunk } from './change-record';
import { fault, type Fault } from '../../fault';
import { cutBlocks, setArchived, type BlockText } from '../archive/archive-tasks';
import { placeFor } from '../note/place-task';

/**
 * Undoes one change: restores its lines as they were, removes what it added, and adds what it removed.
 * Refused if one of its tasks changed since, or if another task would then have another meaning or place.
 * The caller sets `rev`.
 * @param later the records after it, to tell who changed what since
 * @param archive of the board, undefined if there is none
 */
export function undoRecord(
  note: Note,
  record: ChangeRecord,
  later: readonly ChangeRecord[],
  archive: Note | undefined,
): TakenBack | Fault {
  const { hunks } = record;
  if (hunks === undefined) {
    const what = `The history does not keep all of a change of this size, ${so(record)}`;
    return fault('too_large', `${what}. ${nextStep(record)}`);
  }
  const again = standingAgain(note.board, record);
  if (again !== undefined) return again;
  const reverted = revertHunks(note, hunks);
  if (!reverted.ok) return changedSince(note.board, reverted.lost.task, record, later);
  const now = parseNote(note.board.path, reverted.text);
  if (now.board.broken !== null) return changedSince(note.board, null, record, later);
  const refused =
    withoutParent(note.board, now.board, record) ??
    elsewhere(now.board, record) ??
    othersChanged(note.board, now.board, record);
  return refused ?? throughArchive(now, record, archive);
}

function changedSince(
  board: Board,
  id: string | null,
  record: ChangeRecord,
  later: readonly ChangeRecord[],
): Fault {
  const { by } = record;
  const task = id === null ? undefined : board.tasks.find((one) => one.id === id);
  const title = task?.title ?? titleIn(record, id);
  const name = title === undefined ? 'the note' : quoted(title);
  const what = id !== null && task === undefined ? 'removed' : 'changed';
  const last = later.findLast((one) => id !== null && one.tasks.includes(id));
  const how =
    last === undefined
      ? `${name.charAt(0).toUpperCase()}${name.slice(1)} was ${what}`
      : `${nameFor(by, last.by)} ${what} ${name}`;
  return fault('changed_since', `${how} since, ${so(record)}. ${nextStep(record)}`);
}

/** A person may also undo what they brought in from elsewhere. */
function nameFor(reader: Actor, by: Actor): string {
  const own = sameActor(by, reader) || (by.kind === 'person' && reader.kind === 'import');
  return own ? 'You' : nameOfActor(by);
}

/** The title of a task that is gone, from its line as the change wrote it, else as it found it. */
function titleIn({ hunks = [] }: ChangeRecord, id: string | null): string | undefined {
  if (id === null) return undefined;
  const lines = hunks.flatMap(({ is, was }) => [...is, ...was]).map((line) => line.trimEnd());
  const line = lines.find((one) => one.includes('[') && one.endsWith(`^${id}`));
  return line && readTaskLine(line, line.indexOf(']') + 1, line.length).title;
}

/** What became of the request: of the taking back of a taking back, that nothing was done again. */
function so({ undoes }: ChangeRecord): string {
  return `so nothing was ${undoes === undefined ? 'undone' : 'done again'}`;
}

function nextStep({ by }: ChangeRecord): string {
  return by.kind === 'agent'
    ? 'Read the board, and send what you still want.'
    : 'What you still want, change by hand on the board.';
}

/** A task that the change took away and somebody put back would stand twice. */
function standingAgain({ tasks }: Board, record: ChangeRecord): Fault | undefined {
  const { gone = [] } = record;
  if (gone.length === 0) return undefined;
  const went = new Set(gone);
  const task = tasks.find(({ id }) => id !== null && went.has(id));
  if (task === undefined) return undefined;
  return fault(
    'changed_since',
    `${quoted(task.title)} is on the board again since, ${so(record)}. ${nextStep(record)}`,
  );
}

/** Of a task that would go, sub-tasks that came since would be left without their parent. */
function withoutParent(before: Board, after: Board, record: ChangeRecord): Fault | undefined {
  const { tasks } = record;
  const stay = new Set(after.tasks.map(nameOfTask));
  const keys = new Map(before.tasks.map((task) => [task.key, task]));
  for (const task of before.tasks) {
    const parent = task.parent === null ? undefined : keys.get(task.parent);
    if (parent === undefined || stay.has(nameOfTask(parent)) || tasks.includes(nameOfTask(task))) {
      continue;
    }
    return fault(
      'has_children',
      `${quoted(parent.title)} has the subtask ${quoted(task.title)} since, ${so(record)}. Move ${quoted(task.title)} to another place first, then try again.`,
    );
  }
  return undefined;
}

/** What comes back must hang under the task that it hung under. */
function elsewhere({ tasks }: Board, record: ChangeRecord): Fault | undefined {
  const { hunks = [] } = record;
  const keys = new Map(tasks.map((task) => [task.key, task]));
  for (const { task: id, from } of hunks) {
    const task = from === undefined || id === null ? undefined : tasks.find((one) => one.id === id);
    if (task === undefined) continue;
    const parent = task.parent === null ? null : (keys.get(task.parent)?.id ?? null);
    if (parent === from?.parent) continue;
    return fault(
      'changed_since',
      `The place where ${quoted(task.title)} stood is no longer there, ${so(record)}. Add ${quoted(task.title)} where you want it now.`,
    );
  }
  return undefined;
}

/** Tasks that the change was not about must say the same, in the same order, under the same parent. */
function othersChanged(before: Board, after: Board, record: ChangeRecord): Fault | undefined {
  const [was, is] = [others(before, record), others(after, record)];
  if (was.length === is.length && was.every((one, at) => one.said === is[at]?.said)) {
    return undefined;
  }
  const other = was.find((one, at) => one.said !== is[at]?.said) ?? is[was.length];
  const name = other === undefined ? 'other tasks' : quoted(other.title);
  return fault(
    'changed_since',
    `The note changed since, and this would change ${name} too, ${so(record)}. ${nextStep(record)}`,
  );
}

function others(
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

interface TakenBack {
  readonly ok: true;
  readonly note: Note;
  /** blocks that go to the archive with it, and that come out of it */
  readonly archived: readonly BlockText[];
  readonly restored: readonly BlockText[];
}

/**
 * Moves restored tasks back to the archive, and archived ones back out. Refused if the archive now says
 * something else about a task, because that would be lost.
 * @param archive as it is, undefined if there is none
 */
function throughArchive(
  now: Note,
  record: ChangeRecord,
  archive: Note | undefined,
): TakenBack | Fault {
  const here = new Set(now.board.tasks.map(({ id }) => id));
  const [put, back] = [record.archived ?? [], record.restored ?? []];
  // What came back and went again in one change stands in the archive. All else comes out of it:
  // where its line is not here, the change itself had added it, or given it its id.
  const restored = put.filter(
    ({ ids }) => ids.some((id) => here.has(id)) || !back.some((one) => sharesId(one, ids)),
  );
  const archived = back.filter(
    ({ ids }) => !ids.some((id) => here.has(id)) && !put.some((one) => sharesId(one, ids)),
  );
  if (restored.length + archived.length === 0) return { ok: true, note: now, archived, restored };
  const refused = changedThere(restored, archive);
  if (refused !== undefined) return refused;
  const note = setArchived(now, archived, restored);
  return note.ok ? { ok: true, note, archived, restored } : note;
}

function sharesId(block: BlockText, ids: BlockText['ids']): boolean {
  return block.ids.some((id) => ids.includes(id));
}

function changedThere(blocks: readonly BlockText[], archive: Note | undefined): Fault | undefined {
  if (archive === undefined || blocks.length === 0) return undefined;
  const { broken, tasks } = archive.board;
  if (broken !== null) {
    const message = `The archive of this board can't be read until it is repaired, so nothing was undone. ${broken.reason}`;
    return fault('broken_note', message);
  }
  for (const { ids, text } of blocks) {
    const root = tasks.find(({ id }) => id !== null && id === ids[0]);
    if (root === undefined) continue;
    const cut = cutBlocks(archive, new Set([root.key]));
    if (cut.ok && linesOf(cut.blocks[0]?.text ?? '') === linesOf(text)) continue;
    const message = `${quoted(root.title)} was changed in the archive since, so nothing was undone. Restore it from the archive instead.`;
    return fault('changed_since', message);
  }
  return undefined;
}

/** What ends the lines is each note's own. */
function linesOf(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}

/** The text with each hunk's lines as they were, or the hunk that no longer stands as it was left. */
type Reverted =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly lost: TextHunk };

type Line = Pick<ReturnType<typeof noteRows>[number], 'key' | 'text'>;

/** Puts back the lines that hunks replaced, wherever they stand now; no other line is touched. */
export function revertHunks(note: Note, hunks: readonly TextHunk[]): Reverted {
  const lines: Line[] = [...noteRows(note)];
  // From the end on: the lines above a hunk are then as the note has them.
  for (const hunk of hunks.toReversed()) {
    const place = hunk.is.length > 0 ? takeOut(lines, hunk) : gap(lines, hunk, note);
    if (place === undefined) return { ok: false, lost: hunk };
    const { at, key = '\0' } = place;
    lines.splice(at, 0, ...hunk.was.map((text) => ({ key, text })));
  }
  return { ok: true, text: lines.map(({ text }) => text).join('') };
}

interface Place {
  readonly at: number;
  /** of the one line that stood there */
  readonly key?: string | undefined;
}

/** Takes the lines of a hunk out; where they stood, undefined where they are not all there. */
function takeOut(lines: Line[], { is, was, above, below }: TextHunk): Place | undefined {
  const runs = placesOf(lines, is);
  if (runs.length === 0) return is.length === 1 ? undefined : takeOutSingly(lines, is);
  const at = best(runs, (run) => fit(lines, run, run + is.length, above, below));
  const [first] = lines.splice(at, is.length);
  // A line that was changed is still that line for those around it.
  return { at, key: is.length === 1 && was.length === 1 ? first?.key : undefined };
}

/** Lines that others have put lines between. */
function takeOutSingly(lines: Line[], is: readonly string[]): Place | undefined {
  const found: number[] = [];
  for (const text of is.filter((line) => line.trim() !== '')) {
    const [at, ...more] = placesOf(lines, [text]);
    if (at === undefined || more.length > 0) return undefined;
    found.push(at);
  }
  for (const at of found.sort((a, b) => b - a)) lines.splice(at, 1);
  const at = found.at(-1);
  return at === undefined ? undefined : { at };
}

function placesOf(lines: readonly Line[], run: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + run.length <= lines.length; at += 1) {
    if (run.every((text, i) => lines[at + i]?.text === text)) found.push(at);
  }
  return found;
}

/** Where lines that went shall stand again. */
function gap(lines: readonly Line[], hunk: TextHunk, note: Note): Place | undefined {
  const { above, below, from } = hunk;
  const open = [...lines.keys(), lines.length].filter((at) => !takesOver(lines, at, hunk));
  const at = best(open, (one) => fit(lines, one, one, above, below));
  if (fit(lines, at, at, above, below) >= NAMED) return { at };
  return from === undefined ? undefined : byPlace(lines, from, note);
}

/** A line that is no blank one says where a gap is; a blank one only which of two it is. */
const NAMED = 4;

/** How well the lines around a gap fit those that were around it, nearest first. */
function fit(
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

/** @param end index of the first that does not fit, -1 where all do */
function weight(keys: readonly string[], end: number): number {
  const same = end < 0 ? keys : keys.slice(0, end);
  return same.reduce((sum, key) => sum + (key.trim() === '' ? 1 : NAMED), 0);
}

/** Lines behind a gap that are indented deeper would become sub-tasks of what is put there. */
function takesOver(lines: readonly Line[], at: number, { was, below }: TextHunk): boolean {
  const behind = lines.slice(at).find(({ text }) => text.trim() !== '');
  const [first = ''] = was;
  if (behind === undefined || behind.key === below.find((key) => key.trim() !== '')) return false;
  return indentOf(behind.text) > indentOf(first);
}

function indentOf(text: string): number {
  return /^[ \t]*/.exec(text)?.[0].length ?? 0;
}

/** At the end of the parent's sub-tasks or of the phase; undefined where the parent is gone. */
function byPlace(
  lines: readonly Line[],
  { parent, phase }: NonNullable<TextHunk['from']>,
  { board }: Note,
): Place | undefined {
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

/** The entry of the highest score, the first of several. */
function best(entries: readonly number[], score: (entry: number) => number): number {
  let [found, highest] = [entries[0] ?? 0, -1];
  for (const entry of entries) {
    const own = score(entry);
    if (own > highest) [found, highest] = [entry, own];
  }
  return found;
}

/**
 * What an agent saw of a board, with a change of its own made on it too, so that it does not pass for
 * a person's; undefined where the lines that were changed are not those that it saw.
 */
export function seenAfter(seen: string, before: Note, after: Note): string | undefined {
  if (seen === before.text) return after.text;
  const note = parseNote(before.board.path, seen);
  if (note.board.broken !== null) return undefined;
  const there = revertHunks(note, noteHunks(after, before).hunks);
  return there.ok ? there.text : undefined;
}
