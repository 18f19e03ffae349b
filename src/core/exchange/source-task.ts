import { IMPACTS, LEVELS, RISKS, SCOPES } from '../board/tasks-schema';
import type { OwnField } from '../board/note/line-facts';
import { isValidAgentName } from '../board/board-path';
import { markOf, statusOfMark } from '../board/note/task-block';
import { checkTitle } from '../board/note/title';
import type { SaidSentence, SentenceValues } from '../fault/sentence';
import { lossPart } from './import-fault';
import { isReadBack, type LineExtras, type LineField } from '../board/note/line-extras';
import { type Priority, type Status, readStatus } from '../board/task';

/** Text values that are taken over unchanged. */
type TextField = OwnField | 'status' | 'mark' | 'priority' | 'due' | 'done' | 'cancelled' | 'phase';

/**
 * A task with the unconverted values of its source. `status` may come from the task's place. `done`
 * and `cancelled` are for sources with a date for each, and apply whatever the status is.
 */
export interface SourceTask extends Partial<
  Readonly<Record<TextField, string | null>> & Omit<LineExtras, 'fields'>
> {
  /** the task's name in the source, used by others to refer to it */
  readonly ref?: string | null;
  /** whether the ref was made up for this import and has no meaning elsewhere */
  readonly local?: boolean;
  readonly title: string | null;
  /** date of completion or cancellation, for sources with one date for both */
  readonly closed?: string | null;
  /** bracket fields that are not ours */
  readonly fields?: readonly LineField[];
  readonly tags?: readonly string[];
  readonly body?: readonly string[];
  /** refs of other tasks */
  readonly parent?: string | null;
  readonly dependsOn?: readonly string[];
  /** names of fields that were not read */
  readonly unread?: readonly string[];
}

/** A name of the source, or what stands for it. */
export type PartName = string | SaidSentence;

export type ReportLoss = (what: PartName, why: SaidSentence) => void;

const ALLOWED_WORDS = { scope: SCOPES, risk: RISKS, impact: IMPACTS, level: LEVELS } as const;

/**
 * Converts a task's values to ours. Values that can't be converted are reported with the task's
 * name.
 * @returns also `closed`, if there is one date for its end
 */
export function readValues(source: SourceTask, name: PartName, reportLoss: ReportLoss) {
  const read = makeConverter(name, reportLoss);
  const day = makeDayConverter(read);
  const word = (field: keyof typeof ALLOWED_WORDS): string | null => {
    const words: readonly string[] = ALLOWED_WORDS[field];
    const as = (text: string) => words.find((one) => one === text.toLowerCase());
    const why = lossPart('notOneOf', { words: words.join(', ') });
    return read(source[field], as, 'wordOf', why, { field });
  };
  const line = (field: 'reason' | 'approve' | 'waitsFor'): string | null => {
    const as = (text: string) => {
      const checked = checkTitle(text, field);
      return checked.ok ? checked.title : undefined;
    };
    return read(source[field], as, 'lineOf', lossPart('notALine'), { field });
  };
  const blocked = /^blocked$/i.test(source.status ?? '');
  const why = lossPart(blocked ? 'blocked' : 'noStatus');
  const status = read(source.status, sourceStatus, 'statusOf', why) ?? 'pending';
  const closed = day('completedOf', source.closed);
  const ending = (of: Status): string | null => (status === of ? closed : null);
  return {
    status,
    mark: markFor(source.mark ?? null, status, name, reportLoss),
    priority:
      read(source.priority, sourcePriority, 'priorityOf', lossPart('noPriority')) ?? 'normal',
    owner: read(
      source.owner,
      (text) => (isValidAgentName(text) ? text : undefined),
      'ownerOf',
      lossPart('notAName'),
    ),
    ...{ scope: word('scope'), risk: word('risk'), impact: word('impact'), level: word('level') },
    ...{ reason: line('reason'), approve: line('approve'), waitsFor: line('waitsFor') },
    review: status === 'in_progress' ? day('reviewOf', source.review) : null,
    estimate: read(
      source.estimate,
      (text) => /^\d{1,5}(\.\d{1,2})?[mh]$/.exec(text.replace(/\s+/g, '').toLowerCase())?.[0],
      'estimateOf',
      lossPart('notAnEstimate'),
    ),
    due: day('dueOf', source.due),
    done: day('dayOf', source.done, '✅') ?? ending('completed'),
    cancelled: day('dayOf', source.cancelled, '❌') ?? ending('cancelled'),
    ...readExtras(source, name, reportLoss),
  };
}

/** Reads values that a line keeps without any effect, if they can be parsed again. */
function readExtras(source: SourceTask, name: PartName, reportLoss: ReportLoss): LineExtras {
  const read = makeConverter(name, reportLoss);
  const day = makeDayConverter(read);
  const kept = (part: 'recurrence' | 'onCompletion' | 'blockId', what: PartKey) => {
    const as = (text: string) => (isReadBack({ [part]: text }) ? text : undefined);
    return read(source[part], as, what, lossPart('notReadBack'));
  };
  return {
    created: day('createdOf', source.created),
    start: day('dayOf', source.start, '🛫'),
    scheduled: day('dayOf', source.scheduled, '⏳'),
    recurrence: kept('recurrence', 'recurrenceOf'),
    onCompletion: kept('onCompletion', 'onCompletionOf'),
    fields: (source.fields ?? []).filter((field) => {
      if (isReadBack({ fields: [field] })) return true;
      const [key, text] = [shown(field.key), shown(field.value)];
      reportLoss(lossPart('bracketOf', { key, text, name }), lossPart('notReadBack'));
      return false;
    }),
    blockId: kept('blockId', 'blockIdOf'),
  };
}

/**
 * Returns a function that converts a value. Reports a value that can't be converted, and returns
 * null for it as for an absent one.
 */
function makeConverter(name: PartName, reportLoss: ReportLoss) {
  return <T>(
    given: string | null | undefined,
    as: (text: string) => T | undefined,
    what: PartKey,
    why: SaidSentence,
    values: SentenceValues = {},
  ): T | null => {
    const text = given?.trim() ?? '';
    const value = text === '' ? null : as(text);
    if (value === undefined) {
      reportLoss(lossPart(what, { text: shown(text), name, ...values }), why);
    }
    return value ?? null;
  };
}

function makeDayConverter(read: ReturnType<typeof makeConverter>) {
  return (what: PartKey, given: string | null | undefined, emoji = ''): string | null =>
    read(given, sourceDay, what, lossPart('notADate'), { emoji });
}

type PartKey = Parameters<typeof lossPart>[0];

const STATUS_STAYS = {
  pending: 'isPending',
  in_progress: 'isInProgress',
  completed: 'isCompleted',
  cancelled: 'isCancelled',
  failed: 'isFailed',
  deferred: 'isDeferred',
} as const satisfies Record<Status, PartKey>;

function markFor(
  given: string | null,
  status: Status,
  name: PartName,
  reportLoss: ReportLoss,
): string {
  const usual = markOf(status);
  if (given === null || given === usual) return usual;
  const fits = [...given].length === 1 && /^[^\p{Cc}\p{Surrogate}\u2028\u2029[\]\\`]$/u.test(given);
  if (fits && statusOfMark(given) === status) return given;
  reportLoss(lossPart('markOf', { text: shown(given), name }), lossPart(STATUS_STAYS[status]));
  return usual;
}

/** Statuses of other programs that `readStatus` doesn't know. */
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

/** Our status for one of another program; undefined if there is none. */
function sourceStatus(word: string): Status | undefined {
  return readStatus(word) ?? STATUS_WORDS.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}

function sourcePriority(word: string): Priority | undefined {
  return PRIORITY_WORDS.get(word.toLowerCase());
}

/** The date of a date or timestamp; undefined if it doesn't start with a valid one. */
function sourceDay(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?!\d)/.exec(text)?.[1];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day;
}

/** The lines of a text; an empty list for null. */
export function linesIn(text: string | null): readonly string[] {
  return text === null ? [] : text.split(/\r\n|\r|\n/);
}

/** Turns criteria, as a list or as a text with lines or items, into `Success:` lines. */
export function criteriaLines(value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = given.filter((one) => typeof one === 'string').flatMap((one) => linesIn(one));
  return texts
    .map((line) => line.replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[.\]\s+)?/, '').trim())
    .flatMap((line) => (line === '' ? [] : [`Success: ${line}`]));
}

/** Turns a label into a tag; empty if nothing of it is allowed in a tag. */
export function tagOf(label: string): string {
  const word = label
    .trim()
    .replace(/^#/, '')
    .replace(/[^\p{L}\p{N}_/-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return word === '' || /^\d+$/.test(word) ? '' : `#${word}`;
}

/** A text of the source for a message: on one line, and cut if it is long. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
  return line.length > 60 ? `${[...line].slice(0, 57).join('')}…` : line;
}
