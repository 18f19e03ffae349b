import { StoreError, type Clock } from '../../ports';
import { pastArchived } from '../archive/past-archived';
import { PERSON } from '../history/actor';
import type { BoardWriter } from '../history/board-writer';
import type { Note } from '../note/note';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { applyPerson } from './apply-person';
import type { PersonAnswer, PersonOperation } from './person-operation';

/** A person's operations on boards. */
export class PersonChanges {
  constructor(
    private readonly writer: BoardWriter,
    private readonly clock: Clock,
  ) {}

  /** All of them in one write, or none. */
  async apply(path: string, operations: readonly PersonOperation[]): Promise<PersonAnswer> {
    const today = this.clock.today();
    const read = await this.archiveFor(path, operations);
    if (!read.ok) return read;
    const { archive } = read;
    const moves = operations.some(({ type }) => type === 'archive');
    const change = (note: Note | undefined) =>
      note === undefined
        ? fault('unknown_board', NO_NOTE)
        : applyPerson(pastArchived(note), operations, { today, archive });
    return this.writer.write(path, PERSON, change, moves);
  }

  private async archiveFor(
    path: string,
    operations: readonly PersonOperation[],
  ): Promise<{ readonly ok: true; readonly archive: Note | undefined } | Fault> {
    if (operations.every(({ type }) => type !== 'restore')) return { ok: true, archive: undefined };
    try {
      return { ok: true, archive: await this.writer.archives.read(path) };
    } catch (error) {
      if (error instanceof StoreError) return fault(error.code, error.message);
      throw error;
    }
  }
}

const NO_NOTE = 'The note of this board is no longer there.';
