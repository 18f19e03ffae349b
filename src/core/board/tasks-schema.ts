import './jitless';
import * as z from 'zod/mini';
import { IMPACTS, LEVELS, RISKS, SCOPES } from './operation/task-fields';
import { PRIORITIES, STATUSES } from './task';

/** More than any plan needs in one step, and few enough for one readable answer. */
export const MOST_OPERATIONS = 50;

export const OPERATION_TYPES = [
  'init',
  'add',
  'update',
  'complete',
  'depend',
  'undepend',
  'move',
  'remove',
  'claim',
  'list',
  'get',
  'ready',
  'analyze',
] as const;

/** Operations that write nothing. */
export const READS: ReadonlySet<string> = new Set<(typeof OPERATION_TYPES)[number]>([
  'list',
  'get',
  'ready',
  'analyze',
]);

export const TASKS_DESCRIPTION = `The task list of this session: a note that the person sees live and may edit. \
Supports init, add, update, complete, depend, undepend, move, remove, claim (yours, in_progress), list, get, ready and analyze (critical path, \
what can run at the same time, bottlenecks, risk; with an id, what finishing that task frees); up to ${MOST_OPERATIONS} operations in one call. \
They run in order; one that fails does not stop the others; the answer always shows the list as it is now, \
what is ready to start, and what the person changed.
Plan first (init, then add with parent, dependsOn, phase), set a task in_progress when you start it, \
complete it as soon as it is done, and keep one task in progress at a time.
A task is named by its number (2), its id ("k3f9-2") or its exact title; later operations may name tasks \
added earlier in the same call. In update, null clears a field.`;

const reference = z.union([z.string(), z.number()]);

const operation = z.object({
  type: z.enum(OPERATION_TYPES),
  title: z.optional(
    z
      .string()
      .check(z.describe('init: of the list. add: of the task, one line. update: a new one.')),
  ),
  id: z.optional(reference.check(z.describe('Which task.'))),
  parent: z.optional(reference.check(z.describe('add, move: makes it a sub-task of this one.'))),
  after: z.optional(reference.check(z.describe('add, move: puts it behind this one.'))),
  dependsOn: z.optional(
    z
      .array(reference)
      .check(
        z.describe('What it waits for: add, update: all of it; depend, undepend: more, less.'),
      ),
  ),
  phase: z.optional(z.string().check(z.describe('add, move: the heading it stands under.'))),
  status: z.optional(z.enum(STATUSES).check(z.describe('update, add.'))),
  priority: z.optional(z.enum(PRIORITIES)),
  owner: z.optional(z.string().check(z.describe('An agent, or "me" for the person.'))),
  scope: z.optional(z.enum(SCOPES)),
  risk: z.optional(z.enum(RISKS)),
  impact: z.optional(z.enum(IMPACTS)),
  level: z.optional(z.enum(LEVELS)),
  estimate: z.optional(z.string().check(z.describe('30m, 2h'))),
  due: z.optional(z.string().check(z.describe('2026-11-28'))),
  reason: z.optional(z.string().check(z.describe('Why: failed, deferred.'))),
  body: z.optional(z.string().check(z.describe('Details below the task.'))),
  force: z.optional(
    z
      .boolean()
      .check(
        z.describe("update, complete: also the person's own, or a blocked one (send reason)."),
      ),
  ),
  cascade: z.optional(z.boolean().check(z.describe('remove: sub-tasks and text too.'))),
  promote: z.optional(z.boolean().check(z.describe('remove: sub-tasks take its place.'))),
  agent: z.optional(
    z.string().check(z.describe('Whose list of this session; without it, the one used last.')),
  ),
});

/**
 * What the tool tells a model that it takes. It is stricter than what is done with a call: an
 * operation that does not fit fails alone (`operation/read-operation.ts`).
 */
export const tasksArgs = z.object({
  operations: z
    .array(operation)
    .check(
      z.minLength(1),
      z.maxLength(MOST_OPERATIONS),
      z.describe(`1 to ${MOST_OPERATIONS} operations, carried out in order.`),
    ),
});

/** The part of a call that refuses the whole of it. */
const tasksCall = z.object({
  operations: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MOST_OPERATIONS)),
});

export type ReadCall =
  | { readonly ok: true; readonly operations: readonly unknown[] }
  | { readonly ok: false; readonly code: 'bad_arguments'; readonly message: string };

/** Only `operations` that is missing, no array, empty or too long refuses a call. */
export function readTasksCall(args: unknown): ReadCall {
  const read = tasksCall.safeParse(args);
  if (read.success) return { ok: true, operations: read.data.operations };
  const reason = REASONS.get(read.error.issues[0]?.code ?? '') ?? 'is missing or no array';
  return {
    ok: false,
    code: 'bad_arguments',
    message: `Nothing was done: \`operations\` ${reason}. Send {"operations": [{"type": "list"}]} with 1 to ${MOST_OPERATIONS} operations.`,
  };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['too_small', 'is empty'],
  ['too_big', `has more than ${MOST_OPERATIONS} entries`],
]);
