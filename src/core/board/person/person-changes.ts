import { StoreError, type Clock, type Ids } from '../../ports';
import type { BoardFiles } from '../board-files';
import { readBoardPath } from '../board-path';
import { boardFacts } from '../facts';
import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board } from '../task';
import { applyPerson, type AppliedByPerson, type TouchedLine } from './apply-person';
import type { PersonAnswer, PersonOperation, UndoAnswer } from './person-operation';
import { undoPerson } from './undo-person';

/** Changes that can be taken back; older ones are forgotten. */
const MOST_UNDO = 200;

interface Change {
  readonly path: string;
  readonly touched: ReadonlyMap<string, TouchedLine>;
}

/** A person's writes on boards, and taking them back. */
export class PersonChanges {
  private readonly changes = new Map<string, Change>();

  constructor(
    private readonly files: BoardFiles,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async apply(path: string, operations: readonly PersonOperation[]): Promise<PersonAnswer> {
    const today = this.clock.today();
    const done = await this.write(path, (note) => raised(applyPerson(note, operations, today)));
    if (!done.ok) return done;
    const { before, board, touched } = done;
    const change = this.ids.unique();
    this.changes.set(change, { path, touched });
    const [oldest] = this.changes.keys();
    if (this.changes.size > MOST_UNDO && oldest !== undefined) this.changes.delete(oldest);
    return { ok: true, change, board, frees: freed(before, board) };
  }

  async undo(token: string): Promise<UndoAnswer> {
    const change = this.changes.get(token);
    if (change === undefined) {
      return { ok: false, code: 'unknown_change', message: 'This change can no longer be undone.' };
    }
    const { path, touched } = change;
    const done = await this.write(path, (note) => {
      const undone = undoPerson(note, touched);
      return undone.ok ? { ...undone, touched } : undone;
    });
    if (!done.ok) return done;
    this.changes.delete(token);
    return { ok: true, board: done.board };
  }

  private write(
    path: string,
    edit: (note: Note) => AppliedByPerson,
  ): Promise<
    { ok: true; before: Board; board: Board; touched: ReadonlyMap<string, TouchedLine> } | Fault
  > {
    if (readBoardPath(this.files.root, path) === undefined) {
      return Promise.resolve(fault('unknown_board', `${path} is no board.`));
    }
    return this.files.exclusively(path, async () => {
      let before: Note | undefined;
      let done: AppliedByPerson | undefined;
      try {
        await this.files.store.update(path, (text) => {
          before = text === undefined ? undefined : parseNote(path, text);
          done = before && editable(before, edit);
          return done?.ok === true ? done.note.text : undefined;
        });
      } catch (error) {
        if (error instanceof StoreError) return fault(error.code, error.message);
        throw error;
      }
      if (before === undefined || done === undefined) return fault('unknown_board', NO_NOTE);
      this.files.learn(path, before, 'disk');
      if (!done.ok) return done;
      const { board } = this.files.learn(path, done.note, 'person');
      return { ok: true, before: before.board, board, touched: done.touched };
    });
  }
}

const NO_NOTE = 'The note of this board is no longer there.';

function editable(note: Note, edit: (note: Note) => AppliedByPerson): AppliedByPerson {
  const { broken } = note.board;
  if (broken === null) return edit(note);
  return fault('broken_note', `This note is read-only until it is repaired. ${broken.reason}`);
}

/** One write is one step of `rev`. */
function raised(applied: AppliedByPerson): AppliedByPerson {
  if (!applied.ok) return applied;
  const result = bumpRev(applied.note);
  if (!result.ok) return result;
  return { ...applied, note: parseNote(applied.note.board.path, result.text) };
}

/** How many tasks waited before and don't any more. */
function freed(before: Board, after: Board): number {
  const [was, is] = [boardFacts(before), boardFacts(after)];
  return after.tasks.filter(
    ({ key, status }) =>
      status === 'pending' && was.get(key)?.blocked === true && is.get(key)?.blocked === false,
  ).length;
}
