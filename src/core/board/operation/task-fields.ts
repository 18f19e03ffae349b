import '../jitless';
import * as z from 'zod/mini';
import { validAgentName } from '../board-path';
import type { FieldValues } from '../note/edit-fields';
import { PRIORITIES, type Task } from '../task';

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

/** One of some words, in any case. */
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

/** What `add` and `update` can set beside title and status; null takes a field away. */
export const TASK_FIELDS = {
  priority: oneOf(PRIORITIES),
  owner: z.optional(z.nullable(z.string().check(z.refine(validAgentName)))),
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
} as const;

type Given = z.infer<z.ZodMiniObject<typeof TASK_FIELDS>>;
export type FieldName = keyof typeof TASK_FIELDS;
export const FIELD_NAMES = Object.keys(TASK_FIELDS) as readonly FieldName[];

/** What each must be, for a message. */
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

/** The fields that an operation sets, but for the body. */
export function fieldValues(given: Given): FieldValues {
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
