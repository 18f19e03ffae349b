import { parseJson } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { eventRecord, type EventRecord } from './event';
import { owedCommands } from './command';
import { RUN_SENTENCES, runSentence, stateSchema, type RunState } from './state';
import { planSnapshot, plannedTask, type PlanSnapshot, type PlannedTask } from './plan-snapshot';

type Plan = Extract<PlanSnapshot, { kind: 'plan' }>;

const place = lazy(() => z.int().check(z.nonnegative()));

/** The difference between two plans with the same number of tasks and the same unit. */
const planChange = lazy(() =>
  z.object({
    rev: z.number(),
    /** index and new value of each task that differs in more than its line */
    tasks: z.array(z.tuple([place(), plannedTask()])),
    /** index from which lines are shifted, and by how much: most of what an edit of a note does */
    lines: z.array(z.tuple([place(), z.number()])),
  }),
);

type PlanChange = z.infer<ReturnType<typeof planChange>>;

/** The plan relative to the one before: whole, as a change, or neither if it is the same. */
export const encodedPlan = lazy(() =>
  z.object({ plan: z.optional(planSnapshot()), change: z.optional(planChange()) }),
);

type EncodedPlan = z.infer<ReturnType<typeof encodedPlan>>;

export function encodePlan(now: PlanSnapshot, before: PlanSnapshot | undefined): EncodedPlan {
  if (before === now) return {};
  if (before?.kind !== 'plan' || now.kind !== 'plan') {
    return JSON.stringify(before) === JSON.stringify(now) ? {} : { plan: now };
  }
  if (before.unit !== now.unit || before.tasks.length !== now.tasks.length) return { plan: now };
  const change = diffPlans(before, now);
  if (change.tasks.length * 2 > now.tasks.length && now.tasks.length > 2) return { plan: now };
  const moved = change.rev !== before.rev || change.tasks.length > 0 || change.lines.length > 0;
  return moved ? { change } : {};
}

/** Reverses `encodePlan`; undefined if the change does not fit `before`. */
export function decodePlan(
  { plan, change }: EncodedPlan,
  before: PlanSnapshot | undefined,
): PlanSnapshot | undefined {
  if (plan !== undefined || change === undefined) return plan ?? before;
  return before?.kind === 'plan' ? applyPlanChange(before, change) : undefined;
}

function diffPlans(before: Plan, { rev, tasks: now }: Plan): PlanChange {
  const tasks: [number, PlannedTask][] = [];
  const lines: [number, number][] = [];
  let moved = 0;
  for (const [at, task] of now.entries()) {
    const was = before.tasks[at];
    if (was === undefined) continue;
    if (!plannedFields().every((name) => sameValue(was[name], task[name]))) tasks.push([at, task]);
    const by = task.line - was.line;
    if (by !== moved) lines.push([at, by]);
    moved = by;
  }
  return { rev, tasks, lines };
}

function applyPlanChange(before: Plan, { rev, tasks, lines }: PlanChange): Plan | undefined {
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

const plannedFields = lazy(() =>
  (Object.keys(plannedTask().shape) as (keyof PlannedTask)[]).filter((name) => name !== 'line'),
);

function sameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

/** Version of the stored form; other versions are not read. */
export const RUN_VERSION = 1;

export type ReadRun<T> =
  | { readonly ok: true; readonly value: T }
  /** `message` is for the person: what is wrong, what to do */
  | { readonly ok: false; readonly message: string };

const storedState = lazy(() => z.object({ v: z.literal(RUN_VERSION), state: stateSchema() }));

export function stateText(state: RunState): string {
  return `${JSON.stringify({ v: RUN_VERSION, state })}\n`;
}

/** Parses a stored state. A damaged or impossible state is a fault. */
export function readState(text: string): ReadRun<RunState> {
  const json = parseJson(text);
  if (json === undefined) return { ok: false, message: RUN_SENTENCES.noJson };
  if (versionOf(json) !== RUN_VERSION) {
    return { ok: false, message: runSentence('otherFormat', { version: RUN_VERSION }) };
  }
  const read = storedState().safeParse(json);
  if (!read.success) return damaged(placeOf(read.error));
  const wrong = inconsistency(read.data.state);
  return wrong === undefined ? { ok: true, value: read.data.state } : damaged(wrong);
}

/** Checks what the schema can't express. */
function inconsistency(state: RunState): string | undefined {
  const keys = owedCommands(state).map(({ key }) => key);
  if (new Set(keys).size !== keys.length) return 'two commands have one key';
  if (state.kind === 'idle') return undefined;
  const { id, next } = state.run;
  const given = keys.every((key) => {
    const n = key.startsWith(`${id}.`) ? Number(key.slice(id.length + 1)) : NaN;
    return Number.isInteger(n) && n >= 1 && n < next;
  });
  if (!given) return 'a command has a key that was not given yet';
  if (!('stage' in state) || state.stage.kind !== 'executing') return undefined;
  const tasks = state.stage.steps.map(({ task }) => task);
  return new Set(tasks).size === tasks.length ? undefined : 'a task is taken up twice';
}

/**
 * One line of the event log. Contains only the board's difference from the line before, so that the
 * log grows with the events, not with the size of the plan.
 */
const logLine = lazy(() =>
  z.object({
    v: z.literal(RUN_VERSION),
    at: eventRecord().shape.at,
    event: eventRecord().shape.event,
    ...encodedPlan().shape,
  }),
);

export function logText({ at, event, plan }: EventRecord, before: EventRecord | undefined): string {
  const line = { v: RUN_VERSION, at, event, ...encodePlan(plan, before?.plan) };
  return `${JSON.stringify(line)}\n`;
}

/** Parses a log; `cut`: its last line is incomplete, and is left out. */
export function readLog(
  text: string,
): ReadRun<{ readonly log: readonly EventRecord[]; readonly cut: boolean }> {
  const lines = text.split('\n');
  const cut = lines.pop() !== '';
  const log: EventRecord[] = [];
  for (const [at, line] of lines.entries()) {
    const json = parseJson(line);
    if (json === undefined) return logFault(at, 'is not JSON');
    if (versionOf(json) !== RUN_VERSION) {
      return logFault(at, `has another format than ${RUN_VERSION}`);
    }
    const read = logLine().safeParse(json);
    if (!read.success) return logFault(at, `is damaged at ${placeOf(read.error)}`);
    const plan = decodePlan(read.data, log.at(-1)?.plan);
    if (plan === undefined) return logFault(at, 'has no board');
    log.push({ at: read.data.at, event: read.data.event, plan });
  }
  return { ok: true, value: { log, cut } };
}

function versionOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'v' in json ? json.v : undefined;
}

function placeOf(error: z.core.$ZodError): string {
  const path = error.issues[0]?.path.join('.') ?? '';
  return path === '' ? 'its top' : `"${path}"`;
}

export function damaged(what: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: runSentence('damaged', { what }) };
}

function logFault(at: number, what: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `Line ${at + 1} of the run’s log ${what}. It can’t be replayed.` };
}
