import type { Status, Task } from '../task';
import { lineFacts } from './line-facts';
import type { TaskBlock } from './task-block';
import type { TaskLine } from './task-line';

/** What a task takes from the note around its line. */
export interface Surroundings {
  readonly key: string;
  readonly id: string | null;
  /** of its id, null where that has another form */
  readonly n: number | null;
  readonly parent: string | null;
  readonly phase: string | null;
}

const MARK_OF: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '/',
  completed: 'x',
  cancelled: '-',
  failed: '!',
  deferred: '>',
};

/** The character that a program writes for a status. */
export function markOf(status: Status): string {
  return MARK_OF[status];
}

/** An unknown mark is kept, and read as pending. */
export function statusAt(text: string, { box, after }: TaskBlock): Status {
  if (after - box !== 3) return 'pending';
  switch (text.charCodeAt(box + 1)) {
    case 0x2f:
      return 'in_progress';
    case 0x78:
    case 0x58:
      return 'completed';
    case 0x2d:
      return 'cancelled';
    case 0x21:
      return 'failed';
    case 0x3e:
      return 'deferred';
    default:
      return 'pending';
  }
}

/** The id of a line: behind 🆔, or the one that text behind it keeps from being read; else in the Dataview dialect. */
export function idOf(text: string, line: TaskLine): string | null {
  for (const field of line.tail.fields) {
    if (field.kind === 'id') return text.slice(field.from, field.to);
  }
  if (line.stray !== null) return line.stray;
  const field = line.dataview.find(({ kind }) => kind === 'id');
  return field ? text.slice(field.from, field.to) : null;
}

/** The one character between the brackets; the usual ones without a copy. */
export function markAt(text: string, { box, after }: TaskBlock): string {
  const unit = after - box === 3 ? text.charCodeAt(box + 1) : 0;
  if (unit === 0x20) return ' ';
  if (unit === 0x78) return 'x';
  return text.slice(box + 1, after - 1);
}

export function buildTask(
  text: string,
  block: TaskBlock,
  line: TaskLine,
  around: Surroundings,
): Task {
  const facts = lineFacts(text, line);
  // Written out: spreading objects of this size costs more than reading the line.
  return {
    key: around.key,
    id: around.id,
    n: around.n,
    title: line.title,
    status: statusAt(text, block),
    mark: markAt(text, block),
    parent: around.parent,
    depth: block.depth,
    phase: around.phase,
    dependsOn: facts.dependsOn,
    priority: facts.priority,
    owner: facts.owner,
    scope: facts.scope,
    risk: facts.risk,
    impact: facts.impact,
    level: facts.level,
    reason: facts.reason,
    estimate: facts.estimate,
    approve: facts.approve,
    due: facts.due,
    done: facts.done,
    cancelled: facts.cancelled,
    waitsFor: facts.waitsFor,
    body: block.body,
    line: block.line,
    malformed: line.stray === null ? null : malformedReason(block.line, line.stray),
  };
}

function malformedReason(line: number, id: string): string {
  return `Line ${line}: there is text behind the id ${id}. Move it before 🆔.`;
}
