import type { Note } from '../note/note';
import { sameTasks } from '../note/same-tasks';
import type { Task } from '../task';
import { sameText } from './body-lines';
import type { PlacedTask } from './plan-lines';

/**
 * Whether a note reads, after an import, as before but for the new tasks, and those as they were
 * meant. Else what is wrong, as a sentence with what to do.
 * @param name of the heading for tasks without a phase
 */
export function changedOtherwise(
  before: Note,
  after: Note,
  placed: readonly PlacedTask[],
  name: string,
): string | undefined {
  const { broken, tasks } = after.board;
  if (broken !== null)
    return `Nothing was imported: the board could not be read then. ${broken.reason}`;
  const own = new Map(placed.map((one) => [one.id, one]));
  const old = tasks.filter(({ id }) => id === null || !own.has(id));
  if (!sameTasks(before.board.tasks, old, true)) {
    return 'Nothing was imported: the new tasks would change what other lines of the board belong to. Close its code blocks and comments, then import again.';
  }
  const read = new Map(tasks.map((task) => [task.id, task]));
  const lost = placed.find((one) => !fits(one, read.get(one.id), name));
  if (lost === undefined) return undefined;
  return `Nothing was imported: "${lost.task.title}" would not be read as it was written. Close the code blocks and comments of the board, then import again.`;
}

function fits(
  { task, parent, dependsOn, body }: PlacedTask,
  read: Task | undefined,
  name: string,
): boolean {
  return (
    read !== undefined &&
    read.title === task.title &&
    read.status === task.status &&
    read.priority === task.priority &&
    read.parent === parent &&
    (parent !== null || read.phase === (task.phase ?? name)) &&
    read.dependsOn.join(',') === dependsOn.join(',') &&
    sameText(read.body, body) &&
    FIELDS.every((name) => read[name] === task[name])
  );
}

const FIELDS = [
  'owner',
  'scope',
  'risk',
  'impact',
  'level',
  'estimate',
  'due',
  'done',
  'cancelled',
] as const;
