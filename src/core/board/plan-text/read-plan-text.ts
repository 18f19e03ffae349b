import type { ImportedPlan } from '../import/imported-plan';
import { PlanBuilder } from '../import/plan-builder';
import { addSteps, MOST_STEPS } from './add-steps';
import { jsonSteps } from './json-steps';
import { listSteps } from './list-steps';
import type { PlanStep } from './plan-step';

/** A plan as a model wrote it. `plan` goes onto a board with `applyPlan`. */
export interface PlanDraft {
  /** how it was written; `single`: no list at all, so all of it is one step */
  readonly form: 'json' | 'numbered' | 'bullets' | 'single';
  /** without tasks where the text was empty */
  readonly plan: ImportedPlan;
}

/** The heading that a plan's tasks are put under. */
const NAME = 'Plan';

/**
 * Reads a plan from a model's text: JSON with `steps` (bare, in a fence, or as an array), else a
 * numbered list, else a bullet list, else the whole text as one step. Lines such as
 * "Success criteria:" and "Tool:" become body lines, "depends on 1, 2" prerequisites, nested lists
 * sub-tasks. Takes time in proportion to the text, whatever is in it.
 */
export function readPlanText(text: string): PlanDraft {
  const json = jsonSteps(text);
  if (json !== undefined) return draft('json', json.steps, json.title);
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/);
  const list = listSteps(lines);
  if (list !== undefined) return draft(list.form, list.steps, list.title);
  return draft('single', single(lines), undefined);
}

function draft(
  form: PlanDraft['form'],
  steps: readonly PlanStep[],
  title: string | undefined,
): PlanDraft {
  const builder = new PlanBuilder();
  const all = addSteps(builder, steps);
  if (all > MOST_STEPS) {
    builder.leave(
      `the steps from ${MOST_STEPS + 1} on`,
      `A plan takes ${MOST_STEPS} steps; this one has ${all}.`,
    );
  }
  const plan = builder.build({ kind: 'text', name: NAME, ...(title !== undefined && { title }) });
  return { form, plan };
}

function single(lines: readonly string[]): readonly PlanStep[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return [];
  const title = (lines[first] ?? '').trim().replace(/^#{1,6} /, '');
  return [{ title, body: lines.slice(first + 1) }];
}
