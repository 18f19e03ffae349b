import type { ImportedPlan } from './imported-plan';
import { importLoss, lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';
import { withoutColours } from '../board/note/title';
import { jsonSteps, type PlanStep } from './json-steps';
import { listSteps } from './list-steps';

/** A plan parsed from a model's text. `applyPlan` adds `plan` to a board. */
export interface PlanDraft {
  /** format of the text; `singleStep`: no list, so the whole text is one step */
  readonly form: 'json' | 'numbered' | 'bullets' | 'single';
  /** without tasks if the text was empty */
  readonly plan: ImportedPlan;
}

/** The heading for a plan's tasks. */
const NAME = 'Plan';

/**
 * Reads a plan from a model's text: JSON with `steps` (bare, in a fence, or as an array), else a
 * numbered list, else a bullet list, else the whole text as one step. Lines such as "Success
 * criteria:" and "Tool:" become body lines, "depends on 1, 2" prerequisites, and nested lists
 * subtasks. Takes linear time for any text.
 */
export function readPlanText(text: string): PlanDraft {
  const plain = withoutColours(text);
  const { form, plan } = readPlain(plain);
  if (plain === text) return { form, plan };
  const removed = importLoss(lossPart('coloursOfText'), lossPart('coloursRemoved'));
  return { form, plan: { ...plan, left: [removed, ...plan.left] } };
}

function readPlain(text: string): PlanDraft {
  const json = jsonSteps(text);
  if (json !== undefined) return buildDraft('json', json.steps, json.title);
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/);
  const list = listSteps(lines);
  if (list !== undefined) return buildDraft(list.form, list.steps, list.title);
  return buildDraft('single', singleStep(lines), undefined);
}

function buildDraft(
  form: PlanDraft['form'],
  steps: readonly PlanStep[],
  title: string | undefined,
): PlanDraft {
  const builder = new PlanBuilder();
  const all = addSteps(builder, steps);
  if (all > MAX_STEPS) {
    builder.reportLoss(
      lossPart('tasksFrom', { n: MAX_STEPS + 1 }),
      lossPart('mostTasks', { most: MAX_STEPS, count: String(all) }),
    );
  }
  const plan = builder.build({ kind: 'text', name: NAME, ...(title !== undefined && { title }) });
  return { form, plan };
}

function singleStep(lines: readonly string[]): readonly PlanStep[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return [];
  const title = (lines[first] ?? '').trim().replace(/^#{1,6} /, '');
  return [{ title, body: lines.slice(first + 1) }];
}

/** Most steps that are imported; more than a person can follow. */
const MAX_STEPS = 200;

/**
 * Adds the first 200 steps, nested ones included.
 * @returns how many there are
 */
function addSteps(builder: PlanBuilder, steps: readonly PlanStep[]): number {
  const found: Labelled[] = [];
  collect(steps, null, found);
  const labels = new Set(found.map(({ label }) => label));
  for (const { step, label, parent } of found.slice(0, MAX_STEPS)) {
    builder.add({
      ...step.fields,
      ref: label,
      local: true,
      title: step.title,
      parent,
      // Labels are resolved among siblings first, since plans often restart numbering in each step.
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

/** Collects nested steps with their labels. The parsers limit the nesting. */
function collect(steps: readonly PlanStep[], parent: string | null, found: Labelled[]): void {
  steps.forEach((step, at) => {
    const own = step.label ?? String(at + 1);
    const whole = parent === null || own.startsWith(`${parent}.`);
    const label = whole ? own : `${parent}.${own}`;
    found.push({ step, label, parent });
    collect(step.steps ?? [], label, found);
  });
}
