import '../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { readPattern } from './path-pattern';

/** The last time that `Date` supports; ms since the epoch. */
export const LAST_TIME = 8.64e15;

/** The result of a decision. */
export const verdict = lazy(() => z.enum(['allow', 'ask', 'deny']));

export type AccessVerdict = z.infer<ReturnType<typeof verdict>>;

/**
 * `write` means `create` and `update`, but not `delete`; `tasks` is for boards; `*` means all of
 * them.
 */
export const permissionName = lazy(() =>
  z.enum(
    ['*', 'read', 'write', 'create', 'update', 'delete', 'tasks'],
    'use *, read, write, create, update, delete or tasks',
  ),
);

export type PermissionName = z.infer<ReturnType<typeof permissionName>>;

/** What a call does with a note, or `tasks` for a call on a board. */
export type AccessKind = Exclude<PermissionName, '*' | 'write'>;

export const patternText = lazy(() =>
  z.string().check(
    z.check(({ value, issues }) => {
      const read = readPattern(value);
      if ('ok' in read) issues.push({ code: 'custom', message: read.message, input: value });
    }),
  ),
);

const agentField = lazy(() => ({
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
}));

/** The callers that a rule or scope applies to. An absent field means any. */
const callerFields = lazy(() => ({
  ...agentField(),
  /** session id */
  session: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
}));

/** A rule. The last one that matches decides. */
export const rule = lazy(() =>
  z
    .object({
      permission: permissionName(),
      /** must be `**` for `tasks`, which has no paths */
      pattern: z._default(patternText(), '**'),
      action: verdict(),
      ...callerFields(),
      /** ms since the epoch; the rule no longer applies from then on */
      until: z.optional(
        z.int().check(z.nonnegative(), z.maximum(LAST_TIME, 'use a time that has a date')),
      ),
    })
    .check(
      z.refine(({ permission, pattern }) => permission !== 'tasks' || pattern === '**', {
        path: ['pattern'],
        message: 'tasks has no paths. Leave the pattern out.',
      }),
    ),
);

export type Rule = Readonly<z.infer<ReturnType<typeof rule>>>;

/** The operations that a permission includes. */
export function operationsOf(permission: PermissionName): ReadonlySet<AccessKind> {
  return OPERATIONS[permission];
}

const OPERATIONS: Readonly<Record<PermissionName, ReadonlySet<AccessKind>>> = {
  '*': new Set(['read', 'create', 'update', 'delete', 'tasks']),
  read: new Set(['read']),
  write: new Set(['create', 'update']),
  create: new Set(['create']),
  update: new Set(['update']),
  delete: new Set(['delete']),
  tasks: new Set(['tasks']),
};

/** A rule as shown in a table: "write Projects/**, ask". */
export function ruleWords(rule: Rule): string {
  const { action, agent, session } = rule;
  const whose = [agent, session && `session ${session}`].filter((part) => part !== undefined);
  return `${ruleTarget(rule)}, ${action}${whose.length === 0 ? '' : ` (${whose.join(', ')})`}`;
}

/** The permission and pattern of a rule: "write Projects/**". */
export function ruleTarget({ permission, pattern }: Rule): string {
  return permission === 'tasks' ? 'tasks' : `${permission} ${pattern}`;
}

/** Most patterns in one list. */
const MAX_PATTERNS = 50;

const patterns = lazy(() =>
  z.array(patternText()).check(z.maxLength(MAX_PATTERNS, `use at most ${MAX_PATTERNS}`)),
);

/** Defaults for a scope. */
export const SCOPE_DEFAULTS = {
  denied: ['**/node_modules/**'],
  maxBytes: 10 * 1024 * 1024,
  extensions: ['md', 'txt', 'json', 'yaml', 'yml', 'toml'],
};

const scopeFields = lazy(() => ({
  ...callerFields(),
  /** never read or written, whatever the rules say */
  denied: z._default(patterns(), SCOPE_DEFAULTS.denied),
  /** limit in bytes for a note that is read or written */
  maxBytes: z._default(z.int().check(z.positive()), SCOPE_DEFAULTS.maxBytes),
  /** without the dot, in any case; other files are neither read nor written */
  extensions: z._default(
    z
      .array(z.string().check(z.regex(/^[^./\\\s]{1,32}$/, 'write it as "md", without the dot')))
      .check(z.maxLength(MAX_PATTERNS)),
    SCOPE_DEFAULTS.extensions,
  ),
}));

/**
 * The limits of an agent's access, checked before any rule. The last scope that concerns the agent
 * applies.
 */
export const scope = lazy(() =>
  z.discriminatedUnion('level', [
    z.object({ level: z.literal('read-only'), ...scopeFields() }),
    /** may write within `allowed` only */
    z.object({ level: z.literal('scoped-write'), allowed: patterns(), ...scopeFields() }),
    /** may write anywhere, and delete */
    z.object({ level: z.literal('full-write'), ...scopeFields() }),
  ]),
);

export type Scope = Readonly<z.infer<ReturnType<typeof scope>>>;

/**
 * A scope as shown in a list: "build: scoped-write in Projects/**, not Private/**, 10 MB, md txt".
 */
export function scopeWords(scope: Scope): string {
  const { agent, session, denied, maxBytes, extensions, level } = scope;
  const whom = [agent ?? 'anyone', ...(session === undefined ? [] : [`session ${session}`])];
  const within = level === 'scoped-write' ? ` in ${scope.allowed.join(' ') || 'no folder'}` : '';
  const beyond = denied.length === 0 ? [] : [`not ${denied.join(' ')}`];
  const parts = [`${level}${within}`, ...beyond, sizeWords(maxBytes), extensions.join(' ')];
  return `${whom.join(', ')}: ${parts.join(', ')}`;
}

/** Uses the largest unit that gives a whole number. */
function sizeWords(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} bytes`;
}
