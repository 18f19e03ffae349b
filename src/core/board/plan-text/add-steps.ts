import type { PlanBuilder } from '../import/plan-builder';
import type { PlanStep } from './plan-step';

/** More than any plan that a person follows. */
export const MOST_STEPS = 200;

/** Adds steps and the steps in them, the first 200. @returns how many there are */
export function addSteps(builder: PlanBuilder, steps: readonly PlanStep[]): number {
  const found: Labelled[] = [];
  collect(steps, null, found);
  const labels = new Set(found.map(({ label }) => label));
  for (const { step, label, parent } of found.slice(0, MOST_STEPS)) {
    builder.add({
      ...step.fields,
      ref: label,
      local: true,
      title: step.title,
      parent,
      // A label that is one of its neighbours' means that one: plans count anew in each step.
      dependsOn: (step.dependsOn ?? []).map((one) =>
        parent !== null && labels.has(`${parent}.${one}`) ? `${parent}.${one}` : one,
      ),
      phase: step.phase ?? null,
      body: [
        ...(step.body ?? []),
        ...(step.tools ?? []).map((tool) => `Tool: ${tool}`),
        ...(step.success ?? []).map((criterion) => `Success: ${criterion}`),
      ],
    });
  }
  return found.length;
}

interface Labelled {
  readonly step: PlanStep;
  readonly label: string;
  readonly parent: string | null;
}

/** Nesting is bounded by those who read the text. */
function collect(steps: readonly PlanStep[], parent: string | null, found: Labelled[]): void {
  steps.forEach((step, at) => {
    const own = step.label ?? String(at + 1);
    const whole = parent === null || own.startsWith(`${parent}.`);
    const label = whole ? own : `${parent}.${own}`;
    found.push({ step, label, parent });
    collect(step.steps ?? [], label, found);
  });
}
