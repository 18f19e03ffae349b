import type { Priority, Status, Task } from '../task';
import { fieldValue } from './head';
import { numberOf } from './ids';
import type { TaskBlock } from './task-block';
import type { TaskLine } from './task-line';

/** What a task takes from the note around its line. */
export interface Surroundings {
  readonly key: string;
  readonly parent: string | null;
  readonly phase: string | null;
  readonly prefix: string;
}

const STATUS_OF: ReadonlyMap<string, Status> = new Map([
  [' ', 'pending'],
  ['/', 'in_progress'],
  ['x', 'completed'],
  ['X', 'completed'],
  ['-', 'cancelled'],
  ['!', 'failed'],
  ['>', 'deferred'],
]);

const MARK_OF: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '/',
  completed: 'x',
  cancelled: '-',
  failed: '!',
  deferred: '>',
};

/** By code point. */
const PRIORITY_OF: ReadonlyMap<number, Priority> = new Map([
  [0x1f53a, 'critical'],
  [0x23eb, 'high'],
  [0x1f53c, 'medium'],
  [0x1f53d, 'low'],
  [0x23ec, 'lowest'],
]);

const NO_IDS: readonly string[] = [];

/** The character that a program writes for a status. */
export function markOf(status: Status): string {
  return MARK_OF[status];
}

/** An unknown mark is kept, and read as pending. */
export function statusOf(mark: string): Status {
  return STATUS_OF.get(mark) ?? 'pending';
}

/** The id of a line: behind 🆔, or the one that text behind it keeps from being read. */
export function idOf(text: string, line: TaskLine): string | null {
  for (const field of line.tail.fields) {
    if (field.kind === 'id') return text.slice(field.from, field.to);
  }
  return line.stray;
}

export function buildTask(
  text: string,
  block: TaskBlock,
  line: TaskLine,
  id: string | null,
  around: Surroundings,
): Task {
  const mark = text.slice(block.box + 1, block.after - 1);
  const own = ownFields(text, line);
  const tail = tailValues(text, line);
  return {
    key: around.key,
    id,
    n: id === null ? null : numberOf(id, around.prefix),
    title: line.title,
    status: statusOf(mark),
    mark,
    parent: around.parent,
    depth: block.depth,
    phase: around.phase,
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
    body: block.body,
    line: block.line,
    malformed: line.stray === null ? null : malformedReason(block.line, line.stray),
  };
}

function malformedReason(line: number, id: string): string {
  return `Line ${line}: there is text behind the id ${id}. Move it before 🆔.`;
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

function tailValues(
  text: string,
  line: TaskLine,
): Pick<Task, 'dependsOn' | 'priority' | 'due' | 'done' | 'cancelled'> {
  let dependsOn = NO_IDS;
  let priority: Priority | null = null;
  let due: string | null = null;
  let done: string | null = null;
  let cancelled: string | null = null;
  for (const field of line.tail.fields) {
    switch (field.kind) {
      case 'dependsOn':
        dependsOn = idsBefore(text.slice(field.from, field.to), dependsOn);
        break;
      case 'priority':
        priority ??= PRIORITY_OF.get(text.codePointAt(field.start) ?? 0) ?? null;
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

/** The ids of one `⛔` before those of another to its right, without doubles. */
function idsBefore(value: string, right: readonly string[]): readonly string[] {
  if (right.length === 0 && !value.includes(',')) return [value];
  return [...new Set([...value.split(',').map((id) => id.trim()), ...right])];
}
