import type { Task } from '../task';
import { formatFields } from './edit-task';
import { escapeFieldValue, escapeText } from './escape';
import { fieldsOf, fieldValue, readTaskLine, type TaskLine } from './task-line';
import {
  EMOJI_OF_FIELD,
  OWN_FIELDS,
  priorityEmoji,
  type OwnField,
  type WrittenKind,
} from './line-facts';
import type { Note } from './note';

/** `[key:: value]` */
export interface LineField {
  readonly key: string;
  readonly value: string;
}

/** The parts of a task line that are not in its `Task`: a board keeps them but ignores them. */
export interface LineExtras {
  /** dates are `YYYY-MM-DD` */
  readonly created: string | null;
  readonly start: string | null;
  readonly scheduled: string | null;
  /** the text after 🔁 */
  readonly recurrence: string | null;
  /** the word after 🏁 */
  readonly onCompletion: string | null;
  /** bracket fields of other programs, and repeated ones of ours; in the line's order */
  readonly fields: readonly LineField[];
  /** a block id other than the task's id, without `^` */
  readonly blockId: string | null;
}

const NO_EXTRAS: LineExtras = {
  created: null,
  start: null,
  scheduled: null,
  recurrence: null,
  onCompletion: null,
  fields: [],
  blockId: null,
};

/** All values of a task line. */
type LineValues = LineExtras &
  Pick<
    Task,
    OwnField | 'mark' | 'title' | 'priority' | 'dependsOn' | 'due' | 'done' | 'cancelled'
  > & {
    /** null for a line without an id */
    readonly id: string | null;
  };

/** The parsed line of the task at index `at` of the board's tasks. */
export function taskLineAt({ text, layout }: Note, at: number): TaskLine {
  const block = layout?.scan.blocks[at];
  if (block === undefined) throw new Error(`assertion: there is no task ${at}`);
  return readTaskLine(text, block.after, block.lineEnd);
}

/** The extra values in the line of the task at index `at` of the board's tasks. */
export function lineExtras(note: Note, at: number): LineExtras {
  return extrasOf(note.text, taskLineAt(note, at), note.board.tasks[at]?.id ?? null);
}

/** Whether a line written with these values is read back with the same values. */
export function isReadBack(part: Partial<LineExtras>): boolean {
  const extras = { ...NO_EXTRAS, ...part };
  const text = taskLineText({ ...PLAIN, ...extras });
  const line = readTaskLine(text, PLAIN.mark.length + 2, text.length);
  return line.title === PLAIN.title && sameExtras(extrasOf(text, line, null), extras);
}

export function sameExtras(one: LineExtras, other: LineExtras): boolean {
  return (Object.keys(NO_EXTRAS) as (keyof LineExtras)[]).every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}

/** Fields of the tail after id, prerequisites and priority, in the order of writing. */
const TAIL = [
  'recurrence',
  'onCompletion',
  'created',
  'start',
  'scheduled',
  'due',
  'done',
  'cancelled',
] as const satisfies readonly WrittenKind[];

/**
 * A new line from its checkbox on. Unless a block id is given, the id is used as one if it is valid
 * as such.
 */
export function taskLineText(values: LineValues): string {
  const { mark, title, fields, id, dependsOn, priority } = values;
  const blockId = values.blockId ?? (id !== null && /^[A-Za-z0-9-]+$/.test(id) ? id : null);
  return [
    `[${mark}]`,
    escapeText(title),
    formatFields(values),
    ...fields.map(({ key, value }) => `[${key}:: ${escapeFieldValue(value)}]`),
    id === null ? '' : `${EMOJI_OF_FIELD.id} ${id}`,
    dependsOn.length === 0 ? '' : `${EMOJI_OF_FIELD.dependsOn} ${dependsOn.join(',')}`,
    priorityEmoji(priority) ?? '',
    ...TAIL.map((kind) => (values[kind] === null ? '' : `${EMOJI_OF_FIELD[kind]} ${values[kind]}`)),
    blockId === null ? '' : `^${blockId}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const PLAIN: LineValues = {
  ...NO_EXTRAS,
  ...(Object.fromEntries(OWN_FIELDS.map((name) => [name, null])) as Record<OwnField, null>),
  ...{ mark: ' ', title: 'a', priority: 'normal', dependsOn: [], id: null },
  ...{ due: null, done: null, cancelled: null },
};

function extrasOf(text: string, line: TaskLine, id: string | null): LineExtras {
  const value = (kind: WrittenKind): string | null => {
    const [field] = fieldsOf(line, kind);
    return field === undefined ? null : text.slice(field.from, field.to);
  };
  const { blockId } = line.tail;
  const end = blockId === null ? null : text.slice(blockId.start + 1, blockId.end);
  return {
    created: value('created'),
    start: value('start'),
    scheduled: value('scheduled'),
    recurrence: value('recurrence'),
    onCompletion: value('onCompletion'),
    fields: otherFields(text, line),
    blockId: end === id ? null : end,
  };
}

/** Bracket fields that are neither in `Task` nor Dataview spellings of tail fields. */
function otherFields(text: string, { fields, dataview }: TaskLine): readonly LineField[] {
  const read = new Set(dataview.map(({ start }) => start));
  const own = new Set<string>(OWN_FIELDS);
  return fields.flatMap((field) => {
    const value = fieldValue(text, field);
    if (read.has(field.start)) return [];
    if (value !== '' && own.delete(field.key)) return [];
    return [{ key: field.key, value }];
  });
}
