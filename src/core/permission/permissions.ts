import '../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { patternFault, type PatternFault } from './path-pattern';
import { SCOPE_DEFAULTS, patternText, rule, scope, type Rule, type Scope } from './rule';

/**
 * Turns rules as OpenCode writes them (a map from permission to an action, or to a map from pattern
 * to action) into a list in the same order. Returns any other value unchanged, for the schema to
 * accept or refuse. In a JavaScript object, keys that are whole numbers come first.
 */
export function flattenRules(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.entries(value).flatMap(([permission, actions]) => {
    if (!isMap(actions)) return [{ permission, action: actions }];
    return Object.entries(actions).map(([pattern, action]) => ({ permission, pattern, action }));
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Most rules in one file, and most characters of all their patterns: as many as can be checked in a
 * millisecond.
 */
export const MAX_RULES = 200;

export const MAX_PATTERN_TEXT = 8192;

const preset = lazy(() =>
  z.discriminatedUnion('kind', [
    /** writes are denied, whatever the rules say */
    z.object({ kind: z.literal('read-only') }),
    /** reading is allowed, writing asks */
    z.object({ kind: z.literal('ask') }),
    /** like `ask`, but writing in these folders is allowed */
    z.object({
      kind: z.literal('trusted'),
      folders: z.array(patternText()).check(z.minLength(1), z.maxLength(20)),
    }),
  ]),
);

export type Preset = Readonly<z.infer<ReturnType<typeof preset>>>;

/** What agents may do, as set by the person. Part of the shared settings. */
export const permissions = lazy(() =>
  z.object({
    preset: z._default(preset(), { kind: 'ask' }),
    scopes: z._default(z.array(scope()).check(z.maxLength(MAX_RULES)), []),
    rules: z._default(
      z.pipe(
        z.transform(flattenRules),
        z.array(rule()).check(
          z.maxLength(MAX_RULES, `use at most ${MAX_RULES} rules`),
          z.refine(
            (rules) =>
              rules.reduce((sum, { pattern }) => sum + pattern.length, 0) <= MAX_PATTERN_TEXT,
            { message: `all patterns together may have ${MAX_PATTERN_TEXT} characters` },
          ),
        ),
      ),
      [],
    ),
  }),
);

export type Permissions = Readonly<z.infer<ReturnType<typeof permissions>>>;

export const DEFAULT_PERMISSIONS: Permissions = { preset: { kind: 'ask' }, scopes: [], rules: [] };

/** For an invalid file: what it denied is not known, so everything asks. */
export const ASK_FOR_ALL: Permissions = {
  ...DEFAULT_PERMISSIONS,
  rules: [{ permission: '*', pattern: '**', action: 'ask' }],
};

/**
 * Reads the permissions in the settings. If any part is invalid, none of it applies; use {@link
 * ASK_FOR_ALL} then. Fields of later versions are dropped.
 */
export function readPermissions(value: unknown): Permissions | PatternFault<'bad_permissions'> {
  const read = permissions().safeParse(value);
  if (read.success) return read.data;
  const problems = read.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${describeLocation(path)}: ${message}`);
  const message = `The permissions can't be read, so you are asked about everything. ${problems.join('; ')}`;
  return patternFault('bad_permissions', message);
}

/** Names a place in the settings, counting from 1: "rule 2, pattern". */
function describeLocation(path: readonly PropertyKey[]): string {
  const [list, at, ...rest] = path;
  if (typeof at !== 'number') return path.length === 0 ? 'permissions' : path.map(String).join('.');
  const name = String(list).replace(/s$/, '');
  return [`${name} ${at + 1}`, ...rest.map(String)].join(', ');
}

const BASE_RULES: readonly Rule[] = [
  { permission: 'read', pattern: '**', action: 'allow' },
  { permission: 'tasks', pattern: '**', action: 'allow' },
];

/** The rules of a preset. They come before the person's own, which therefore override them. */
export function presetRules({ preset }: Permissions): readonly Rule[] {
  if (preset.kind === 'read-only') {
    return [...BASE_RULES, { permission: 'write', pattern: '**', action: 'deny' }];
  }
  const ask: Rule = { permission: 'write', pattern: '**', action: 'ask' };
  if (preset.kind === 'ask') return [...BASE_RULES, ask];
  const trusted = preset.folders.map((folder): Rule => {
    const pattern = folder.endsWith('/**') ? folder : `${folder}/**`;
    return { permission: 'write', pattern, action: 'allow' };
  });
  return [...BASE_RULES, ask, ...trusted];
}

/**
 * The scope of callers that no other scope applies to. The level `read-only` applies to all
 * callers.
 */
export function presetScope({ preset }: Permissions): Scope {
  return preset.kind === 'read-only' ? READ_ONLY : SCOPED;
}

const READ_ONLY: Scope = { level: 'read-only', ...SCOPE_DEFAULTS };

const SCOPED: Scope = { level: 'scoped-write', allowed: ['**'], ...SCOPE_DEFAULTS };

/** Whether two sets of permissions are equal, in the same order. */
export function samePermissions(one: Permissions, other: Permissions): boolean {
  return canonical(one) === canonical(other);
}

/** Parses the permissions again, which brings fields into one order and drops undefined ones. */
function canonical(permissions: Permissions): string {
  return JSON.stringify(readPermissions(JSON.parse(JSON.stringify(permissions))));
}
