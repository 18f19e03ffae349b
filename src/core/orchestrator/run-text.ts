import { durationText, formatDuration } from '../duration';
import { sentence, type SaidSentence, type SentenceValues } from '../fault/sentence';
import type { Limits } from './limits';
import { ENTRY_LABELS, type Run, type TimelineEntry, type WaitReason } from './state';
import type { PlanSnapshot } from './plan-snapshot';

/** Why a run waits. */
export const WAIT_TEXTS = {
  turns: {
    one: 'The run stopped at its limit of {count} turn.',
    other: 'The run stopped at its limit of {count} turns.',
  },
  tokens: {
    one: 'The run stopped at its limit of {count} token.',
    other: 'The run stopped at its limit of {count} tokens.',
  },
  minutes: {
    one: 'The run stopped at its limit of {count} minute.',
    other: 'The run stopped at its limit of {count} minutes.',
  },
  no_progress: 'Three turns without progress. Look at the conversation or change the plan.',
  offline: 'Its program is not connected.',
  planning: 'The planning session',
  asks: '{who} asks you.',
  asksWhat: '{who} asks you: {what}.',
  asksSentence: '{who} asks you: {what}',
  asksMore: '{who} asks you: {what}, and {count} more.',
  held: '{title}: {message}',
  approval: '{title} is done once you approve it.',
  own: '{title} is yours. It is done when you tick it.',
  noTask: 'There is no task on the board.',
  blocked: 'Nothing can be started: {titles}.',
} as const;

/** Why a run waits, in a sentence for the person. */
export function waitSentence(why: WaitReason, limits: Limits): SaidSentence {
  const text = (name: keyof typeof WAIT_TEXTS, values?: SentenceValues): SaidSentence =>
    sentence(['runWait', WAIT_TEXTS], name, values);
  switch (why.kind) {
    case 'limit':
      return text(why.limit, why.limit === 'no_progress' ? {} : { count: limits[why.limit] });
    case 'offline':
      return text(why.kind);
    case 'asked': {
      const who = why.task?.title ?? text('planning');
      const [what, count] = [why.what.find((one) => one !== ''), why.what.length - 1];
      if (what === undefined) return text('asks', { who });
      if (count > 0) return text('asksMore', { who, what, count });
      return text(/[.?!…。！？]$/.test(what) ? 'asksSentence' : 'asksWhat', { who, what });
    }
    case 'held':
      return text(why.kind, { title: why.task.title, message: [why.message, undefined] });
    case 'approval':
    case 'own':
      return text(why.kind, { title: why.task.title });
    case 'plan':
    case 'board':
      return [why.message, undefined];
    case 'blocked': {
      const titles = why.tasks.map(({ title }) => title).join(', ');
      return titles === '' ? text('noTask') : text(why.kind, { titles });
    }
  }
}

export function waitReasonText(why: WaitReason, limits: Limits): string {
  return waitSentence(why, limits)[0];
}

/** Why a run waits, in one line: the first reason, and the number of further ones. */
export function waitReasonsText(why: readonly WaitReason[], limits: Limits): string {
  const [first] = why;
  if (first === undefined) return '';
  const words = waitReasonText(first, limits).trim();
  const said = /[.!?…]$/.test(words) ? words : `${words}.`;
  return why.length === 1 ? said : `${said} And ${pluralize(why.length - 1, 'more reason')}.`;
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
