import { noteProblem, STATUSES, type Problem, type Status, type Task } from '../task';
import { lineFacts } from './line-facts';
import type { TaskLine } from './task-line';

/** A task line and all lines that belong to it; offsets into the note's text. */
export interface TaskBlock {
  /** 1-based */
  readonly line: number;
  readonly start: number;
  /** end of the task line, without its line end */
  readonly lineEnd: number;
  /** offset of the list marker */
  readonly marker: number;
  /** offset of `[` */
  readonly box: number;
  /** offset after `]` */
  readonly after: number;
  /** columns of the marker and of the text after it */
  readonly column: number;
  readonly contentColumn: number;
  /** index of the heading above it; -1 for none */
  readonly heading: number;
  /** index of the parent task; -1 for none */
  readonly parent: number;
  readonly depth: number;
  /** end of the last line that belongs to it */
  end: number;
  body: readonly string[];
  /** whether it has text under it: a body, or the unindented rest of its paragraph */
  hasText: boolean;
}

/**
 * Reads the lines in a task's body that concern its completion: `Success: …` (what must be true
 * when it is done), `Result: …` (what was achieved, newest last) and `Sent back: …` (what the
 * person found missing, newest last). They may be list items, but not inside a fence.
 */
export function readCompletionLines({ body }: Pick<Task, 'body'>) {
  const success: string[] = [];
  const results: string[] = [];
  const sentBack: string[] = [];
  let fence = '';
  for (const line of body) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const said =
      fence === '' ? /^\s*(?:[-*+]\s+)?(Success|Result|Sent back):\s+(.*\S)/.exec(line) : null;
    if (said?.[1] === 'Success') success.push(said[2] ?? '');
    if (said?.[1] === 'Result') results.push(said[2] ?? '');
    if (said?.[1] === 'Sent back') sentBack.push(said[2] ?? '');
  }
  return { success, results, sentBack };
}

const MARK_OF: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '/',
  completed: 'x',
  cancelled: '-',
  failed: '!',
  deferred: '>',
};

/** The status of each known checkbox character. */
export const STATUS_OF_MARK: ReadonlyMap<string, Status> = new Map([
  ...STATUSES.map((status) => [MARK_OF[status], status] as const),
  ['X', 'completed'],
]);

/** The character that a program writes for a status. */
export function markOf(status: Status): string {
  return MARK_OF[status];
}

/** The status that a checkbox character is read as; unknown ones are kept, and read as pending. */
export function statusOfMark(mark: string): Status {
  return STATUS_OF_MARK.get(mark) ?? 'pending';
}

/**
 * The id of a line: after 🆔 in the tail, else a stray one with text behind it, else in the
 * Dataview dialect.
 */
export function idOf(text: string, line: TaskLine): string | null {
  for (const field of line.tail.fields) {
    if (field.kind === 'id') return text.slice(field.from, field.to);
  }
  if (line.stray !== null) return line.stray;
  const field = line.dataview.find(({ kind }) => kind === 'id');
  return field ? text.slice(field.from, field.to) : null;
}

export function buildTask(
  text: string,
  block: TaskBlock,
  line: TaskLine,
  identity: Pick<Task, 'key' | 'id' | 'n' | 'parent' | 'phase'>,
): Task {
  const mark = text.slice(block.box + 1, block.after - 1);
  const facts = lineFacts(text, line);
  // Written out: spreading objects of this size takes longer than parsing the line.
  return {
    key: identity.key,
    id: identity.id,
    n: identity.n,
    title: line.title,
    status: statusOfMark(mark),
    mark,
    parent: identity.parent,
    depth: block.depth,
    phase: identity.phase,
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
    review: facts.review,
    due: facts.due,
    done: facts.done,
    cancelled: facts.cancelled,
    waitsFor: facts.waitsFor,
    body: block.body,
    line: block.line,
    malformed: line.stray === null ? null : textAfterIdProblem(block.line, line.stray).reason,
  };
}

export function textAfterIdProblem(line: number, id: string): Problem {
  return noteProblem(line, 'behindId', { id });
}
