import '../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { readPattern } from './path-pattern';

/** ms since the epoch of the last moment that has a date. */
export const LAST_TIME = 8.64e15;

/** What is decided. */
export const verdict = lazy(() => z.enum(['allow', 'ask', 'deny']));

export type AccessVerdict = z.infer<ReturnType<typeof verdict>>;

/** `write` is `create` and `update`; `delete` stands alone; `tasks` are the boards; `*` is all of it. */
export const permissionName = lazy(() =>
  z.enum(
    ['*', 'read', 'write', 'create', 'update', 'delete', 'tasks'],
    'use *, read, write, create, update, delete or tasks',
  ),
);

export type PermissionName = z.infer<ReturnType<typeof permissionName>>;

/** What a call does with a note, or `tasks` for one on a board. */
export type AccessKind = Exclude<PermissionName, '*' | 'write'>;

export const patternText = lazy(() =>
  z.string().check(
    z.check(({ value, issues }) => {
      const read = readPattern(value);
      if ('ok' in read) issues.push({ code: 'custom', message: read.message, input: value });
    }),
  ),
);

const who = lazy(() => ({ agent: z.optional(z.string().check(z.minLength(1), z.maxLength(256))) }));

/** Whom a rule or a scope concerns; what is absent is anyone. */
const concerned = lazy(() => ({
  ...who(),
  /** an id */
  session: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
}));

/** One rule; of those that match, the last decides. */
export const rule = lazy(() =>
  z
    .object({
      permission: permissionName(),
      /** for `tasks`, which has no paths, it must be `**` */
      pattern: z._default(patternText(), '**'),
      action: verdict(),
      ...concerned(),
      /** ms since the epoch; from then on the rule counts for nothing */
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

/** The operations a permission is for, as a set. */
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

/** As a table shows it: "write Projects/**, ask". */
export function ruleWords(rule: Rule): string {
  const { action, agent, session } = rule;
  const whose = [agent, session && `session ${session}`].filter((part) => part !== undefined);
  return `${ruleTarget(rule)}, ${action}${whose.length === 0 ? '' : ` (${whose.join(', ')})`}`;
}

/** What a rule is about: "write Projects/**". */
export function ruleTarget({ permission, pattern }: Rule): string {
  return permission === 'tasks' ? 'tasks' : `${permission} ${pattern}`;
}

/** Patterns of one list. */
const MAX_PATTERNS = 50;

const patterns = lazy(() =>
  z.array(patternText()).check(z.maxLength(MAX_PATTERNS, `use at most ${MAX_PATTERNS}`)),
);

/** What a scope says where it names nothing else. */
export const BOUNDS = {
  denied: ['**/node_modules/**'],
  maxBytes: 10 * 1024 * 1024,
  extensions: ['md', 'txt', 'json', 'yaml', 'yml', 'toml'],
};

const bounds = lazy(() => ({
  ...concerned(),
  /** never read nor written, whatever else is said */
  denied: z._default(patterns(), BOUNDS.denied),
  /** bytes of a note that is read, or as it would be written */
  maxBytes: z._default(z.int().check(z.positive()), BOUNDS.maxBytes),
  /** without the dot, in any case; others are neither read nor written */
  extensions: z._default(
    z
      .array(z.string().check(z.regex(/^[^./\\\s]{1,32}$/, 'write it as "md", without the dot')))
      .check(z.maxLength(MAX_PATTERNS)),
    BOUNDS.extensions,
  ),
}));

/** How far an agent reaches at most, before any rule is asked. The last one that concerns it counts. */
export const scope = lazy(() =>
  z.discriminatedUnion('level', [
    z.object({ level: z.literal('read-only'), ...bounds() }),
    /** writes within `allowed` only */
    z.object({ level: z.literal('scoped-write'), allowed: patterns(), ...bounds() }),
    /** writes anywhere, and deletes */
    z.object({ level: z.literal('full-write'), ...bounds() }),
  ]),
);

export type Scope = Readonly<z.infer<ReturnType<typeof scope>>>;

/** As a list shows it: "build: scoped-write in Projects/**, not Private/**, 10 MB, md txt". */
export function scopeWords(scope: Scope): string {
  const { agent, session, denied, maxBytes, extensions, level } = scope;
  const whom = [agent ?? 'anyone', ...(session === undefined ? [] : [`session ${session}`])];
  const within = level === 'scoped-write' ? ` in ${scope.allowed.join(' ') || 'no folder'}` : '';
  const beyond = denied.length === 0 ? [] : [`not ${denied.join(' ')}`];
  const parts = [`${level}${within}`, ...beyond, sizeWords(maxBytes), extensions.join(' ')];
  return `${whom.join(', ')}: ${parts.join(', ')}`;
}

/** In the largest unit that it is a whole number of. */
function sizeWords(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} bytes`;
}
