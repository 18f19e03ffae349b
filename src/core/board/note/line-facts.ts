import type { Priority, Task } from '../task';
import {
  dataviewPriority,
  formatDataviewField,
  isDataview,
  priorityWord,
  type TailField,
  type TailKind,
} from './field-syntax';
import { fieldValue, type TaskLine } from './task-line';

/** This program's own fields, in brackets before the tail (`[owner:: me]`). */
export const OWN_FIELDS = [
  'owner',
  'scope',
  'risk',
  'impact',
  'level',
  'reason',
  'estimate',
  'approve',
  'review',
  'waitsFor',
] as const;

export type OwnField = (typeof OWN_FIELDS)[number];

/** The fields of a task line, except id and title. */
export type LineFacts = Pick<
  Task,
  OwnField | 'dependsOn' | 'priority' | 'due' | 'done' | 'cancelled'
>;

const EMOJI_OF: ReadonlyMap<Priority, string> = new Map([
  ['critical', '🔺'],
  ['high', '⏫'],
  ['medium', '🔼'],
  ['low', '🔽'],
  ['lowest', '⏬'],
]);

const NO_IDS: readonly string[] = [];

const NO_TAIL: Omit<LineFacts, OwnField> = {
  ...{ dependsOn: NO_IDS, priority: 'normal', due: null, done: null, cancelled: null },
};

/** Priorities by the code point of their emoji. */
const PRIORITY_AT: ReadonlyMap<number | undefined, Priority> = new Map(
  [...EMOJI_OF].map(([priority, emoji]) => [emoji.codePointAt(0), priority]),
);

/** The emoji of a priority, undefined for the normal one. */
export function priorityEmoji(priority: Priority): string | undefined {
  return EMOJI_OF.get(priority);
}

export function lineFacts(text: string, line: TaskLine): LineFacts {
  const own = ownFields(text, line);
  const { dataview, tail: emoji } = line;
  const tail = tailFacts(
    text,
    dataview.length === 0 ? emoji.fields : [...emoji.fields, ...dataview],
  );
  // Written out, since a loop over the names takes a third longer for a note of 10,000 tasks.
  return {
    dependsOn: tail.dependsOn,
    priority: tail.priority,
    owner: own?.get('owner') ?? null,
    scope: own?.get('scope') ?? null,
    risk: own?.get('risk') ?? null,
    impact: own?.get('impact') ?? null,
    level: own?.get('level') ?? null,
    reason: own?.get('reason') ?? null,
    estimate: own?.get('estimate') ?? null,
    approve: own?.get('approve') ?? null,
    review: own?.get('review') ?? null,
    due: tail.due,
    done: tail.done,
    cancelled: tail.cancelled,
    waitsFor: own?.get('waitsFor') ?? null,
  };
}

/** The first value of each key; empty values are ignored. */
function ownFields(text: string, line: TaskLine): ReadonlyMap<string, string> | undefined {
  if (line.fields.length === 0) return undefined;
  const own = new Map<string, string>();
  for (const field of line.fields) {
    const value = fieldValue(text, field);
    if (value !== '' && !own.has(field.key)) own.set(field.key, value);
  }
  return own;
}

function tailFacts(text: string, fields: readonly TailField[]): Omit<LineFacts, OwnField> {
  if (fields.length === 0) return NO_TAIL;
  const first = (kind: TailKind): TailField | undefined =>
    fields.find((field) => field.kind === kind);
  const date = (kind: TailKind): string | null => {
    const field = first(kind);
    return field === undefined ? null : text.slice(field.from, field.to);
  };
  let dependsOn = NO_IDS;
  for (const { kind, from, to } of fields) {
    if (kind === 'dependsOn') dependsOn = idsBefore(text.slice(from, to), dependsOn);
  }
  const marked = first('priority');
  const priority = (marked && priorityAt(text, marked)) ?? 'normal';
  const [due, done, cancelled] = [date('due'), date('done'), date('cancelled')];
  return { dependsOn, priority, due, done, cancelled };
}

function priorityAt(text: string, field: TailField): Priority | undefined {
  if (isDataview(text, field)) return dataviewPriority(text.slice(field.from, field.to));
  return PRIORITY_AT.get(text.codePointAt(field.start));
}

/** Puts the ids of a `⛔` before those of another to its right, without duplicates. */
function idsBefore(value: string, right: readonly string[]): readonly string[] {
  if (right.length === 0 && !value.includes(',')) return [value];
  return [...new Set([...value.split(',').map((id) => id.trim()), ...right])];
}

/** Fields of the tail that have a value. */
export type WrittenKind = Exclude<TailKind, 'priority'>;

export const EMOJI_OF_FIELD: Readonly<Record<WrittenKind, string>> = {
  id: '🆔',
  dependsOn: '⛔',
  recurrence: '🔁',
  onCompletion: '🏁',
  created: '➕',
  start: '🛫',
  scheduled: '⏳',
  due: '📅',
  done: '✅',
  cancelled: '❌',
};

/** The text of a new field, in the dialect of the line. */
export function writtenField(line: TaskLine, kind: WrittenKind, value: string): string {
  return usesDataview(line) ? formatDataviewField(kind, value) : `${EMOJI_OF_FIELD[kind]} ${value}`;
}

/** The text of a priority in the line's dialect; undefined for the normal one (not written). */
export function writtenPriority(line: TaskLine, priority: Priority): string | undefined {
  const word = priorityWord(priority);
  if (word === undefined || !usesDataview(line)) return priorityEmoji(priority);
  return formatDataviewField('priority', word);
}

/** Whether a line has fields in the Dataview dialect and none with an emoji. */
function usesDataview({ tail, dataview }: TaskLine): boolean {
  return dataview.length > 0 && tail.fields.length === 0;
}
