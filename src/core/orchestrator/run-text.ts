import { durationText, formatDuration } from '../duration';
import type { LimitName, Limits } from './limits';
import { ENTRY_LABELS, type Run, type TimelineEntry, type WaitReason } from './state';
import type { PlanSnapshot } from './plan-snapshot';

/** Why a run waits, in a sentence for the person. */
export function waitReasonText(why: WaitReason, limits: Limits): string {
  switch (why.kind) {
    case 'limit':
      return limitText(why.limit, limits);
    case 'offline':
      return 'Its program is not connected.';
    case 'asked':
      return `${why.task === null ? 'The planning session' : why.task.title} ${requestText(why.what)}`;
    case 'held':
      return `${why.task.title}: ${why.message}`;
    case 'approval':
      return `${why.task.title} is done once you approve it.`;
    case 'own':
      return `${why.task.title} is yours. It is done when you tick it.`;
    case 'plan':
    case 'board':
      return why.message;
    case 'blocked':
      return why.tasks.length === 0
        ? 'There is no task on the board.'
        : `Nothing can be started: ${why.tasks.map(({ title }) => title).join(', ')}.`;
  }
}

/** Why a run waits, in one line: the first reason, and the number of further ones. */
export function waitReasonsText(why: readonly WaitReason[], limits: Limits): string {
  const [first] = why;
  if (first === undefined) return '';
  const words = waitReasonText(first, limits).trim();
  const said = /[.!?…]$/.test(words) ? words : `${words}.`;
  return why.length === 1 ? said : `${said} And ${pluralize(why.length - 1, 'more reason')}.`;
}

/** `asks you.`, `asks you: bash: rm -rf build.`, `asks you: Which colour?, and 1 more.` */
function requestText(what: readonly string[]): string {
  const [first] = what.filter((one) => one !== '');
  if (first === undefined) return 'asks you.';
  const more = what.length === 1 ? '' : `, and ${what.length - 1} more`;
  return `asks you: ${first}${more}${/[.?!…]$/.test(first) && more === '' ? '' : '.'}`;
}

function limitText(limit: LimitName, limits: Limits): string {
  return limit === 'no_progress'
    ? 'Three turns without progress. Look at the conversation or change the plan.'
    : `The run stopped at its limit of ${pluralize(limits[limit], limit.slice(0, -1))}.`;
}

/** The remaining time, and what the estimate is based on. */
export function timeLeftText(left: TimeLeft): string {
  if (left.by === 'nothing') return 'No estimate yet';
  const from = left.by === 'estimates' ? 'from the estimates' : 'from the tasks so far';
  const long = left.minutes === 0 ? 'Less than a minute' : `About ${formatDuration(left.minutes)}`;
  return `${long} left, ${from}`;
}

/** A timeline entry in one line: its kind, the task, the details. */
export function entryText(entry: TimelineEntry): string {
  const { kind, task, checkpoint, attempt } = entry;
  const words = entryDetailsText(entry);
  // The text for a failed attempt already says which attempt is next.
  const again = kind === 'tried_again' && attempt !== undefined;
  const name =
    checkpoint === undefined ? ENTRY_LABELS[kind] : `${ENTRY_LABELS[kind]} ${checkpoint}`;
  return [
    ...(again ? [] : [name]),
    ...(task === null ? [] : [task]),
    ...(words === '' ? [] : [words]),
  ].join(' · ');
}

/** The details of an entry, with its attempt or duration; may be empty. */
function entryDetailsText({ kind, words, attempt, ms }: TimelineEntry): string {
  if (ms !== undefined) return `Reconnected after ${durationText(ms)}. Nothing was lost.`;
  if (attempt === undefined) return words;
  const { n, of } = attempt;
  const why = words.replace(/[.\s]+$/, '');
  if (kind === 'tried_again')
    return `Attempt ${n} failed: ${why}. Trying again, ${n + 1} of ${of}.`;
  if (kind === 'passed')
    return why === '' ? `Attempt ${n} passed` : `Attempt ${n} passed: ${words}`;
  return `Attempt ${n} of ${of}: ${words}`;
}

/** An estimate of the remaining time of a run, and what it is based on. */
type TimeLeft =
  | { readonly by: 'estimates' | 'steps'; readonly minutes: number }
  /** the board has no estimates, and no step is finished yet */
  | { readonly by: 'nothing' };

/**
 * Uses the estimates of the open tasks, else the median duration of the steps so far. Parallel
 * tasks share the work, but no run is shorter than the longest path through its plan.
 */
export function timeLeft(
  snapshot: PlanSnapshot,
  { done, wish }: Pick<Run, 'done' | 'wish'>,
): TimeLeft {
  if (snapshot.kind !== 'plan') return { by: 'nothing' };
  const open = snapshot.tasks.filter(({ work }) => work > 0);
  const all = open.reduce((sum, { work }) => sum + work, 0);
  const longest = open.reduce((most, { way }) => Math.max(most, way), 0);
  const units = Math.max(longest, all / wish.limits.parallel);
  if (snapshot.unit === 'minutes') return { by: 'estimates', minutes: Math.round(units) };
  const each = median(done.map(({ ms }) => ms));
  if (each === undefined) return { by: 'nothing' };
  return { by: 'steps', minutes: Math.round((units * each) / 60_000) };
}

/** The median; undefined for an empty list. */
function median(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[half - 1], sorted[half]];
  if (high === undefined) return undefined;
  return sorted.length % 2 === 0 && low !== undefined ? (low + high) / 2 : high;
}

/** `960`, `600,000`. */
export function formatCount(number: number): string {
  return number.toLocaleString('en');
}

/** `1 task`, `1,200 tasks`. */
export function pluralize(number: number, word: string): string {
  return `${formatCount(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** The beginning of a text, at most `most` UTF-16 units and never half a character. */
export function firstChars(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, startsSurrogatePair(text, max - 1) ? max - 1 : max);
}

/** The end of a text, at most `most` UTF-16 units and never half a character. */
export function lastChars(text: string, max: number): string {
  if (text.length <= max) return text;
  const from = text.length - max;
  return text.slice(startsSurrogatePair(text, from - 1) ? from + 1 : from);
}

/** Whether a text contains a lone surrogate, which UTF-8 can't encode. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function startsSurrogatePair(text: string, at: number): boolean {
  const point = text.codePointAt(at);
  return point !== undefined && point > 0xffff;
}
