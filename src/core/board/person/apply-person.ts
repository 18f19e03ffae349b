import type { BlockText } from '../archive/block-text';
import { setTitle } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { quoted } from '../operation/find-task';
import type { Fault } from '../operation/read-operation';
import { archiveByPerson, restoreByPerson } from './archive-task';
import { changeTask } from './change-task';
import type { PersonOperation } from './person-operation';
import { addTaskHere, moveTaskHere, removeTaskHere } from './place-task';

/** What one operation makes of a note. */
export type PersonStep =
  | {
      readonly ok: true;
      readonly text: string;
      /** what was done, for the history */
      readonly said: string;
      /** what goes to the archive, and what comes out of it */
      readonly archived?: readonly BlockText[];
      readonly restored?: readonly BlockText[];
    }
  | Fault;

/** What a person's operations are carried out with. */
export interface PersonContext {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /** what was archived, where an operation asks for it */
  readonly archive: Note | undefined;
}

export type AppliedByPerson =
  | {
      readonly ok: true;
      readonly text: string;
      readonly said: readonly string[];
      readonly blocks: readonly BlockText[];
      readonly restored: readonly BlockText[];
    }
  | Fault;

/** A person's operations, all of them or none. Each names its tasks as the view saw them. */
export function applyPerson(
  note: Note,
  operations: readonly PersonOperation[],
  context: PersonContext,
): AppliedByPerson {
  let now = note;
  const said: string[] = [];
  const blocks: BlockText[] = [];
  const restored: BlockText[] = [];
  for (const operation of operations) {
    const done = applyOne(now, operation, context);
    if (!done.ok) return done;
    said.push(done.said);
    blocks.push(...(done.archived ?? []));
    restored.push(...(done.restored ?? []));
    if (done.text !== now.text) now = parseNote(note.board.path, done.text);
  }
  return { ok: true, text: now.text, said, blocks, restored };
}

function applyOne(note: Note, operation: PersonOperation, context: PersonContext): PersonStep {
  switch (operation.type) {
    case 'add':
      return addTaskHere(note, operation, context.today);
    case 'move':
      return moveTaskHere(note, operation);
    case 'remove':
      return removeTaskHere(note, operation);
    case 'archive':
      return archiveByPerson(note, operation.target);
    case 'restore':
      return restoreByPerson(note, operation.id, context.archive);
    case 'title': {
      const result = setTitle(note, operation.title);
      const said = `the board is called ${quoted(operation.title)}`;
      return result.ok ? { ok: true, text: result.text, said } : result;
    }
    case 'status':
    case 'rename':
    case 'depend':
    case 'undepend':
    case 'fields':
    case 'renumber':
      return changeTask(note, operation, context.today);
  }
}
