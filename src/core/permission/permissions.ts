import '../../protocol/jitless';
import * as z from 'zod/mini';
import { fault, type Fault } from './fault';
import { flattenRules } from './flatten-rules';
import { patternText, rule } from './rule';
import { scope } from './scope';

/** Rules of one file, and the characters of all their patterns: what a check in a millisecond can take. */
export const MAX_RULES = 200;
export const MAX_PATTERN_TEXT = 8192;

const preset = z.discriminatedUnion('kind', [
  /** nothing is written, whatever the rules say */
  z.object({ kind: z.literal('read-only') }),
  /** notes are read, writes ask */
  z.object({ kind: z.literal('ask') }),
  /** and in these folders they don't */
  z.object({
    kind: z.literal('trusted'),
    folders: z.array(patternText).check(z.minLength(1), z.maxLength(20)),
  }),
]);
export type Preset = Readonly<z.infer<typeof preset>>;

/** What agents may do, as the person set it: part of the shared settings. */
export const permissions = z.object({
  preset: z._default(preset, { kind: 'ask' }),
  scopes: z._default(z.array(scope).check(z.maxLength(MAX_RULES)), []),
  rules: z._default(
    z.pipe(
      z.transform(flattenRules),
      z.array(rule).check(
        z.maxLength(MAX_RULES, `use at most ${MAX_RULES} rules`),
        z.refine(
          (rules) =>
            rules.reduce((sum, { pattern }) => sum + pattern.length, 0) <= MAX_PATTERN_TEXT,
          {
            message: `all patterns together may have ${MAX_PATTERN_TEXT} characters`,
          },
        ),
      ),
    ),
    [],
  ),
});
export type Permissions = Readonly<z.infer<typeof permissions>>;

export const DEFAULT_PERMISSIONS: Permissions = permissions.parse({});

/** For a file that can't be followed: what it denied is not known, so all is asked. */
export const ASK_FOR_ALL: Permissions = permissions.parse({
  rules: [{ permission: '*', action: 'ask' }],
});

/**
 * Reads what stands in the settings. Nothing of it is followed unless all of it is understood; then use
 * {@link ASK_FOR_ALL}. Fields of later versions are dropped.
 */
export function readPermissions(value: unknown): Permissions | Fault<'bad_permissions'> {
  const read = permissions.safeParse(value);
  if (read.success) return read.data;
  const told = read.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${where(path)}: ${message}`);
  const message = `The permissions can't be followed, so everything asks. ${told.join('; ')}`;
  return fault('bad_permissions', message);
}

/** As a person counts: "rule 2, pattern". */
function where(path: readonly PropertyKey[]): string {
  const [list, at, ...rest] = path;
  if (typeof at !== 'number') return path.length === 0 ? 'permissions' : path.map(String).join('.');
  const name = String(list).replace(/s$/, '');
  return [`${name} ${at + 1}`, ...rest.map(String)].join(', ');
}
