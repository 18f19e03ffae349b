import { parseJson } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { oneLine, RUN_SENTENCES, runSentence } from './state';

/** The outcome of a check of a task. */
export type Verdict =
  /** `result`: the task's result, one line; may be empty */
  | { readonly kind: 'pass'; readonly result: string }
  | { readonly kind: 'fail'; readonly message: string }
  /** the answer contains no valid verdict */
  | { readonly kind: 'unclear'; readonly message: string };

/** Maximum criteria of one task: with more, a check would never come to an end. */
export const MAX_CRITERIA = 200;

/** Why a task can't be checked, for the person; undefined if it can. */
export function criteriaLimitFault({ length }: readonly string[]): string | undefined {
  return length <= MAX_CRITERIA
    ? undefined
    : `It has ${length} “Success:” lines, and a check judges ${MAX_CRITERIA} at most: put some together or split the task, then try again.`;
}

const criterion = lazy(() =>
  z.object({ n: z.int(), met: z.boolean(), why: z._default(z.string(), '') }),
);
const verdictSchema = lazy(() =>
  z.object({
    verdict: z.enum(['pass', 'fail']),
    criteria: z.array(criterion()).check(z.maxLength(MAX_CRITERIA)),
    result: z._default(z.string(), ''),
  }),
);

/** How many JSON objects are tried, from the end of the answer. */
const MAX_TRIES = 50;

/**
 * Reads the verdict in a check's answer: the last JSON object that is a verdict. A pass counts only if it
 * lists every criterion by its number as met, ends the answer, and nothing else in the answer says that the
 * task fails, because a check may quote text of a worker that wants to pass. A verdict that contradicts
 * itself is a fail.
 * @param success the current criteria
 */
export function readVerdict(answer: string, success: readonly string[]): Verdict {
  const found = lastVerdict(answer);
  if (found === undefined) return unclear(RUN_SENTENCES.noVerdict);
  const known = new Map<number, { met: boolean; why: string }>();
  for (const { n, met, why } of found.criteria) {
    // If a criterion is listed twice, the worse counts.
    const before = known.get(n);
    if (before === undefined || before.met) known.set(n, { met, why });
  }
  const open = success.flatMap((text, at) => {
    const one = known.get(at + 1);
    return one?.met === false
      ? [one.why === '' ? text : `${text.replace(/[.:;]+$/, '')}: ${one.why}`]
      : [];
  });
  if (open.length > 0)
    return {
      kind: 'fail',
      message: runSentence('notMet', { criteria: oneLine(open.join('; '), 1_000) }),
    };
  if (found.verdict === 'fail') {
    return { kind: 'fail', message: oneLine(found.result, 1_000) || RUN_SENTENCES.checkFailed };
  }
  const missing = success.flatMap((_, at) => (known.has(at + 1) ? [] : [at + 1]));
  if (missing.length > 0)
    return unclear(runSentence('notJudged', { criteria: missing.join(', ') }));
  const { before, behind } = found;
  if (/[\p{L}\p{N}]/u.test(behind)) return unclear(RUN_SENTENCES.openVerdict);
  if (FAILS.test(before)) return unclear(RUN_SENTENCES.twoVerdicts);
  return { kind: 'pass', result: oneLine(found.result, 500) };
}

/** A check's answer, for display; undefined if it does not end with a verdict. */
export function shownVerdict(answer: string): ShownVerdict | undefined {
  const found = answer.trimEnd().endsWith('}') || /\}\s*`{3,}\s*$/.test(answer);
  const last = found ? lastVerdict(answer) : undefined;
  if (last === undefined || /[\p{L}\p{N}]/u.test(last.behind)) return undefined;
  const { verdict, criteria, result, before } = last;
  return { before: before.replace(/`{3,}(?:json)?\s*$/, '').trimEnd(), verdict, criteria, result };
}

export interface ShownVerdict extends z.infer<ReturnType<typeof verdictSchema>> {
  /** the text before the verdict */
  readonly before: string;
}

/** Matches a failing verdict or an unmet criterion, within valid JSON or not. */
const FAILS = /verdict[\\"'”]*\s*:\s*[\\"'“]*fail\b|\bmet[\\"'”]*\s*:\s*false\b/i;

function unclear(message: string): Verdict {
  return { kind: 'unclear', message };
}

interface FoundVerdict extends z.infer<ReturnType<typeof verdictSchema>> {
  /** the rest of the answer */
  readonly before: string;
  readonly behind: string;
}

function lastVerdict(answer: string): FoundVerdict | undefined {
  let to = answer.lastIndexOf('}');
  for (let tries = 0; tries < MAX_TRIES && to >= 0; tries += 1) {
    const from = openingOf(answer, to);
    const json = from === undefined ? undefined : parseJson(answer.slice(from, to + 1));
    const read = verdictSchema().safeParse(json);
    if (read.success) {
      return { ...read.data, before: answer.slice(0, from), behind: answer.slice(to + 1) };
    }
    // Not a verdict: try the previous object, or one inside of what can't be parsed.
    to = answer.lastIndexOf('}', (json === undefined ? to : (from ?? to)) - 1);
  }
  return undefined;
}

/**
 * The index of the brace that opens the object ending at `to`; braces in quoted strings are
 * ignored.
 */
function openingOf(answer: string, to: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = to; at >= 0; at -= 1) {
    const char = answer.charAt(at);
    if (char === '"' && !isEscaped(answer, at)) quoted = !quoted;
    else if (quoted) continue;
    else if (char === '}') depth += 1;
    else if (char === '{') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}

function isEscaped(answer: string, at: number): boolean {
  let slashes = 0;
  while (answer.charAt(at - 1 - slashes) === '\\') slashes += 1;
  return slashes % 2 === 1;
}
