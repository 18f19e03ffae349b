import '../board/jitless';
import * as z from 'zod/mini';
import { planLook, plannedTask, type PlanLook, type PlannedTask } from './plan-look';

type Plan = Extract<PlanLook, { kind: 'plan' }>;

const place = z.int().check(z.nonnegative());

/** How a plan differs from the one before it, which has as many tasks in the same unit. */
const planChange = z.object({
  rev: z.number(),
  /** by its place, each task that is another, but for its line */
  tasks: z.array(z.tuple([place, plannedTask])),
  /** from a place on, by how much lines are others: most of what an edit of a note does */
  lines: z.array(z.tuple([place, z.number()])),
});
type PlanChange = z.infer<typeof planChange>;

/** What is said of the board beside the one before it: nothing where it is the same. */
export const planSaid = z.object({ plan: z.optional(planLook), change: z.optional(planChange) });
export type PlanSaid = z.infer<typeof planSaid>;

export function sayPlan(now: PlanLook, before: PlanLook | undefined): PlanSaid {
  if (before === now) return {};
  if (before?.kind !== 'plan' || now.kind !== 'plan') {
    return JSON.stringify(before) === JSON.stringify(now) ? {} : { plan: now };
  }
  if (before.unit !== now.unit || before.tasks.length !== now.tasks.length) return { plan: now };
  const change = changeOf(before, now);
  if (change.tasks.length * 2 > now.tasks.length && now.tasks.length > 2) return { plan: now };
  const moved = change.rev !== before.rev || change.tasks.length > 0 || change.lines.length > 0;
  return moved ? { change } : {};
}

/** The board that is said; undefined where what is said is of another one than `before`. */
export function heardPlan(
  { plan, change }: PlanSaid,
  before: PlanLook | undefined,
): PlanLook | undefined {
  if (plan !== undefined || change === undefined) return plan ?? before;
  return before?.kind === 'plan' ? changed(before, change) : undefined;
}

function changeOf(before: Plan, { rev, tasks: now }: Plan): PlanChange {
  const tasks: [number, PlannedTask][] = [];
  const lines: [number, number][] = [];
  let moved = 0;
  for (const [at, task] of now.entries()) {
    const was = before.tasks[at];
    if (was === undefined) continue;
    if (!sameButLine(was, task)) tasks.push([at, task]);
    const by = task.line - was.line;
    if (by !== moved) lines.push([at, by]);
    moved = by;
  }
  return { rev, tasks, lines };
}

function changed(before: Plan, { rev, tasks, lines }: PlanChange): Plan | undefined {
  const { length } = before.tasks;
  if ([...tasks, ...lines].some(([at]) => at >= length)) return undefined;
  const others = new Map(tasks);
  const moves = new Map(lines);
  let by = 0;
  const now = before.tasks.map((task, at) => {
    by = moves.get(at) ?? by;
    return others.get(at) ?? (by === 0 ? task : { ...task, line: task.line + by });
  });
  return { ...before, rev, tasks: now };
}

function sameButLine(a: PlannedTask, b: PlannedTask): boolean {
  return FIELDS.every((name) => sameValue(a[name], b[name]));
}

const FIELDS = (Object.keys(plannedTask.shape) as (keyof PlannedTask)[]).filter(
  (name) => name !== 'line',
);

function sameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((one, at) => one === b[at]);
}
