import { addTask } from '../note/add-task';
import { moveTask } from '../note/move-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { removeTask } from '../note/remove-task';
import { quoted, withTitle } from '../operation/find-task';
import { newCycle } from '../operation/new-cycle';
import { fault } from '../operation/outcome';
import type { TaskTarget } from '../task';
import type { PersonStep } from './apply-person';
import { findTarget, withTargets } from './find-target';
import type { PersonOperation } from './person-operation';

type Of<T extends PersonOperation['type']> = Extract<PersonOperation, { type: T }>;

/** A person's new task: `after` goes before `parent` and `phase`. */
export function addTaskHere(note: Note, operation: Of<'add'>, today: string): PersonStep {
  const { title, phase, after, parent } = operation;
  const behind = after && findTarget(note.board, after);
  if (behind?.ok === false) return behind;
  const named = withTargets(note, parent === undefined ? [] : [parent]);
  if (!named.ok) return named;
  const [under] = named.keys;
  const [above] = named.tasks;
  const follows = behind?.task.key === above?.key ? under : behind?.task.key;
  const added = addTask(named.note, {
    title,
    today,
    ...(follows !== undefined && after !== undefined && { after: follows }),
    ...(under !== undefined && { parent: under }),
    ...(phase !== undefined && { phase }),
  });
  return added.ok ? { ok: true, text: added.text, said: `added ${quoted(title)}` } : added;
}

/** After a task, under a parent or to the end of a phase. */
export function moveTaskHere(note: Note, operation: Of<'move'>): PersonStep {
  const { target, after, parent, phase } = operation;
  const beside = after ?? parent;
  const count = [after, parent, phase].filter((place) => place !== undefined).length;
  if (count !== 1) {
    return fault('bad_place', 'A task goes behind another, under another, or into a phase.');
  }
  const named = withTargets(note, [target, ...(beside === undefined ? [] : [beside])]);
  if (!named.ok) return named;
  const [key = '', other = ''] = named.keys;
  const [task] = named.tasks;
  const place =
    phase === undefined ? { [after === undefined ? 'parent' : 'after']: other } : { phase };
  const moved = moveTask(named.note, key, place);
  if (!moved.ok || task === undefined) return moved.ok ? fault('unknown_task', GONE) : moved;
  const now = parseNote(note.board.path, moved.text);
  const there = now.board.tasks.find((one) => one.key === key);
  const cycle = there && newCycle(now, there);
  return (
    cycle ?? {
      ok: true,
      text: moved.text,
      said: `${withTitle(task)} ${whereTo(beside, after, phase)}`,
    }
  );
}

const GONE = 'This task is no longer there. Look at the board again.';

function whereTo(
  beside: TaskTarget | undefined,
  after: TaskTarget | undefined,
  phase: string | undefined,
): string {
  if (beside === undefined) return `stands in ${quoted(phase ?? '')}`;
  return `stands ${after === undefined ? 'under' : 'behind'} ${quoted(beside.title)}`;
}

/** What has sub-tasks or text goes only where it is said what becomes of them. */
export function removeTaskHere(note: Note, operation: Of<'remove'>): PersonStep {
  const { target, cascade, promote } = operation;
  const found = findTarget(note.board, target);
  if (!found.ok) return found;
  const { task } = found;
  const how = cascade === true ? 'cascade' : promote === true ? 'promote' : undefined;
  const removed = removeTask(note, task.key, how);
  return removed.ok
    ? { ok: true, text: removed.text, said: `removed ${withTitle(task)}` }
    : removed;
}
