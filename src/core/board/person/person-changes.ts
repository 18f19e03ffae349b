import type { Clock } from '../../ports';
import { pastArchived } from '../archive/past-archived';
import { PERSON } from '../history/actor';
import type { BoardWriter } from '../history/board-writer';
import { fault } from '../operation/outcome';
import { applyPerson } from './apply-person';
import type { PersonAnswer, PersonOperation } from './person-operation';

/** A person's operations on boards. */
export class PersonChanges {
  constructor(
    private readonly writer: BoardWriter,
    private readonly clock: Clock,
  ) {}

  /** All of them in one write, or none. */
  apply(path: string, operations: readonly PersonOperation[]): Promise<PersonAnswer> {
    const today = this.clock.today();
    return this.writer.write(path, PERSON, (note) => {
      if (note === undefined) return fault('unknown_board', NO_NOTE);
      const applied = applyPerson(pastArchived(note), operations, today);
      return applied.ok ? { ...applied, text: applied.note.text } : applied;
    });
  }
}

const NO_NOTE = 'The note of this board is no longer there.';
