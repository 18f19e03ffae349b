import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { PRIORITIES, STATUSES, type Task } from './task';
import { isValidAgentName } from './board-path';
import type { FieldValues } from './note/edit-task';

export const SCOPES = ['single', 'narrow', 'moderate', 'broad', 'system'] as const;

export const RISKS = ['trivial', 'low', 'medium', 'high', 'critical'] as const;

export const IMPACTS = ['isolated', 'component', 'phase', 'project'] as const;

export const LEVELS = [
  'planning',
  'decomposition',
  'implementation',
  'review',
  'research',
] as const;

/** One of the given words, in upper or lower case. */
function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.optional(
    z.nullable(
      z.pipe(
        z.string(),
        z.transform((given, context) => {
          const found = words.find((word) => word === given.trim().toLowerCase());
          if (found !== undefined) return found;
          context.issues.push({ code: 'custom', message: 'unknown word', input: given });
          return z.NEVER;
        }),
      ),
    ),
  );
}

/** Fields that `add` and `update` can set besides title and status; null removes a field. */
export const taskFields = lazy(
  () =>
    ({
      priority: oneOf(PRIORITIES),
      owner: z.optional(z.nullable(z.string().check(z.refine(isValidAgentName)))),
      scope: oneOf(SCOPES),
      risk: oneOf(RISKS),
      impact: oneOf(IMPACTS),
      level: oneOf(LEVELS),
      estimate: z.optional(z.nullable(z.string().check(z.regex(/^\d{1,5}(\.\d{1,2})?[mh]$/)))),
      due: z.optional(
        z.nullable(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/))),
      ),
      reason: z.optional(z.nullable(z.string())),
      body: z.optional(z.nullable(z.string())),
    }) as const,
);

type FieldInput = z.infer<z.ZodMiniObject<ReturnType<typeof taskFields>>>;

type FieldName = keyof ReturnType<typeof taskFields>;

/** Description of a valid value, for messages. */
export const FIELD_WORDS: Readonly<Record<FieldName, string>> = {
  priority: PRIORITIES.join(', '),
  owner: 'the name of an agent, or "me" for the person',
  scope: SCOPES.join(', '),
  risk: RISKS.join(', '),
  impact: IMPACTS.join(', '),
  level: LEVELS.join(', '),
  estimate: 'a time such as 30m or 2h',
  due: 'a date such as 2026-11-28',
  reason: 'text of one line',
  body: 'text',
};

export const FIELD_NAMES = Object.keys(FIELD_WORDS) as readonly FieldName[];

/** The fields that an operation sets, except the body. */
export function fieldValues(given: FieldInput): FieldValues {
  const { priority, body: _, ...rest } = given;
  const set = Object.entries(rest).filter(
    ([name, value]) => FIELD_NAMES.includes(name as FieldName) && value !== undefined,
  );
  return {
    ...(Object.fromEntries(set) as FieldValues),
    ...(priority !== undefined && { priority: priority ?? 'normal' }),
  };
}

/** A field of a task as text, null where it is not set. */
export function fieldText(task: Task, name: FieldName): string | null {
  if (name === 'body') return task.body.length > 0 ? task.body.join('\n') : null;
  return task[name];
}

/** More than a plan needs in one step, and few enough for a readable answer. */
export const MAX_OPERATIONS = 50;

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
  'archive',
  'restore',
  'undo',
  'list',
  'get',
  'ready',
  'analyze',
  'history',
] as const;

/** Operations that write nothing. */
export const READ_TYPES = ['list', 'get', 'ready', 'analyze', 'history'] as const;
export const READS: ReadonlySet<string> = new Set(READ_TYPES);

export const TASKS_DESCRIPTION = `The task list of this session: a note the person sees live and may edit. \
Supports init, add, update, complete, remove and the other types; up to ${MAX_OPERATIONS} operations in one call, \
in order; one that fails does not stop the others. Always shows the current session's status: the list, \
what is ready, what the person changed.
Plan first (init, add with parent, dependsOn, phase), start a task with claim or status in_progress, \
complete it as soon as it is done; one at a time.
Name a task by number ("2"), id ("k3f9-2") or exact title, also one added earlier in the call. \
In update, null clears a field. undo takes back your last call.`;

/** Numbers are accepted too; saying so four times would cost a model 40 tokens. */
const reference = lazy(() => z.string());

const operation = lazy(() =>
  z.object({
    type: z.enum(OPERATION_TYPES),
    title: z.optional(z.string().check(z.describe('Of list or task, one line.'))),
    id: z.optional(reference().check(z.describe('archive without: all finished.'))),
    parent: z.optional(reference().check(z.describe('add, move: under this task.'))),
    after: z.optional(reference().check(z.describe('add, move: after this task.'))),
    dependsOn: z.optional(
      z
        .array(reference())
        .check(z.describe('add, update: all it waits for; (un)depend: more, less.')),
    ),
    phase: z.optional(z.string().check(z.describe('add, move: under this heading.'))),
    status: z.optional(z.enum(STATUSES)),
    priority: z.optional(z.enum(PRIORITIES)),
    owner: z.optional(z.string().check(z.describe('An agent, or "me" for the person.'))),
    scope: z.optional(z.enum(SCOPES)),
    risk: z.optional(z.enum(RISKS)),
    impact: z.optional(z.enum(IMPACTS)),
    level: z.optional(z.enum(LEVELS)),
    estimate: z.optional(z.string().check(z.describe('30m, 2h'))),
    due: z.optional(z.string().check(z.describe('2026-11-28'))),
    reason: z.optional(z.string().check(z.describe('Why: failed, deferred.'))),
    body: z.optional(z.string().check(z.describe('Details.'))),
    force: z.optional(
      z
        .boolean()
        .check(z.describe("Also if the person's, blocked, or open (archive); send reason.")),
    ),
    cascade: z.optional(z.boolean().check(z.describe('remove: subtasks and text too.'))),
    promote: z.optional(z.boolean().check(z.describe('remove: subtasks take its place.'))),
    atomic: z.optional(z.boolean().check(z.describe('All or nothing.'))),
    rev: z.optional(z.number().check(z.describe('Fails at another rev.'))),
    agent: z.optional(z.string().check(z.describe('Whose list; default: last used.'))),
  }),
);

/**
 * The schema that a model sees. It is stricter than what a call may contain: an invalid operation
 * fails alone (`readOperation`).
 */
export const tasksArgs = lazy(() =>
  z.object({
    operations: z
      .array(operation())
      .check(z.minLength(1), z.maxLength(MAX_OPERATIONS), z.describe(`1 to ${MAX_OPERATIONS}.`)),
  }),
);

/** The part of a call whose faults refuse the whole call. */
const tasksCall = lazy(() =>
  z.object({
    atomic: z.optional(z.unknown()),
    rev: z.optional(z.unknown()),
    operations: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MAX_OPERATIONS)),
  }),
);

/** Conditions of a call, given for the call or in one of its operations. */
export interface CallConditions {
  /** all or nothing */
  readonly atomic: boolean;
  /** the `rev` that the board must still have; undefined: any */
  readonly rev: number | undefined;
}

type ReadCall =
  | { readonly ok: true; readonly operations: readonly unknown[]; readonly terms: CallConditions }
  | { readonly ok: false; readonly code: 'bad_arguments'; readonly message: string };

/** Validates a call. Refused only if `operations` is missing, no array, empty or too long. */
export function readTasksCall(args: unknown): ReadCall {
  const read = tasksCall().safeParse(args);
  if (read.success) {
    const { operations, atomic, rev } = read.data;
    const all = atomic === true || operations.some(isAtomic);
    const known =
      typeof rev === 'number' ? rev : operations.map(revOf).find((n) => n !== undefined);
    return { ok: true, operations, terms: { atomic: all, rev: known } };
  }
  const reason = REASONS.get(read.error.issues[0]?.code ?? '') ?? 'is missing or no array';
  return {
    ok: false,
    code: 'bad_arguments',
    message: `Nothing was done: \`operations\` ${reason}. Send {"operations": [{"type": "list"}]} with 1 to ${MAX_OPERATIONS} operations.`,
  };
}

function isAtomic(operation: unknown): boolean {
  return fieldOf(operation, 'atomic') === true;
}

function revOf(operation: unknown): number | undefined {
  const rev = fieldOf(operation, 'rev');
  return typeof rev === 'number' ? rev : undefined;
}

function fieldOf(operation: unknown, name: string): unknown {
  if (typeof operation !== 'object' || operation === null) return undefined;
  return (operation as Readonly<Record<string, unknown>>)[name];
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['too_small', 'is empty'],
  ['too_big', `has more than ${MAX_OPERATIONS} entries`],
]);
