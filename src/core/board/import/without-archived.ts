import type { Note } from '../note/note';
import type { Task } from '../task';
import { grouped } from '../grouped';
import type { ImportedPlan } from './imported-plan';
import { markedTasks, sourceMark } from './source-marks';

export interface Unarchived {
  readonly plan: ImportedPlan;
  /** how many of its tasks lie in the board's archive */
  readonly archived: number;
}

/**
 * A plan without what an earlier import brought and what was archived since: known by its source, or
 * where that has no ids by its title. Their sub-tasks stand at the top, and nothing waits for them.
 */
export function withoutArchived(plan: ImportedPlan, archive: Note | undefined): Unarchived {
  if (archive === undefined || archive.board.tasks.length === 0) return { plan, archived: 0 };
  const marked = markedTasks(archive);
  const own = new Set([...marked.values()].map(({ key }) => key));
  const titled = grouped(
    archive.board.tasks.filter(({ key }) => !own.has(key)),
    ({ title }) => title,
  );
  const gone = new Set(
    plan.tasks.flatMap((task) => {
      const mark = sourceMark(plan, task);
      const found: Task | undefined =
        mark === null ? titled.get(task.title)?.shift() : marked.get(mark);
      return found === undefined ? [] : [task.key];
    }),
  );
  const tasks = plan.tasks
    .filter(({ key }) => !gone.has(key))
    .map((task) => ({
      ...task,
      parent: task.parent !== null && gone.has(task.parent) ? null : task.parent,
      dependsOn: task.dependsOn.filter((key) => !gone.has(key)),
    }));
  return { plan: { ...plan, tasks }, archived: gone.size };
}
