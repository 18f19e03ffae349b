import type { PlanLook, PlannedTask } from './plan-look';

/**
 * The tasks that could be taken up now, in this order: the ones with the longest way to the end of the
 * plan, then those that stand first. What waits for a task that the run has not
 * let go of waits on, whatever the board says: that the agent calls it done is no evidence.
 * @param taken ids of the tasks that the run has taken up
 */
export function choose(look: PlanLook, taken: ReadonlySet<string>): readonly PlannedTask[] {
  if (look.kind !== 'plan') return [];
  const { tasks } = look;
  const withTaken = new Set(
    tasks.flatMap(({ id, above }) => (id !== null && taken.has(id) ? above : [])),
  );
  const may = tasks.filter(
    ({ id, startable, needs, above }) =>
      startable &&
      (id === null || (!taken.has(id) && !withTaken.has(id))) &&
      !needs.some((one) => taken.has(one)) &&
      !above.some((one) => taken.has(one)),
  );
  // Sorting is stable: the order of the note decides between equals.
  return [...may].sort((a, b) => b.way - a.way);
}
