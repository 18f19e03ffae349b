import type { Board } from '../task';
import { newNoteText } from '../note/edit-header';
import { parseNote } from '../note/parse-note';
import type { Actor } from './actor';
import type { ChangeRecord } from './change-record';

/** A time in which a task was in progress, and who started it. Times are ms since the epoch. */
export interface WorkSpan {
  /** id of the task */
  readonly task: string;
  /** the last title in the history */
  readonly title: string;
  /** who set it to in progress */
  readonly by: Actor;
  readonly from: number;
  /** undefined: it is still in progress */
  readonly to: number | undefined;
}

/**
 * The times in which tasks were in progress, earliest first, as far as the history knows. It does
 * not contain a person's edits in the note itself: if a task is no longer in progress and no change
 * says so, its span ends with the last change of the board.
 */
export function workSpans(records: readonly ChangeRecord[], board: Board): readonly WorkSpan[] {
  const spans: WorkSpan[] = [];
  const open = new Map<string, WorkSpan>();
  const end = (span: WorkSpan, at: number): void => {
    open.delete(span.task);
    spans.push({ ...span, to: at });
  };
  for (const { at, by, ...record } of records) {
    const { before, after } = changedTaskBoards(record, board);
    const stay = new Set(after.tasks.map(({ id }) => id));
    for (const { id, title, status } of after.tasks) {
      const span = open.get(id ?? '');
      if (status === 'in_progress' && id !== null) {
        open.set(id, { task: id, by, from: at, ...span, title, to: undefined });
      } else if (span !== undefined) end({ ...span, title }, at);
    }
    for (const { id } of before.tasks) {
      const span = open.get(id ?? '');
      if (span !== undefined && !stay.has(id)) end(span, at);
    }
  }
  const now = new Map(board.tasks.map(({ id, status }) => [id, status]));
  const last = records.at(-1)?.at ?? 0;
  for (const span of [...open.values()]) {
    if (now.get(span.task) === 'in_progress') spans.push(span);
    else end(span, last);
  }
  return spans.sort((a, b) => a.from - b.from);
}

/**
 * The tasks whose lines a change wrote, before and after it; each as a top-level task without a
 * heading. A task on one side only was added or removed.
 */
export function changedTaskBoards(
  { hunks = [] }: Pick<ChangeRecord, 'hunks'>,
  board: Board,
): { readonly before: Board; readonly after: Board } {
  return {
    before: boardOfLines(
      hunks.flatMap(({ was }) => was),
      board,
    ),
    after: boardOfLines(
      hunks.flatMap(({ is }) => is),
      board,
    ),
  };
}

function boardOfLines(
  lines: readonly string[],
  { session, agent, title, prefix, path }: Board,
): Board {
  const tasks = lines.map((line) => line.trimStart()).filter((line) => TASK.test(line));
  const head = newNoteText({ session, agent, title, prefix });
  return parseNote(path, `${head}\n${tasks.join('')}`).board;
}

const TASK = /^(?:[-*+]|\d+[.)])[ \t]+\[/;
