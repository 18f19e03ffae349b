import { closedFault } from '../succession/closed-fault';
import { setTitle } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { checkTitle } from '../note/title';
import { analyse } from './analyse';
import { applyAdd } from './apply-add';
import { applyArchive } from './apply-archive';
import { applyClaim } from './apply-claim';
import { applyMove } from './apply-move';
import { applyRemove } from './apply-remove';
import { applyRestore } from './apply-restore';
import { applyUndo, listHistory } from './apply-undo';
import { applyUpdate } from './apply-update';
import { quoted } from './find-task';
import { meant } from './meant';
import { failed, fault, type Applied, type OperationContext } from './outcome';
import { getTask, readyTasks } from './read-board';
import type { Conflict, Operation, OperationOf } from './read-operation';

/**
 * Carries out one operation on a board's note (undefined: there is none yet). Pure: what failed
 * leaves the note as it was.
 */
export function applyOperation(
  note: Note | undefined,
  operation: Operation,
  context: OperationContext,
): Applied {
  if (note === undefined) return applyToNothing(operation, context);
  const { broken } = note.board;
  if (broken !== null) {
    return failed(
      note,
      fault(
        'broken_note',
        `The note of this board can't be read and is not written until the person has repaired it. ${broken.reason}`,
      ),
    );
  }
  const { continued } = note.board;
  if (continued !== undefined) return failed(note, closedFault(continued));
  const applied = applyTo(note, operation, context);
  const { outcome } = applied;
  const which = outcome.ok ? meant(note, operation, context) : '';
  if (!outcome.ok || which === '') return applied;
  return { ...applied, outcome: { ...outcome, said: outcome.said + which } };
}

function applyTo(note: Note, operation: Operation, context: OperationContext): Applied {
  switch (operation.type) {
    case 'init':
      return applyInit(note, operation, context);
    case 'add':
      return applyAdd(note, operation, context);
    case 'update':
    case 'complete':
    case 'depend':
    case 'undepend':
      return applyUpdate(note, operation, context);
    case 'move':
      return applyMove(note, operation, context);
    case 'remove':
      return applyRemove(note, operation, context);
    case 'claim':
      return applyClaim(note, operation, context);
    case 'archive':
      return applyArchive(note, operation, context);
    case 'restore':
      return applyRestore(note, operation, context);
    case 'undo':
      return applyUndo(note, context);
    case 'history':
      return listHistory(note, context);
    case 'list':
      return listed(note);
    case 'analyze':
      return analyse(note, operation, context);
    case 'get':
      return getTask(note, operation, context);
    case 'ready':
      return readyTasks(note);
  }
}

function applyToNothing(operation: Operation, context: OperationContext): Applied {
  if (operation.type === 'list' || operation.type === 'analyze') {
    const said = 'there is no board yet; init or add makes one.';
    return { note: undefined, outcome: { ok: true, said, result: { tasks: 0 } } };
  }
  if (operation.type === 'init') {
    const checked = checkTitle(operation.title);
    if (!checked.ok) return failed(undefined, checked);
    const made = parseNote(context.path, context.fresh(checked.title));
    const { title } = made.board;
    const said = `the board ${quoted(title)} is made.`;
    return { note: made, outcome: { ok: true, said, result: { title, made: true } } };
  }
  if (operation.type === 'add') {
    const made = parseNote(context.path, context.fresh(undefined));
    const added = applyAdd(made, operation, context);
    return added.outcome.ok ? added : { ...added, note: undefined };
  }
  return failed(
    undefined,
    fault('no_board', 'There is no such board in this session yet. Make it with init or add.'),
  );
}

function applyInit(
  note: Note,
  operation: OperationOf<'init'>,
  { path, theirs }: OperationContext,
): Applied {
  const checked = checkTitle(operation.title);
  if (!checked.ok) return failed(note, checked);
  const renamed = theirs.find(({ field }) => field === 'board title');
  if (renamed !== undefined && renamed.after !== checked.title) {
    const message = `The person named this board ${quoted(note.board.title)} since you last looked; that stays.`;
    const conflict: Conflict = {
      ...{ id: null, field: 'title', rev: note.board.rev },
      ...{ yours: checked.title, theirs: renamed.after },
    };
    return failed(note, { ...fault('conflict', message), conflicts: [conflict] });
  }
  const result = setTitle(note, checked.title);
  if (!result.ok) return failed(note, result);
  const now = parseNote(path, result.text);
  const { title } = now.board;
  const change =
    note.board.title === title ? 'it has this title' : `its title is now ${quoted(title)}`;
  const said = `the board exists already; ${change}, nothing else was changed.`;
  return { note: now, outcome: { ok: true, said, result: { title, made: false } } };
}

function listed(note: Note): Applied {
  const { length } = note.board.tasks;
  const said = length === 1 ? '1 task.' : `${length} tasks.`;
  return { note, outcome: { ok: true, said, result: { tasks: length } } };
}
