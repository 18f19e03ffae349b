import { addTask } from '../note/add-task';
import { setTaskStatus, setTaskTitle } from '../note/edit-task';
import type { EditResult } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { withIds } from '../operation/edit-chain';
import { quoted, withTitle } from '../operation/find-task';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board, Task, TaskTarget } from '../task';
import type { PersonOperation } from './person-operation';

/** `said`: what was done, a line each, for the history. */
export type AppliedByPerson =
  { readonly ok: true; readonly note: Note; readonly said: readonly string[] } | Fault;

/** A person's operations, all of them or none. Each names its tasks as the view saw them. */
export function applyPerson(
  note: Note,
  operations: readonly PersonOperation[],
  today: string,
): AppliedByPerson {
  let now = note;
  const said: string[] = [];
  for (const operation of operations) {
    const done =
      operation.type === 'add' ? add(now, operation, today) : change(now, operation, today);
    if (!done.ok) return done;
    said.push(done.said);
    now = done.note;
  }
  return { ok: true, note: now, said };
}

type Step = { readonly ok: true; readonly note: Note; readonly said: string } | Fault;

function change(
  note: Note,
  operation: Exclude<PersonOperation, { type: 'add' }>,
  today: string,
): Step {
  const task = findTarget(note.board, operation.target);
  if (task === undefined) return gone(operation.target);
  const named = withIds(note, [task]);
  if (!named.ok) return named;
  const [id = ''] = named.ids;
  const result: EditResult =
    operation.type === 'rename'
      ? setTaskTitle(named.note, id, operation.title)
      : setTaskStatus(named.note, id, operation.status, {
          today,
          ...(operation.reason !== undefined && { reason: operation.reason }),
        });
  if (!result.ok) return result;
  const name = withTitle(task);
  const said =
    operation.type === 'rename'
      ? `${name} is called ${quoted(operation.title)}`
      : `${name} is ${operation.status}`;
  return { ok: true, note: parseNote(note.board.path, result.text), said };
}

function add(
  note: Note,
  operation: Extract<PersonOperation, { type: 'add' }>,
  today: string,
): Step {
  const { title, phase } = operation;
  const after = operation.after && findTarget(note.board, operation.after);
  if (operation.after !== undefined && after === undefined) return gone(operation.after);
  const parent = operation.parent && findTarget(note.board, operation.parent);
  if (operation.parent !== undefined && parent === undefined) return gone(operation.parent);
  const named = withIds(note, parent === undefined ? [] : [parent]);
  if (!named.ok) return named;
  const [under] = named.ids;
  const added = addTask(named.note, {
    title,
    today,
    ...(after !== undefined && {
      after: after === parent && under !== undefined ? under : after.key,
    }),
    ...(under !== undefined && { parent: under }),
    ...(phase !== undefined && { phase }),
  });
  if (!added.ok) return added;
  const now = parseNote(note.board.path, added.text);
  return { ok: true, note: now, said: `added ${quoted(title)}` };
}

/** By id; a line without one where the view saw it, else by its title if that is the only one. */
function findTarget(board: Board, { id, line, title }: TaskTarget): Task | undefined {
  if (id !== null) return board.tasks.find((task) => task.id === id);
  const titled = board.tasks.filter((task) => task.id === null && task.title === title);
  return titled.find((task) => task.line === line) ?? (titled.length === 1 ? titled[0] : undefined);
}

function gone({ title }: TaskTarget): Fault {
  return fault(
    'unknown_task',
    `"${title}" is no longer there, or was changed. Look at the board again.`,
  );
}
