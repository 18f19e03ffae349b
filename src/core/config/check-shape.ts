import * as z from 'zod/mini';
import {
  suggestWord,
  problemAt,
  type ConfigProblem,
  type KeyPath,
  type Located,
} from './config-problem';
import { valueIn } from './config-layer';
import { THEME_COLOURS } from './config-schema';
import { isPlainObject } from './config-text';

/** Where a checked value is: its file, and its path in it. */
export type CheckedLocation = Located & { readonly file: string; readonly path?: KeyPath };

/** `data` of an invalid value is what remains without the wrong parts. */
type Checked<T> = { readonly problems: readonly ConfigProblem[] } & (
  { readonly ok: true; readonly data: T } | { readonly ok: false; readonly data: T | undefined }
);

/** Most keys listed for a person who wrote an unknown one. */
const MAX_NAMED = 12;

/**
 * Checks a value with a schema. Unknown keys are problems if the schema is closed or they look like
 * a typo.
 */
export function checkShape<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  place: CheckedLocation,
): Checked<z.output<S>> {
  const { path = [] } = place;
  const unknownKeys = findUnknownKeys(schema, value).map(({ at, meant, known }) => {
    const key = String(at.at(-1));
    const message =
      meant === undefined
        ? `"${key}" is ignored: there is no such key.`
        : `"${key}" is not a key here.`;
    const keys = known.length > MAX_NAMED ? '' : ` Keys here: ${known.join(', ')}.`;
    const fix = meant === undefined ? `Remove it.${keys}` : `Write "${meant}".`;
    return problemAt(place, [...path, ...at], 'warning', message, fix);
  });
  const read = z.safeParse(schema, value);
  if (read.success) return { ok: true, data: read.data, problems: unknownKeys };
  const wrong = read.error.issues
    .flatMap((one) => likelyIssues(one, value))
    .map((issue) => {
      const keys = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
      const { message, fix } = describeIssue(issue, valueIn(value, keys));
      return problemAt(place, [...path, ...keys], 'error', message, fix);
    });
  return {
    ok: false,
    data: withoutInvalidParts(schema, value),
    problems: [...unknownKeys, ...wrong],
  };
}

/** Enough passes to get from any wrong value up to the one that contains everything. */
const MAX_PASSES = 12;

function withoutInvalidParts<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
): z.output<S> | undefined {
  let rest = value;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const read = z.safeParse(schema, rest);
    if (read.success) return read.data;
    const value = rest;
    const wrong = read.error.issues.flatMap((one) => likelyIssues(one, value));
    const paths = new Map(wrong.map(({ path }) => [path.join('\n'), path.map(String)]));
    for (const path of paths.values()) rest = removeAtPath(rest, path);
  }
  return undefined;
}

/** Removes the value at a path. If it is missing or in a list, removes its parent instead. */
export function removeAtPath(value: unknown, path: readonly string[]): unknown {
  const [key, ...inner] = path;
  const isLast = inner.length === 0;
  if (key === undefined || !isPlainObject(value)) return undefined;
  if (!Object.hasOwn(value, key)) return isLast ? undefined : value;
  const { [key]: old, ...others } = value;
  const left = isLast ? undefined : removeAtPath(old, inner);
  return left === undefined ? others : { ...value, [key]: left };
}

type Issue = z.core.$ZodIssue;

/**
 * For a union, the issues of the branch that was probably meant: the one that matched deepest, then
 * the one with the fewest missing values.
 */
function likelyIssues(issue: Issue, value: unknown): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const branches = issue.errors.map((errors) =>
    errors
      .map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
      .flatMap((one) => likelyIssues(one, value)),
  );
  const depth = (branch: readonly Issue[]): number =>
    Math.max(...branch.map(({ path }) => path.length));
  const lacks = ({ path }: Issue): boolean => valueIn(value, path.map(String)) === undefined;
  const missing = (branch: readonly Issue[]): number => branch.filter(lacks).length;
  const [meant] = branches.sort((a, b) => depth(b) - depth(a) || missing(a) - missing(b));
  return meant === undefined || depth(meant) === issue.path.length ? [issue] : meant;
}

function describeIssue(
  issue: Issue,
  value: unknown,
): { readonly message: string; readonly fix: string } {
  const [parent, key] = [issue.path.at(-2), issue.path.at(-1)].map(String);
  const isEntry = typeof issue.path.at(-1) === 'number';
  const name = isEntry ? `Entry ${Number(key) + 1} of "${parent}"` : `"${key}"`;
  const what = issue.path.length === 0 ? 'All of it' : name;
  const wanted = describeExpected(issue);
  if (value === undefined) return { message: `${what} is missing.`, fix: `Add it: ${wanted}.` };
  if (key === 'color') {
    const fix = `Write a hex colour in quotes, as in "#ff8800", or ${THEME_COLOURS.join(', ')}.`;
    return { message: '"color" is not a colour that OpenCode knows.', fix };
  }
  const given = typeof value === 'string' ? value : '';
  const meant = suggestWord(given, allowedWords(issue));
  // A value is shown only if it resembles an allowed word, since others may be secrets.
  const now = meant === undefined ? describeKind(value, wanted, issue) : `, not "${given}"`;
  const fix = meant === undefined ? `Write ${wanted}.` : `Write "${meant}".`;
  return { message: `${what} has to be ${wanted}${now}.`, fix };
}

/** Zod's default message, for schemas without their own. */
const DEFAULT_ZOD_MESSAGE = 'Invalid input';

/** The words that are allowed at this place. */
function allowedWords(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(allowedWords);
  const values = issue.code === 'invalid_value' ? issue.values : [];
  return values.filter((one) => typeof one === 'string');
}

function describeExpected(issue: Issue): string {
  const { code } = issue;
  if (code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (code === 'too_big') return `a number of at most ${issue.maximum}`;
  if (code === 'too_small') {
    const { inclusive, minimum } = issue;
    return inclusive === false
      ? `a number greater than ${minimum}`
      : `a number of at least ${minimum}`;
  }
  if (code === 'invalid_union') {
    const forms = new Set(issue.errors.flat().map(describeExpected));
    return forms.size === 0 ? '"local" or "remote"' : [...forms].join(' or ');
  }
  if (code !== 'invalid_value')
    return issue.message === DEFAULT_ZOD_MESSAGE ? 'of another form' : issue.message;
  const words = issue.values.map((one) => (typeof one === 'string' ? `"${one}"` : String(one)));
  return words.join(' or ');
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text in quotes',
  number: 'a number without quotes',
  int: 'a whole number',
  boolean: 'true or false without quotes',
  array: 'a list in [ ]',
  record: 'an object in { }',
  object: 'an object in { }',
  tuple: 'a pair in [ ]',
};

/**
 * Describes the wrong value by its kind only, since it may be a secret. Empty if the kind is right.
 */
function describeKind(value: unknown, wanted: string, issue: Issue): string {
  if (['too_big', 'too_small', 'custom'].includes(issue.code)) return '';
  if (value === null) return ', not empty';
  if (value instanceof Date) return ', not a date';
  if (Array.isArray(value)) return ', not a list';
  if (typeof value === 'object') return ', not an object';
  if (typeof value === 'string') return wanted.startsWith('"') ? '' : ', not a text';
  if (typeof value === 'boolean') return ', not true or false';
  return ', not a number';
}

interface UnknownKey {
  readonly at: readonly string[];
  readonly meant: string | undefined;
  readonly known: readonly string[];
}

/** Unknown keys of an object. If its schema allows others, only those that look like a typo. */
function findUnknownKeys(schema: z.core.$ZodType, value: unknown): readonly UnknownKey[] {
  if (!isPlainObject(value)) return [];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return findUnknownKeys(def.innerType, value);
  if (def.type === 'union') {
    const fits = def.options.find((option) => z.safeParse(option, value).success);
    return fits === undefined ? [] : findUnknownKeys(fits, value);
  }
  const below = (inner: z.core.$ZodType, key: string) =>
    findUnknownKeys(inner, value[key]).map((one) => ({ ...one, at: [key, ...one.at] }));
  if (def.type === 'record') return Object.keys(value).flatMap((key) => below(def.valueType, key));
  if (def.type !== 'object') return [];
  const known = Object.keys(def.shape);
  return Object.keys(value).flatMap((key): readonly UnknownKey[] => {
    const inner = def.shape[key];
    if (inner !== undefined) return below(inner, key);
    const meant = suggestWord(key, known);
    return def.catchall !== undefined && meant === undefined ? [] : [{ at: [key], meant, known }];
  });
}
