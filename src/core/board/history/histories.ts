import type { Clock, Ids } from '../../ports';
import type { BlockText } from '../archive/block-text';
import type { Note } from '../note/note';
import type { StateFiles } from '../state-file';
import type { Actor } from './actor';
import { readRecords, withRecord, type ChangeRecord } from './change-record';
import { deltaOf } from './record-change';

/** A change that was written, to be kept. */
export interface WrittenChange {
  readonly path: string;
  readonly by: Actor;
  readonly said: readonly string[];
  /** undefined: the change made the note */
  readonly before: Note | undefined;
  readonly after: Note;
  readonly undoes?: string | undefined;
  readonly redoes?: string | undefined;
  readonly archived?: readonly BlockText[] | undefined;
  readonly restored?: readonly BlockText[] | undefined;
}

/**
 * What was done to each board, beside the notes. It is written right after the note, in the same
 * turn: a crash in between loses the undo of one change, never a task.
 */
export class Histories {
  constructor(
    private readonly state: StateFiles,
    private readonly root: string,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Oldest first. A damaged history is as good as none. */
  async records(path: string): Promise<readonly ChangeRecord[]> {
    return readRecords(await this.state.history(this.placeOf(path)));
  }

  /** A name for a change that tells its board. */
  draw(path: string): string {
    return `${this.placeOf(path)}#${this.ids.unique()}`;
  }

  /** The board that a change was made on, undefined where the name is none. */
  boardOf(change: string): string | undefined {
    const end = change.lastIndexOf('#');
    return end <= 0 ? undefined : `${this.root}/${change.slice(0, end)}`;
  }

  /** @throws StoreError where it could not be kept */
  async keep(change: string, written: WrittenChange): Promise<void> {
    const { path, by, said, before, after, undoes, redoes, archived, restored } = written;
    const record: ChangeRecord = {
      change,
      at: this.clock.now(),
      by,
      said: [...said],
      rev: after.board.rev,
      ...(undoes !== undefined && { undoes }),
      ...(redoes !== undefined && { redoes }),
      ...deltaOf(before, after, archived),
      ...(archived !== undefined && archived.length > 0 && { archived: [...archived] }),
      ...(restored !== undefined && restored.length > 0 && { restored: [...restored] }),
    };
    await this.state.keepHistory(this.placeOf(path), (text) => withRecord(text, record));
  }

  private placeOf(path: string): string {
    return path.slice(this.root.length + 1);
  }
}
