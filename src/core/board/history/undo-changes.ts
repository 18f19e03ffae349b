import { catchStoreError, storeFault, fault, type Fault } from '../../fault';
import type { Archives } from '../archive/archives';
import type { Board } from '../task';
import type { Actor } from './actor';
import type { BoardWriter, BoardWritten } from './board-writer';
import type { ChangeRecord } from './change-record';
import { changeStack, firstOf, type Histories } from './histories';
import { undoRecord } from './undo-record';

export type UndoAnswer =
  | {
      readonly ok: true;
      readonly board: Board;
      /** names the taking back itself, which can be taken back by redo */
      readonly change: string;
      /** what the change had done that was taken back (or done again) */
      readonly said: readonly string[];
    }
  | Fault;

/** Takes changes back and does them again, from what the history beside a board keeps. */
export class UndoChanges {
  constructor(
    private readonly writer: BoardWriter,
    private readonly histories: Histories,
    private readonly archives: Archives,
  ) {}

  /** The last change of `by` that stands. */
  undoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return answered(async () => {
      const records = await this.histories.records(path);
      const last = changeStack(records, by).done.at(-1);
      return last === undefined
        ? fault('nothing_to_undo', 'There is nothing to undo.')
        : this.takeBack(path, records, last, by, 'undoes');
    });
  }

  /** The last change of `by` that was taken back, unless something else was done since. */
  redoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return answered(async () => {
      const records = await this.histories.records(path);
      const last = changeStack(records, by).undone.at(-1);
      return last === undefined
        ? fault('nothing_to_redo', 'There is nothing to redo.')
        : this.takeBack(path, records, last, by, 'redoes');
    });
  }

  /** A change by its name. A person takes back their own, and what they imported. */
  undo(change: string): Promise<UndoAnswer> {
    return answered(() => this.undoNamed(change));
  }

  private async undoNamed(change: string): Promise<UndoAnswer> {
    const path = this.histories.boardOf(change);
    const records = path === undefined ? [] : await this.histories.records(path);
    const known = records.find((one) => one.change === change);
    if (path === undefined || known === undefined) {
      return fault(
        'unknown_change',
        'The history of the board no longer has this change, so nothing was undone. Change the tasks by hand.',
      );
    }
    if (known.by.kind === 'agent') {
      return fault(
        'not_yours',
        `${known.by.name} made this change, so it was not undone for you. Change the tasks by hand instead.`,
      );
    }
    const first = firstOf(known, records);
    const standing = changeStack(records).done.find((one) => firstOf(one, records) === first);
    return standing === undefined
      ? fault('already_undone', 'This change was undone already, so nothing was written.')
      : this.takeBack(path, records, standing, known.by, 'undoes');
  }

  private async takeBack(
    path: string,
    records: readonly ChangeRecord[],
    record: ChangeRecord,
    by: Actor,
    how: 'undoes' | 'redoes',
  ): Promise<UndoAnswer> {
    const later = records.slice(records.indexOf(record) + 1);
    const { said } = record;
    const archive = record.archived === undefined ? undefined : await this.archives.read(path);
    const verb = how === 'undoes' ? 'undone' : 'done again';
    const written: BoardWritten = await this.writer.write(
      path,
      by,
      (note) => {
        if (note === undefined) return fault('unknown_board', GONE);
        const undone = undoRecord(note, record, later, archive);
        if (!undone.ok) return undone;
        const first = records.find(({ change }) => change === firstOf(record, records)) ?? record;
        return {
          ok: true,
          note: undone.note,
          archived: undone.archived,
          restored: undone.restored,
          said: first.said.map((line) => `${verb}: ${line}`),
          [how]: record.change,
        };
      },
      true,
    );
    if (!written.ok) return written;
    return { ok: true, board: written.board, change: written.change, said };
  }
}

/** A history or an archive that can't be read refuses: nothing was written then. */
function answered(work: () => Promise<UndoAnswer>): Promise<UndoAnswer> {
  return catchStoreError(work, storeFault);
}

const GONE =
  'The note of this board is no longer there, so nothing was undone. Bring it back from the trash or a backup first.';
