import type { Clock, NoteStore } from '../../ports';
import { jsonAs } from '../../json';
import { readBoardPath } from '../board-path';
import { boardChanges, withTitles, type TaskChange } from '../digest';
import type { Actor } from '../history/actor';
import type { Note } from '../note/note';
import { parseNote, withSplices } from '../note/parse-note';
import { checkTitle } from '../note/title';
import { replacePlan, type BoardWriter } from '../history/board-writer';
import type { StateFiles } from '../state-file';
import { refuseChange } from '../change-faults';
import { type Fault, fault } from '../../fault';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { isFinished } from '../facts';
import { refuseBroken } from '../note/edit-header';
import type { EditResult, Splice } from '../note/edit-result';
import {
  locateTask,
  setTaskBody,
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
} from '../note/edit-task';
import { addTask, moveTask, removeTask, type MoveTarget } from '../note/place-task';
import type { Board, Task } from '../task';
import { OWN_FIELDS } from '../note/line-facts';

/** What a rollback would change, or did change: differences by task and field. */
export type CheckpointDiff =
  | {
      readonly ok: true;
      readonly checkpoint: Checkpoint;
      readonly changes: readonly TaskChange[];
      /** the same changes with other tasks named by their titles, as a person knows them */
      readonly told: readonly TaskChange[];
      /** sentences about what can't be restored */
      readonly left: readonly string[];
    }
  | Fault;

export type RollBackAnswer =
  | (Extract<CheckpointDiff, { ok: true }> & {
      /** id in the history, to undo it */
      readonly change: string;
    })
  | Fault;

/** Maximum number of checkpoints of a board. */
export const MAX_CHECKPOINTS = 50;

/**
 * Saved states of boards, a file each: `checkpoints/<session folder>/<agent file>/<n>.md` in the
 * state folder. A file is written whole or not at all, and never changed.
 */
export class Checkpoints {
  constructor(
    private readonly state: StateFiles,
    private readonly store: NoteStore,
    private readonly root: string,
    private readonly clock: Clock,
    private readonly writer: BoardWriter,
  ) {}

  /**
   * Saves the board's current state under the next number. Removes the oldest beyond 50, automatic
   * ones first.
   */
  async add(
    path: string,
    { by, label }: Pick<CheckpointMetadata, 'by'> & { readonly label?: string },
  ): Promise<{ readonly ok: true; readonly checkpoint: Checkpoint } | Fault> {
    const name = label === undefined ? undefined : checkTitle(label, 'label');
    if (name?.ok === false) return name;
    if (!this.isBoard(path)) return notBoard(path);
    const note = await this.store.read(path);
    if (note === undefined) return refuseChange('unknown_board', 'nothingToKeep');
    const { broken, rev } = parseNote(path, note).board;
    if (broken !== null)
      return refuseChange('broken_note', 'notAState', { why: [broken.reason, broken.said] });
    const data = { at: this.clock.now(), by, label: name?.title ?? null, rev };
    const text = checkpointText(data, note);
    const numbers = await this.numbers(path);
    for (let n = (numbers.at(-1) ?? 0) + 1; ; n += 1) {
      const stored = await this.state.change(this.filePath(path, n), (there) => there ?? text);
      // Another program has taken this number.
      if (stored !== text) continue;
      await this.prune(path, n);
      return { ok: true, checkpoint: { n, ...data } };
    }
  }

  /** The checkpoints of a board, newest first; none if the path is no board's. */
  async list(path: string): Promise<readonly Checkpoint[]> {
    return this.isBoard(path) ? (await this.all(path)).map(withoutNote) : [];
  }

  /** What a rollback would change now; changes nothing. */
  async diff(path: string, n: number): Promise<CheckpointDiff> {
    const found = await this.find(path, n);
    if (!found.ok) return found;
    const now = await this.store.read(path);
    const note = now === undefined ? undefined : parseNote(path, now);
    const back = this.noteAfterRollBack(note, found);
    return back.ok ? diffOf(found, note, back) : back;
  }

  /** Restores the tasks of a checkpoint (`rollBack`) in one write that can be undone. */
  async rollBack(path: string, n: number, by: Actor): Promise<RollBackAnswer> {
    const found = await this.find(path, n);
    if (!found.ok) return found;
    const said = `rolled back to ${checkpointName(found)}`;
    const back = (note: Note | undefined) => this.noteAfterRollBack(note, found);
    const done = await replacePlan(this.writer, path, by, back, { said });
    return done.ok ? { ...diffOf(found, done.before, done.made), change: done.change } : done;
  }

  /** The note after a rollback. A removed board is restored whole. */
  private noteAfterRollBack(
    now: Note | undefined,
    found: FoundCheckpoint,
  ): ReturnType<typeof rollBack> {
    if (now === undefined) return { ...found.savedNote, left: [] };
    return rollBack(now, found.savedNote, {
      today: this.clock.today(),
      name: checkpointName(found),
    });
  }

  private async find(path: string, n: number): Promise<FoundCheckpoint | Fault> {
    if (!this.isBoard(path)) return notBoard(path);
    const found = await this.readStored(path, n);
    if (found !== undefined) return { ...found, ok: true, savedNote: parseNote(path, found.note) };
    if ((await this.numbers(path)).includes(n)) {
      const file = this.state.fileOf(this.filePath(path, n));
      return refuseChange('unknown_checkpoint', 'checkpointDamaged', { n: String(n), path: file });
    }
    const known = (await this.all(path)).map((one) => one.n);
    const name = known.length === 0 ? 'noCheckpoint' : 'otherCheckpoints';
    const others = known.slice(0, 10).join(', ');
    return refuseChange('unknown_checkpoint', name, { n: String(n), others });
  }

  /** Newest first; damaged files are skipped. */
  private async all(path: string): Promise<readonly StoredCheckpoint[]> {
    const found = await Promise.all(
      (await this.numbers(path)).map((n) => this.readStored(path, n)),
    );
    return found.filter((one) => one !== undefined).reverse();
  }

  private async readStored(path: string, n: number): Promise<StoredCheckpoint | undefined> {
    const read = readCheckpoint((await this.state.text(this.filePath(path, n))) ?? '');
    return read && { n, ...read };
  }

  private async prune(path: string, kept: number): Promise<void> {
    const over = (await this.numbers(path)).length - MAX_CHECKPOINTS;
    if (over <= 0) return;
    const oldest = (await this.all(path)).filter(({ n }) => n !== kept).reverse();
    const [then, first] = [true, false].map((own) =>
      oldest.filter(({ by }) => (by === 'user') === own),
    );
    for (const { n } of [...(first ?? []), ...(then ?? [])].slice(0, over)) {
      await this.state.drop(this.filePath(path, n));
    }
  }

  /** Numbers of the checkpoint files, ascending. */
  private async numbers(path: string): Promise<readonly number[]> {
    const names = await this.state.names(this.folder(path));
    return names
      .flatMap((name) => /^([1-9]\d{0,8})\.md$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  private filePath(path: string, n: number): string {
    return `${this.folder(path)}/${n}.md`;
  }

  private folder(path: string): string {
    return `checkpoints/${path.slice(this.root.length + 1).replace(/-tasks\.md$/, '')}`;
  }

  /** Only boards have checkpoints. */
  private isBoard(path: string): boolean {
    return readBoardPath(this.root, path) !== undefined;
  }
}

interface FoundCheckpoint extends StoredCheckpoint {
  readonly ok: true;
  readonly savedNote: Note;
}

/** `checkpoint 3 "before the refactoring"`. */
function checkpointName({ n, label }: Checkpoint): string {
  return label === null ? `checkpoint ${n}` : `checkpoint ${n} "${label}"`;
}

function withoutNote({ n, at, by, label, rev }: StoredCheckpoint): Checkpoint {
  return { n, at, by, label, rev };
}

function diffOf(
  found: FoundCheckpoint,
  note: Note | undefined,
  { board: after, left }: Note & Pick<Extract<CheckpointDiff, { ok: true }>, 'left'>,
): Extract<CheckpointDiff, { ok: true }> {
  const before = note?.board ?? { ...after, tasks: [] };
  const changes = boardChanges(before, after);
  const told = changes.map((change) => withTitles(change, before, after));
  return { ok: true, checkpoint: withoutNote(found), changes, told, left };
}

function notBoard(path: string): Fault {
  return fault('unknown_board', `${path} is not a board.`);
}

const metadata = lazy(() =>
  z.object({
    /** ms since the epoch */
    at: z.number(),
    /** who asked for it; `system` and `error` are automatic */
    by: z.enum(['user', 'system', 'error']),
    label: z.nullable(z.string()),
    /** the board's `rev` then */
    rev: z.number(),
  }),
);

type CheckpointMetadata = z.infer<ReturnType<typeof metadata>>;

/** A saved state of a board. */
export interface Checkpoint extends CheckpointMetadata {
  /** 1, 2, 3… per board, never reused */
  readonly n: number;
}

interface StoredCheckpoint extends Checkpoint {
  /** the note's text then */
  readonly note: string;
}

const OPEN = '<!-- checkpoint ';
const CLOSE = ' -->\n';

/** Text of a checkpoint file: one line of metadata, then the note byte for byte. */
function checkpointText(data: CheckpointMetadata, note: string): string {
  // "-->" in a label would end the line early.
  return OPEN + JSON.stringify(data).replaceAll('>', '\\u003e') + CLOSE + note;
}

/** Parses a checkpoint file; undefined if it is none. */
function readCheckpoint(text: string): Omit<StoredCheckpoint, 'n'> | undefined {
  const end = text.indexOf(CLOSE);
  if (!text.startsWith(OPEN) || end < 0) return undefined;
  const data = jsonAs(metadata(), text.slice(OPEN.length, end));
  return data && { ...data, note: text.slice(end + CLOSE.length) };
}

/** Why a board can't be rolled back to this file; undefined if it can. */
export function checkpointDamage(path: string, text: string): string | undefined {
  const read = readCheckpoint(text);
  if (read === undefined) return 'its first line is not the one of a checkpoint';
  return parseNote(path, read.note).board.broken?.reason;
}

interface RollBackOptions {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /** name of the checkpoint, for the reason of cancelled tasks */
  readonly name: string;
}

/**
 * Restores the tasks of a board as they were; all other text stays as it is now. Task lines get
 * their old text and their old place under their parent or heading; removed tasks are restored with
 * the text under them. Tasks added since are removed; those with text or other lines under them are
 * cancelled instead. Lines without an id are a person's own and are neither added nor removed.
 * Pure.
 * @param before the note of the checkpoint
 * @returns in `left` sentences about what could not be restored
 */
export function rollBack(
  note: Note,
  before: Note,
  { today, name }: RollBackOptions,
): EditResult<{ readonly left: readonly string[] }> {
  if (before.layout === null) return refuseBroken(before);
  if (note.layout === null) return refuseBroken(note);
  const left: string[] = [];
  let now = note;
  const applyEdit = (edited: EditResult): void => {
    if (edited.ok) now = edited;
    else left.push(edited.message);
  };
  for (const task of before.board.tasks) {
    if (task.key !== task.id) continue;
    const there = now.board.tasks.find(({ key }) => key === task.key);
    applyEdit(
      there ? restorePlace(now, before, task, there) : restoreRemovedTask(now, before, task, today),
    );
  }
  now = restoreLines(now, before, today);
  const known = new Set(pairTasks(before.board, now.board).values());
  const added = now.board.tasks.filter((task) => task.id === task.key && !known.has(task));
  const reason = `Added after ${name}, which the board was rolled back to`;
  for (const { key } of added.reverse()) applyEdit(removeAddedTask(now, key, today, reason));
  return { ...now, left };
}

/**
 * Removes an added task, whose added subtasks are already removed. One that still has subtasks or
 * text is cancelled instead.
 */
function removeAddedTask(note: Note, key: string, today: string, reason: string): EditResult {
  const removed = removeTask(note, key);
  if (removed.ok || (removed.code !== 'has_body' && removed.code !== 'has_children')) {
    return removed;
  }
  const task = note.board.tasks.find((one) => one.key === key);
  if (task === undefined || isFinished(task)) return note;
  return setTaskStatus(note, key, 'cancelled', { today, reason });
}

/**
 * Pairs the tasks of a board in two states: by id; a task without an id by title, if it has got an
 * id since or still has none. The second task of a duplicate id, and tasks in only one state, have
 * no partner.
 */
function pairTasks(before: Board, now: Board): ReadonlyMap<Task, Task> {
  const named = new Map(
    now.tasks.flatMap((task) => (task.key === task.id ? [[task.id, task]] : [])),
  );
  const pairs = new Map<Task, Task>();
  const known = new Set(before.tasks.map(({ id }) => id));
  const free = new Map<string, Task[]>();
  for (const task of now.tasks) {
    if (task.id !== null && known.has(task.id)) continue;
    free.set(task.title, [...(free.get(task.title) ?? []), task]);
  }
  for (const task of before.tasks) {
    const partner = task.id === null ? free.get(task.title)?.shift() : named.get(task.id);
    if (partner !== undefined && (task.id === null || task.key === task.id)) {
      pairs.set(task, partner);
    }
  }
  return pairs;
}

/** Moves a task back under its old parent and heading, unless it is still there. */
function restorePlace(note: Note, before: Note, task: Task, now: Task): EditResult {
  if (now.parent === task.parent && now.phase === task.phase) return note;
  const target = oldPlace(note, before, task);
  if (target !== undefined) return moveTask(note, task.key, target);
  const message = `"${task.title}" stands elsewhere now, and no task or heading shows where it stood. Move it in the note.`;
  return fault('bad_place', message);
}

/**
 * The old place of a task: after the nearest earlier sibling that is still its sibling, else under
 * its parent, else under its heading. Undefined if none of them exists.
 */
function oldPlace(note: Note, before: Note, task: Task): MoveTarget | undefined {
  const now = new Map(note.board.tasks.map((one) => [one.key, one]));
  const at = before.board.tasks.findIndex(({ key }) => key === task.key);
  const sibling = before.board.tasks.slice(0, at).findLast((other) => {
    const there = now.get(other.key);
    const beside = other.parent === task.parent && other.phase === task.phase;
    return beside && there?.parent === task.parent && there.phase === task.phase;
  });
  if (sibling !== undefined) return { after: sibling.key };
  if (task.parent !== null) return now.has(task.parent) ? { parent: task.parent } : undefined;
  return task.phase === null ? undefined : { phase: task.phase };
}

/** Restores a removed task: its line as it was, at its old place, with the text under it. */
function restoreRemovedTask(note: Note, before: Note, task: Task, today: string): EditResult {
  const old = locateTask(before, task.key);
  if (!old.ok) return old;
  const now = addTask(note, { title: 'restored', today, ...oldPlace(note, before, task) });
  if (!now.ok) return now;
  const found = locateTask(now, now.id);
  if (!found.ok) return found;
  const { box, lineEnd } = found.block;
  const line = before.text.slice(old.block.box, old.block.lineEnd);
  const back = withSplices(now, [{ from: box, to: lineEnd, text: line }]);
  return task.body.length === 0 ? back : setTaskBody(back, task.key, task.body.join('\n'));
}

/**
 * Gives each task line its old text from the checkbox on, byte for byte. A task that has got an id
 * since keeps it, and gets its other old values back.
 */
function restoreLines(note: Note, before: Note, today: string): Note {
  const splices: Splice[] = [];
  const named: (readonly [Task, Task])[] = [];
  for (const [was, is] of pairTasks(before.board, note.board)) {
    if (was.id === null && is.id !== null) named.push([was, is]);
    else splices.push(...lineSplices(note, before, was, is));
  }
  return named.reduce(
    (now, [was, { key }]) => restoreFacts(now, was, key, today),
    withSplices(note, splices),
  );
}

function lineSplices(note: Note, before: Note, was: Task, is: Task): readonly Splice[] {
  const old = before.layout?.scan.blocks[before.board.tasks.indexOf(was)];
  const now = note.layout?.scan.blocks[note.board.tasks.indexOf(is)];
  if (old === undefined || now === undefined) return [];
  return [{ from: now.box, to: now.lineEnd, text: before.text.slice(old.box, old.lineEnd) }];
}

/** Restores the values of a task; a line that can't be edited stays as it is. */
function restoreFacts(note: Note, was: Task, key: string, today: string): Note {
  const own = Object.fromEntries(OWN_FIELDS.map((name) => [name, was[name]]));
  const { status, priority, due, dependsOn } = was;
  const edits = [
    (now: Note) => setTaskStatus(now, key, status, { today }),
    (now: Note) => setTaskFields(now, key, { ...own, priority, due }),
    (now: Note) => setTaskDependsOn(now, key, dependsOn),
  ];
  return edits.reduce((now, edit) => {
    const edited = edit(now);
    return edited.ok ? edited : now;
  }, note);
}
