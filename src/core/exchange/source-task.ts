import { IMPACTS, LEVELS, RISKS, SCOPES } from '../board/tasks-schema';
import type { OwnField } from '../board/note/line-facts';
import { validAgentName } from '../board/board-path';
import { markOf, statusOfMark } from '../board/note/task-block';
import { checkTitle } from '../board/note/title';
import { readsAs, type LineExtras, type LineField } from '../board/note/whole-line';
import { type Priority, type Status, readStatus } from '../board/task';
import type { ImportedTask } from './imported-plan';

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

const WORDS = { scope: SCOPES, risk: RISKS, impact: IMPACTS, level: LEVELS } as const;

type WordField = keyof typeof WORDS;

/** Brings the values of tasks into our words. What has no place here is left, with the task's name. */
export class SourceValues {
  constructor(private readonly leave: (what: string, why: string) => void) {}

  status(word: string | null, name: string): Status {
    if (word === null) return 'pending';
    const status = sourceStatus(word);
    if (status !== undefined) return status;
    const why = /^blocked$/i.test(word)
      ? 'What is blocked follows from what a task waits for; it is pending now.'
      : 'No status of ours has this name; it is pending now.';
    this.leave(`the status "${shown(word)}" of ${name}`, why);
    return 'pending';
  }

  mark(given: string | null, status: Status, name: string): string {
    const usual = markOf(status);
    if (given === null || given === usual) return usual;
    const fits =
      [...given].length === 1 && /^[^\p{Cc}\p{Surrogate}\u2028\u2029[\]\\`]$/u.test(given);
    if (fits && statusOfMark(given) === status) return given;
    this.leave(`the mark "${shown(given)}" of ${name}`, `Its task is ${status.replace('_', ' ')}.`);
    return usual;
  }

  /** What a line keeps and nothing acts on; each part that would not be read back is left. */
  extras(source: SourceTask, name: string): LineExtras {
    const kept = <T extends string | LineField>(
      given: T | null | undefined,
      part: (value: T) => Partial<LineExtras>,
      what: (value: T) => string,
    ): T | null => {
      if (given === undefined || given === null) return null;
      if (readsAs(part(given))) return given;
      this.leave(`${what(given)} of ${name}`, 'It would not be read so on a line.');
      return null;
    };
    return {
      created: this.day('its day of creation', source.created, name),
      start: this.day('its day 🛫', source.start, name),
      scheduled: this.day('its day ⏳', source.scheduled, name),
      recurrence: kept(
        source.recurrence,
        (recurrence) => ({ recurrence }),
        (text) => `the recurrence "${shown(text)}"`,
      ),
      onCompletion: kept(
        source.onCompletion,
        (onCompletion) => ({ onCompletion }),
        (text) => `the word "${shown(text)}" of 🏁`,
      ),
      fields: (source.fields ?? []).flatMap(
        (given) =>
          kept(
            given,
            (field) => ({ fields: [field] }),
            ({ key, value }) => `the field [${shown(key)}:: ${shown(value)}]`,
          ) ?? [],
      ),
      blockId: kept(
        source.blockId,
        (blockId) => ({ blockId }),
        (blockId) => `the block id ^${shown(blockId)}`,
      ),
    };
  }

  /** Own fields that hold a line of text. */
  lines(source: SourceTask, name: string): Pick<ImportedTask, 'reason' | 'approve' | 'waitsFor'> {
    const read = (field: 'reason' | 'approve' | 'waitsFor'): string | null => {
      const given = source[field]?.trim() ?? '';
      if (given === '') return null;
      const checked = checkTitle(given, field);
      if (checked.ok) return checked.title;
      this.leave(`the ${field} of ${name}`, 'It is no line of at most 500 characters.');
      return null;
    };
    return { reason: read('reason'), approve: read('approve'), waitsFor: read('waitsFor') };
  }

  priority(word: string | null, name: string): ImportedTask['priority'] {
    if (word === null) return 'normal';
    const priority = sourcePriority(word);
    if (priority !== undefined) return priority;
    this.leave(`the priority "${shown(word)}" of ${name}`, 'No priority of ours has this name.');
    return 'normal';
  }

  words(source: SourceTask, name: string): Record<WordField, string | null> {
    const read = (field: WordField): string | null => {
      const given = source[field] ?? null;
      if (given === null) return null;
      const word = WORDS[field].find((one) => one === given.trim().toLowerCase());
      if (word !== undefined) return word;
      this.leave(
        `the ${field} "${shown(given)}" of ${name}`,
        `It is none of ${WORDS[field].join(', ')}.`,
      );
      return null;
    };
    return {
      scope: read('scope'),
      risk: read('risk'),
      impact: read('impact'),
      level: read('level'),
    };
  }

  estimate(given: string | null, name: string): string | null {
    if (given === null) return null;
    const text = given.replace(/\s+/g, '').toLowerCase();
    if (/^\d{1,5}(\.\d{1,2})?[mh]$/.test(text)) return text;
    this.leave(`the estimate "${shown(given)}" of ${name}`, 'An estimate is written as 30m or 2h.');
    return null;
  }

  day(what: string, given: string | null | undefined, name: string): string | null {
    if (given === undefined || given === null) return null;
    const day = sourceDay(given);
    if (day === undefined) this.leave(`${what}, "${shown(given)}", of ${name}`, 'It is no date.');
    return day ?? null;
  }

  owner(given: string | null | undefined, name: string): string | null {
    const text = given?.trim() ?? '';
    if (text === '') return null;
    if (validAgentName(text)) return text;
    this.leave(`the owner "${shown(text)}" of ${name}`, 'A name has at most 72 bytes in one line.');
    return null;
  }
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
  return PRIORITY_WORDS.get(word.trim().toLowerCase());
}

/** The day of a date or time stamp, undefined where it begins with no day of the calendar. */
function sourceDay(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?!\d)/.exec(text.trim())?.[1];
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
