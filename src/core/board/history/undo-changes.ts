import { catchStoreError, storeFault, type Fault } from '../../fault';
import type { Archives } from '../archive/archives';
import type { BoardFiles } from '../board-files';
import type { Note } from '../note/note';
import { taskBlockText, type PendingMove, type PendingMoves } from '../pending-moves';
import type { Board } from '../task';
import type { Actor } from './actor';
import type { BoardWriter, CommitResult, ChangeEntry } from './board-writer';
import type { ChangeRecord } from './change-record';
import { undoStacks, originalChange, type Histories } from './histories';
import { undoRecord, undoRefused } from './undo-record';

export type UndoAnswer =
  | {
      readonly ok: true;
      readonly board: Board;
      /** id of the undo itself, which can be redone */
      readonly change: string;
      /** descriptions of the change that was undone (or redone) */
      readonly said: readonly string[];
    }
  | Fault;

/** Undoes and redoes changes from the history of a board. */
export class UndoChanges {
  constructor(
    private readonly files: Pick<BoardFiles, 'load'>,
    private readonly writer: BoardWriter,
    private readonly histories: Histories,
    private readonly archives: Archives,
    private readonly pending: PendingMoves,
  ) {}

  /** Undoes the last change by `by` that is not undone yet. */
  undoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return withStoreFault(async () => {
      await this.pending.finish();
      const records = await this.histories.records(path);
      const last = undoStacks(records, by).done.at(-1);
      return last === undefined
        ? undoRefused('nothing_to_undo', 'nothingToUndo')
        : this.undoOrRedo({ path, records, record: last, by, how: 'undoes' });
    });
  }

  /** Redoes the last change by `by` that was undone, unless `by` did something else since. */
  redoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return withStoreFault(async () => {
      await this.pending.finish();
      const records = await this.histories.records(path);
      const last = undoStacks(records, by).undone.at(-1);
      return last === undefined
        ? undoRefused('nothing_to_redo', 'nothingToRedo')
        : this.undoOrRedo({ path, records, record: last, by, how: 'redoes' });
    });
  }

  /** Undoes a change by its id. A person can undo their own changes, and their imports. */
  undo(change: string): Promise<UndoAnswer> {
    return withStoreFault(() => this.undoNamed(change));
  }

  private async undoNamed(change: string): Promise<UndoAnswer> {
    await this.pending.finish();
    const path = this.histories.boardOf(change);
    const records = path === undefined ? [] : await this.histories.records(path);
    const known = records.find((one) => one.change === change);
    if (path === undefined || known === undefined) {
      return undoRefused('unknown_change', 'unknown');
    }
    if (known.by.kind === 'agent') {
      return undoRefused('not_yours', 'notYours', { who: known.by.name });
    }
    const first = originalChange(known, records);
    const standing = undoStacks(records).done.find((one) => originalChange(one, records) === first);
    return standing === undefined
      ? undoRefused('already_undone', 'already')
      : this.undoOrRedo({ path, records, record: standing, by: known.by, how: 'undoes' });
  }

  /**
   * Undoes or redoes a change, together with its other half on another board if there is one: both,
   * or none.
   */
  private async undoOrRedo(one: UndoStep): Promise<UndoAnswer> {
    const { record } = one;
    if (record.with === undefined) return this.undoOnBoard(one);
    const other = await this.findOtherStep(one, record.with.change);
    if (!other.ok) return other;
    // Tasks are added to one board before they are removed from the other.
    const [gain, lose] = record.gone === undefined ? [other, one] : [one, other];
    const done = await this.undoMove(gain, lose);
    if (!done.ok) return done;
    return { ...(gain === one ? done.gain : done.lose), said: record.said };
  }

  private async findOtherStep(
    one: UndoStep,
    change: string,
  ): Promise<({ readonly ok: true } & UndoStep) | Fault> {
    const { how, by } = one;
    const path = this.histories.boardOf(change);
    const records = path === undefined ? [] : await this.histories.records(path);
    const known = records.find((record) => record.change === change);
    if (path === undefined || known === undefined) {
      return undoRefused('unknown_change', 'otherUnknown', { path: path ?? change });
    }
    const stack = undoStacks(records)[how === 'undoes' ? 'done' : 'undone'];
    const first = originalChange(known, records);
    const record = stack.find((entry) => originalChange(entry, records) === first);
    if (record !== undefined) return { ok: true, path, records, record, by, how };
    const since = how === 'undoes' ? 'otherUndone' : 'otherChanged';
    return undoRefused('already_undone', since, { path });
  }

  private async undoMove(
    gain: UndoStep,
    lose: UndoStep,
  ): Promise<{ readonly ok: true; readonly gain: Undone; readonly lose: Undone } | Fault> {
    const { pending, histories } = this;
    const note = (await this.files.load(lose.path, false))?.note;
    if (note === undefined) return undoRefused('unknown_board', 'gone');
    // Checks the second board too before the first is written.
    const possible = undoRecord(note, lose.record, laterRecords(lose), await this.archive(lose));
    if (!possible.ok) return possible;
    const ids = lose.record.with?.ids ?? [];
    const titles = new Map(note.board.tasks.map(({ id, title }) => [id, title]));
    const [left, came] = [histories.draw(lose.path), histories.draw(gain.path)];
    const move: PendingMove = {
      ...{ from: lose.path, to: gain.path, left, came },
      tasks: ids.map(([own, there]) => [own, there, titles.get(own) ?? '']),
      text: taskBlockText(note, new Set(ids.map(([own]) => own))) ?? '',
      [lose.how]: lose.record.change,
    };
    await pending.begin(move);
    const there = ids.map(([own, id]): [string, string] => [id, own]);
    const first = await this.undoOnBoard(gain, { name: came, with: { change: left, ids: there } });
    if (!first.ok) {
      // It may have been written nevertheless.
      await pending.settle(move, false);
      return first;
    }
    const second = await this.undoOnBoard(lose, { name: left, with: { change: came, ids } });
    if (second.ok) {
      await pending.end(move);
      return { ok: true, gain: first, lose: second };
    }
    const now = (await this.files.load(gain.path, false))?.note;
    const written = now && taskBlockText(now, new Set(ids.map(([, id]) => id)));
    const back = await pending.settle({ ...move, there: written }, true, 'to');
    const board = back === undefined && (await this.files.load(lose.path, false))?.board;
    // If they are only on this board, another program has completed the move.
    return board && written
      ? { ok: true, gain: first, lose: { ...first, board, change: left } }
      : second;
  }

  private async archive({ record, path }: UndoStep): Promise<Note | undefined> {
    return record.archived === undefined ? undefined : this.archives.read(path);
  }

  private async undoOnBoard(
    one: UndoStep,
    entry?: Pick<ChangeEntry, 'name' | 'with'>,
  ): Promise<UndoAnswer> {
    const { path, records, record, by, how } = one;
    const { said } = record;
    const archive = await this.archive(one);
    const verb = how === 'undoes' ? 'undone' : 'done again';
    const written: CommitResult = await this.writer.write(
      path,
      by,
      (note) => {
        if (note === undefined) return undoRefused('unknown_board', 'gone');
        const undone = undoRecord(note, record, laterRecords(one), archive);
        if (!undone.ok) return undone;
        const first =
          records.find(({ change }) => change === originalChange(record, records)) ?? record;
        return {
          ok: true,
          note: undone.note,
          archived: undone.archived,
          restored: undone.restored,
          said: first.said.map((line) => `${verb}: ${line}`),
          [how]: record.change,
          ...entry,
        };
      },
      true,
    );
    if (!written.ok) return written;
    return { ok: true, board: written.board, change: written.change, said };
  }
}

/** A record to undo or redo on its board. */
interface UndoStep {
  readonly path: string;
  readonly records: readonly ChangeRecord[];
  readonly record: ChangeRecord;
  readonly by: Actor;
  readonly how: 'undoes' | 'redoes';
}

type Undone = Extract<UndoAnswer, { ok: true }>;

function laterRecords({ records, record }: UndoStep): readonly ChangeRecord[] {
  return records.slice(records.indexOf(record) + 1);
}

/** Turns store errors into faults: if history or archive can't be read, nothing was written. */
function withStoreFault(work: () => Promise<UndoAnswer>): Promise<UndoAnswer> {
  return catchStoreError(work, storeFault);
}
