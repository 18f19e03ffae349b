import { IMPACTS, LEVELS, RISKS, SCOPES } from '../board/tasks-schema';
import type { OwnField } from '../board/note/line-facts';
import { validAgentName } from '../board/board-path';
import { markOf, statusOfMark } from '../board/note/task-block';
import { checkTitle } from '../board/note/title';
import { readsAs, type LineExtras, type LineField } from '../board/note/whole-line';
import { type Priority, type Status, readStatus } from '../board/task';

/** Texts of a task that are read as they are. */
type TextField = OwnField | 'status' | 'mark' | 'priority' | 'due' | 'done' | 'cancelled' | 'phase';

/**
 * A task as its source says it: words that mean nothing here yet. `status` may be what its place
 * says; `done` and `cancelled` are of a source that has a date for each, and stand whatever the
 * status is.
 */
export interface SourceTask extends Partial<
  Readonly<Record<TextField, string | null>> & Omit<LineExtras, 'fields'>
> {
  /** what the source calls it; others name it by this */
  readonly ref?: string | null;
  /** the ref is made up, for those beside it, and says nothing to anyone else */
  readonly local?: boolean;
  readonly title: string | null;
  /** when it was completed or cancelled, for a source that has one date for both */
  readonly closed?: string | null;
  /** bracket fields that are none of ours */
  readonly fields?: readonly LineField[];
  readonly tags?: readonly string[];
  readonly body?: readonly string[];
  /** refs */
  readonly parent?: string | null;
  readonly dependsOn?: readonly string[];
  /** fields that nobody read */
  readonly unread?: readonly string[];
}

export type Leave = (what: string, why: string) => void;

const WORDS = { scope: SCOPES, risk: RISKS, impact: IMPACTS, level: LEVELS } as const;

/**
 * The values of a task in our words. What has no place here is left, with the task's name.
 * @returns `closed`, the one date of its end, among them
 */
export function readValues(source: SourceTask, name: string, leave: Leave) {
  const read = reader(name, leave);
  const day = dayReader(read);
  const word = (field: keyof typeof WORDS): string | null => {
    const words: readonly string[] = WORDS[field];
    const as = (text: string) => words.find((one) => one === text.toLowerCase());
    return read(
      source[field],
      as,
      (text) => `the ${field} "${text}"`,
      `It is not one of ${words.join(', ')}.`,
    );
  };
  const line = (field: 'reason' | 'approve' | 'waitsFor'): string | null => {
    const as = (text: string) => {
      const checked = checkTitle(text, field);
      return checked.ok ? checked.title : undefined;
    };
    return read(source[field], as, () => `the ${field}`, LONG_LINE);
  };
  const blocked = /^blocked$/i.test(source.status ?? '');
  const why = blocked
    ? 'What is blocked follows from what a task waits for; it is pending now.'
    : 'No status of ours has this name; it is pending now.';
  const status =
    read(source.status, sourceStatus, (text) => `the status "${text}"`, why) ?? 'pending';
  const closed = day('its day of completion', source.closed);
  const ending = (of: Status): string | null => (status === of ? closed : null);
  return {
    status,
    mark: markFor(source.mark ?? null, status, name, leave),
    priority:
      read(source.priority, sourcePriority, (text) => `the priority "${text}"`, NO_PRIORITY) ??
      'normal',
    owner: read(
      source.owner,
      (text) => (validAgentName(text) ? text : undefined),
      (text) => `the owner "${text}"`,
      'A name has at most 72 bytes in one line.',
    ),
    ...{ scope: word('scope'), risk: word('risk'), impact: word('impact'), level: word('level') },
    ...{ reason: line('reason'), approve: line('approve'), waitsFor: line('waitsFor') },
    review: status === 'in_progress' ? day('its day of review', source.review) : null,
    estimate: read(
      source.estimate,
      (text) => /^\d{1,5}(\.\d{1,2})?[mh]$/.exec(text.replace(/\s+/g, '').toLowerCase())?.[0],
      (text) => `the estimate "${text}"`,
      'An estimate is written as 30m or 2h.',
    ),
    due: day('its due date', source.due),
    done: day('its day ✅', source.done) ?? ending('completed'),
    cancelled: day('its day ❌', source.cancelled) ?? ending('cancelled'),
    ...readExtras(source, name, leave),
  };
}

/** What a line keeps and nothing acts on, where it would be read back. */
function readExtras(source: SourceTask, name: string, leave: Leave): LineExtras {
  const read = reader(name, leave);
  const day = dayReader(read);
  const kept = (
    part: 'recurrence' | 'onCompletion' | 'blockId',
    what: (text: string) => string,
  ) => {
    const as = (text: string) => (readsAs({ [part]: text }) ? text : undefined);
    return read(source[part], as, what, NOT_SO);
  };
  return {
    created: day('its day of creation', source.created),
    start: day('its day 🛫', source.start),
    scheduled: day('its day ⏳', source.scheduled),
    recurrence: kept('recurrence', (text) => `the recurrence "${text}"`),
    onCompletion: kept('onCompletion', (text) => `the word "${text}" of 🏁`),
    fields: (source.fields ?? []).filter((field) => {
      if (readsAs({ fields: [field] })) return true;
      leave(`the field [${shown(field.key)}:: ${shown(field.value)}] of ${name}`, NOT_SO);
      return false;
    }),
    blockId: kept('blockId', (text) => `the block id ^${text}`),
  };
}

/** Reads values; one that can't be read is left, and null as one that is not there. */
function reader(name: string, leave: Leave) {
  return <T>(
    given: string | null | undefined,
    as: (text: string) => T | undefined,
    what: (text: string) => string,
    why: string,
  ): T | null => {
    const text = given?.trim() ?? '';
    const value = text === '' ? null : as(text);
    if (value === undefined) leave(`${what(shown(text))} of ${name}`, why);
    return value ?? null;
  };
}

function dayReader(read: ReturnType<typeof reader>) {
  return (what: string, given: string | null | undefined): string | null =>
    read(given, sourceDay, (text) => `${what}, "${text}",`, 'It is not a date.');
}

const NO_PRIORITY = 'No priority of ours has this name.';
const LONG_LINE = 'It is no line of at most 500 characters.';
const NOT_SO = 'It would not be read so on a line.';

function markFor(given: string | null, status: Status, name: string, leave: Leave): string {
  const usual = markOf(status);
  if (given === null || given === usual) return usual;
  const fits = [...given].length === 1 && /^[^\p{Cc}\p{Surrogate}\u2028\u2029[\]\\`]$/u.test(given);
  if (fits && statusOfMark(given) === status) return given;
  leave(`the mark "${shown(given)}" of ${name}`, `Its task is ${status.replace('_', ' ')}.`);
  return usual;
}

/** Words of other programs for a status that ours has no word for. */
const STATUS_WORDS: ReadonlyMap<string, Status> = new Map([
  ['review', 'in_progress'],
  ['inreview', 'in_progress'],
  ['ready', 'pending'],
  ['backlog', 'pending'],
  ['draft', 'pending'],
  ['deleted', 'cancelled'],
  ['archived', 'completed'],
  ['none', 'pending'],
  ['hooked', 'in_progress'],
]);

const PRIORITY_WORDS: ReadonlyMap<string, Priority> = new Map([
  ['critical', 'critical'],
  ['urgent', 'critical'],
  ['highest', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['normal', 'normal'],
  ['none', 'normal'],
  ['low', 'low'],
  ['lowest', 'lowest'],
]);

/** The status that another program means, undefined for a word that says none of ours. */
function sourceStatus(word: string): Status | undefined {
  return readStatus(word) ?? STATUS_WORDS.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}

function sourcePriority(word: string): Priority | undefined {
  return PRIORITY_WORDS.get(word.toLowerCase());
}

/** The day of a date or time stamp, undefined where it begins with no day of the calendar. */
function sourceDay(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?!\d)/.exec(text)?.[1];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day;
}

/** The lines of a text; none for none. */
export function linesIn(text: string | null): readonly string[] {
  return text === null ? [] : text.split(/\r\n|\r|\n/);
}

/** Criteria, as a list or as a text of lines or items, as `Success:` lines. */
export function criteriaLines(value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = given.filter((one) => typeof one === 'string').flatMap((one) => linesIn(one));
  return texts
    .map((line) => line.replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[.\]\s+)?/, '').trim())
    .flatMap((line) => (line === '' ? [] : [`Success: ${line}`]));
}

/** A label as a tag, empty where nothing of it can stand in one. */
export function tagOf(label: string): string {
  const word = label
    .trim()
    .replace(/^#/, '')
    .replace(/[^\p{L}\p{N}_/-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return word === '' || /^\d+$/.test(word) ? '' : `#${word}`;
}

/** A text of the source in a message: one line, and not all of a long one. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
  return line.length > 60 ? `${[...line].slice(0, 57).join('')}…` : line;
}
