import type { Priority, Task } from '../task';
import {
  dataviewPriority,
  dataviewWords,
  isDataview,
  priorityWord,
  type TailField,
  type TailKind,
} from './field-syntax';
import { fieldValue, type TaskLine } from './task-line';

/** The own fields that stand in brackets before the tail (`[owner:: me]`). */
export const OWN_FIELDS = [
  'owner',
  'scope',
  'risk',
  'impact',
  'level',
  'reason',
  'estimate',
  'approve',
  'waitsFor',
] as const;

export type OwnField = (typeof OWN_FIELDS)[number];

/** What a task line says in its fields, id and title aside. */
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

/** The priority of an emoji, by its code point; the normal one for 0. */
function priorityOf(point: number): Priority {
  switch (point) {
    case 0x1f53a:
      return 'critical';
    case 0x23eb:
      return 'high';
    case 0x1f53c:
      return 'medium';
    case 0x1f53d:
      return 'low';
    case 0x23ec:
      return 'lowest';
    default:
      return 'normal';
  }
}

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
  // Written out: a loop over the names costs a third more on a note of 10,000 tasks.
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
    due: tail.due,
    done: tail.done,
    cancelled: tail.cancelled,
    waitsFor: own?.get('waitsFor') ?? null,
  };
}

/** The first of each key, empty ones left out. */
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
  let dependsOn = NO_IDS;
  let priority: Priority | null = null;
  let due: string | null = null;
  let done: string | null = null;
  let cancelled: string | null = null;
  for (const field of fields) {
    switch (field.kind) {
      case 'dependsOn':
        dependsOn = idsBefore(text.slice(field.from, field.to), dependsOn);
        break;
      case 'priority':
        priority ??= priorityAt(text, field) ?? null;
        break;
      case 'due':
        due ??= text.slice(field.from, field.to);
        break;
      case 'done':
        done ??= text.slice(field.from, field.to);
        break;
      case 'cancelled':
        cancelled ??= text.slice(field.from, field.to);
        break;
      case 'id':
      case 'created':
      case 'start':
      case 'scheduled':
      case 'recurrence':
      case 'onCompletion':
    }
  }
  return { dependsOn, priority: priority ?? 'normal', due, done, cancelled };
}

function priorityAt(text: string, field: TailField): Priority | undefined {
  if (isDataview(text, field)) return dataviewPriority(text.slice(field.from, field.to));
  return priorityOf(text.codePointAt(field.start) ?? 0);
}

/** The ids of one `⛔` before those of another to its right, without doubles. */
function idsBefore(value: string, right: readonly string[]): readonly string[] {
  if (right.length === 0 && !value.includes(',')) return [value];
  return [...new Set([...value.split(',').map((id) => id.trim()), ...right])];
}

/** Fields of the tail with a value. */
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

/** A new field as it is written into a line, in the dialect that the line has. */
export function writtenField(line: TaskLine, kind: WrittenKind, value: string): string {
  return speaksDataview(line) ? dataviewWords(kind, value) : `${EMOJI_OF_FIELD[kind]} ${value}`;
}

/** The same of a priority; undefined for the normal one, which is written nowhere. */
export function writtenPriority(line: TaskLine, priority: Priority): string | undefined {
  const word = priorityWord(priority);
  if (word === undefined || !speaksDataview(line)) return priorityEmoji(priority);
  return dataviewWords('priority', word);
}

/** A line with fields of the Dataview dialect, and none with an emoji. */
function speaksDataview({ tail, dataview }: TaskLine): boolean {
  return dataview.length > 0 && tail.fields.length === 0;
}
