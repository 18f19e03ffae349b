import type { PlanLook, PlannedTask } from '../../core/orchestrator/plan-look';
import { choose } from '../../core/orchestrator/choose';
import type { Step } from '../../core/orchestrator/task-step';

/** Open tasks that no step is about: those that can be begun first, in the order of the run. */
export function nextTasks(look: PlanLook, steps: readonly Step[]): readonly PlannedTask[] {
  if (look.kind !== 'plan') return [];
  const taken = new Set(steps.map(({ task }) => task));
  const first = choose(look, taken);
  const known = new Set(first);
  const open = look.tasks.filter(
    (one) =>
      (one.status === 'pending' || one.status === 'in_progress') &&
      !known.has(one) &&
      !(one.id !== null && taken.has(one.id)),
  );
  return [...first, ...open.filter(({ mine }) => mine), ...open.filter(({ mine }) => !mine)];
}
