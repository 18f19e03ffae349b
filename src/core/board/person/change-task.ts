import { setTaskBody } from '../note/edit-body';
import { setTaskFields } from '../note/edit-fields';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../note/edit-task';
import type { Note } from '../note/note';
import { reissue } from '../note/reissue';
import { edited, type Edit, type Edited } from '../operation/edit-chain';
import { quoted, withTitle } from '../operation/find-task';
import { namesOf } from '../operation/names-of';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { refuseCycle } from '../operation/refuse-cycle';
import type { Task } from '../task';
import type { PersonStep } from './apply-person';
import { findTarget, withTargets } from './find-target';
import type { PersonOperation } from './person-operation';

type Change = Extract<
  PersonOperation,
  { type: 'status' | 'rename' | 'depend' | 'undepend' | 'fields' | 'renumber' }
>;

/** A person's change of what one task says. */
export function changeTask(note: Note, operation: Change, today: string): PersonStep {
  if (operation.type === 'depend') return depend(note, operation.target, operation.on);
  const named = withTargets(note, [operation.target]);
  if (!named.ok) return named;
  const [key = ''] = named.keys;
  const [task] = named.tasks;
  if (task === undefined) return fault('unknown_task', 'No such task.');
  const done = edited(named.note, editsOf(operation, key, task, note, today));
  return done.ok
    ? { ok: true, text: done.note.text, said: `${withTitle(task)} ${saidOf(operation)}` }
    : done;
}

function editsOf(
  operation: Exclude<Change, { type: 'depend' }>,
  key: string,
  { dependsOn }: Task,
  { board }: Note,
  today: string,
): readonly Edit[] {
  switch (operation.type) {
    case 'status': {
      const { status, reason } = operation;
      const how = { today, ...(reason !== undefined && { reason }) };
      return [(note) => setTaskStatus(note, key, status, how)];
    }
    case 'rename':
      return [(note) => setTaskTitle(note, key, operation.title)];
    case 'renumber':
      return [(note) => reissue(note, key)];
    case 'undepend': {
      const ids = operation.on.map((target) => {
        const found = findTarget(board, target);
        return found.ok ? found.task.id : target.id;
      });
      const rest = dependsOn.filter((id) => !ids.includes(id));
      return [(note) => setTaskDependsOn(note, key, rest)];
    }
    case 'fields': {
      const { fields, body } = operation;
      const edits: Edit[] = [(note) => setTaskFields(note, key, fields)];
      return body === undefined ? edits : [...edits, (note) => setTaskBody(note, key, body)];
    }
  }
}

function saidOf(operation: Exclude<Change, { type: 'depend' }>): string {
  switch (operation.type) {
    case 'status':
      return `is ${operation.status}`;
    case 'rename':
      return `is called ${quoted(operation.title)}`;
    case 'renumber':
      return 'has a number of its own';
    case 'undepend':
      return `no longer waits for ${operation.on.map(({ title }) => quoted(title)).join(', ')}`;
    case 'fields': {
      const { fields, body } = operation;
      const names = [...Object.keys(fields), ...(body === undefined ? [] : ['body'])];
      return `has another ${names.join(', ')}`;
    }
  }
}

function depend(note: Note, target: Change['target'], on: readonly Change['target'][]): PersonStep {
  const named = withTargets(note, [target, ...on]);
  if (!named.ok) return named;
  const [key = '', ...keys] = named.keys;
  const task = named.note.board.tasks.find((one) => one.key === key);
  if (task === undefined) return fault('unknown_task', 'No such task.');
  const byKey = new Map(named.note.board.tasks.map((one) => [one.key, one]));
  const ids = keys.flatMap((one) => byKey.get(one)?.id ?? []);
  const refused: Fault | undefined = refuseCycle(named.note, task, ids);
  if (refused !== undefined) return refused;
  const all = [...new Set([...task.dependsOn, ...ids])];
  const done: Edited = edited(named.note, [(now) => setTaskDependsOn(now, key, all)]);
  if (!done.ok) return done;
  const said = `${withTitle(task)} waits for ${namesOf(done.note, all)}`;
  return { ok: true, text: done.note.text, said };
}
