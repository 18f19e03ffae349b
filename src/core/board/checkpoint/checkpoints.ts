import type { Clock, NoteStore } from '../../ports';
import { readBoardPath } from '../board-path';
import { boardChanges, type TaskChange } from '../digest';
import type { Actor } from '../history/actor';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { checkTitle } from '../note/title';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { PersonAnswer } from '../person/person-operation';
import type { StateFiles } from '../state-file';
import { CheckpointFiles, type Checkpoint, type StoredCheckpoint } from './checkpoint-files';
import type { CheckpointMetadata } from './checkpoint-text';
import { rollBack, type RolledBack } from './roll-back';

export interface CheckpointDeps {
  readonly state: StateFiles;
  readonly store: NoteStore;
  readonly root: string;
  readonly clock: Clock;
  /** one write of a whole board */
  readonly edit: (
    path: string,
    by: Actor,
    said: string,
    change: (note: Note | undefined) => { readonly ok: true; readonly text: string } | Fault,
  ) => Promise<PersonAnswer>;
}

/** Whose wish a checkpoint is, and what it is called. */
export type CheckpointWish = Pick<CheckpointMetadata, 'by'> & { readonly label?: string };

export type CheckpointAnswer = { readonly ok: true; readonly checkpoint: Checkpoint } | Fault;

/** What going back would change, or did: by task and field, in words of `before` and `after` it. */
export type CheckpointDiff =
  | {
      readonly ok: true;
      readonly checkpoint: Checkpoint;
      readonly changes: readonly TaskChange[];
      /** what can't be put back as it was, a sentence each */
      readonly left: readonly string[];
    }
  | Fault;

export type RollBackAnswer =
  | (Extract<CheckpointDiff, { ok: true }> & {
      /** of the history, to undo it */
      readonly change: string;
    })
  | Fault;

/** States of boards to go back to. */
export class Checkpoints {
  private readonly files: CheckpointFiles;

  constructor(private readonly deps: CheckpointDeps) {
    this.files = new CheckpointFiles(deps.state, deps.root);
  }

  /** Keeps the board as it is now. @throws StoreError */
  async add(path: string, { by, label }: CheckpointWish): Promise<CheckpointAnswer> {
    const name = label === undefined ? undefined : checkTitle(label, 'label');
    if (name?.ok === false) return name;
    const note = await this.read(path);
    if (!note.ok) return note;
    const at = this.deps.clock.now();
    const data = { at, by, label: name?.title ?? null, rev: note.note.board.rev };
    const checkpoint = await this.files.add(path, data, note.note.text);
    return { ok: true, checkpoint };
  }

  /** Newest first; none for what is no board. */
  async list(path: string): Promise<readonly Checkpoint[]> {
    if (readBoardPath(this.deps.root, path) === undefined) return [];
    return (await this.files.all(path)).map(withoutNote);
  }

  /** What rolling back would change now, without doing it. */
  async diff(path: string, n: number): Promise<CheckpointDiff> {
    const found = await this.find(path, n);
    if (!found.ok) return found;
    const now = await this.deps.store.read(path);
    const note = now === undefined ? undefined : parseNote(path, now);
    const back = this.back(note, found);
    if (!back.ok) return back;
    const after = parseNote(path, back.text);
    const changes = changesOf(note, after);
    return { ok: true, checkpoint: withoutNote(found.checkpoint), changes, left: back.left };
  }

  /** The tasks as they were at the checkpoint (`rollBack`), in one write that can be undone. */
  async rollBack(path: string, n: number, by: Actor): Promise<RollBackAnswer> {
    const found = await this.find(path, n);
    if (!found.ok) return found;
    let made: { readonly back: RolledBack; readonly before: Note | undefined } | undefined;
    const said = `rolled back to ${nameOf(found.checkpoint)}`;
    const written = await this.deps.edit(path, by, said, (note) => {
      const back = this.back(note, found);
      if (back.ok) made = { back, before: note };
      return back;
    });
    if (!written.ok) return written;
    if (made === undefined) throw new Error('assertion: a write without its outcome');
    const changes = changesOf(made.before, parseNote(path, made.back.text));
    const { left } = made.back;
    const { change } = written;
    return { ok: true, checkpoint: withoutNote(found.checkpoint), changes, left, change };
  }

  /** A board that is gone stands again whole. */
  private back(now: Note | undefined, { note, checkpoint }: Found): RolledBack | Fault {
    if (now === undefined) return { ok: true, text: note.text, left: [] };
    return rollBack(now, note, { today: this.deps.clock.today(), name: nameOf(checkpoint) });
  }

  private async find(path: string, n: number): Promise<Found | Fault> {
    if (readBoardPath(this.deps.root, path) === undefined) return notBoard(path);
    const checkpoint = await this.files.one(path, n);
    if (checkpoint !== undefined) {
      return { ok: true, checkpoint, note: parseNote(path, checkpoint.note) };
    }
    const known = (await this.files.all(path)).map((one) => one.n);
    const there = known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 10).join(', ')}.`;
    return fault('unknown_checkpoint', `This board has no checkpoint ${n}. ${there}`);
  }

  private async read(path: string): Promise<{ readonly ok: true; readonly note: Note } | Fault> {
    if (readBoardPath(this.deps.root, path) === undefined) return notBoard(path);
    const text = await this.deps.store.read(path);
    if (text === undefined) {
      return fault('unknown_board', 'There is no note of this board to keep.');
    }
    const note = parseNote(path, text);
    const { broken } = note.board;
    if (broken === null) return { ok: true, note };
    const message = `A note that can't be read is no state to go back to. ${broken.reason}`;
    return fault('broken_note', message);
  }
}

interface Found {
  readonly ok: true;
  readonly checkpoint: StoredCheckpoint;
  readonly note: Note;
}

/** `checkpoint 3 "before the refactoring"`. */
function nameOf({ n, label }: Checkpoint): string {
  return label === null ? `checkpoint ${n}` : `checkpoint ${n} "${label}"`;
}

function withoutNote({ n, at, by, label, rev }: StoredCheckpoint): Checkpoint {
  return { n, at, by, label, rev };
}

function changesOf(before: Note | undefined, after: Note): readonly TaskChange[] {
  const none = { ...after.board, tasks: [] };
  return boardChanges(before?.board ?? none, after.board);
}

function notBoard(path: string): Fault {
  return fault('unknown_board', `${path} is no board.`);
}
