import {
  FoldingRangeKind,
  InlayHintKind,
  SymbolKind,
  type DocumentSymbol,
  type FoldingRange,
  type Hover,
  type InlayHint,
  type Position,
  type Range,
} from 'vscode-languageserver';
import { boardFacts, isFinished, isUnderReview } from '../core/board/facts';
import { shortened, nameWithTitle } from '../core/board/find-task';
import { criticalTasks, whatIf } from '../core/board/graph/schedule';
import type { Note } from '../core/board/note/note';
import { readCompletionLines } from '../core/board/note/task-block';
import { blockedReason, tasksByKey } from '../core/board/policy';
import type { Board, Task } from '../core/board/task';
import { FIELD_NAMES, fieldText } from '../core/board/tasks-schema';
import { taskAt } from './go-to';
import type { OpenNote } from './open-notes';

/** Most tasks named in a list of a hover. */
const MAX_NAMED = 8;

/**
 * Shows a task, why it waits and what it frees. Plain text, since titles may contain any Markdown.
 */
export function hover(open: OpenNote, position: Position): Hover | null {
  const found = taskAt(open, position);
  if (found === undefined) return null;
  const { board, task, range } = found;
  return { contents: { kind: 'plaintext', value: taskText(board, task) }, range };
}

function taskText(board: Board, task: Task): string {
  const facts = boardFacts(board).get(task.key);
  const named = (keys: readonly string[]): string => {
    const tasks = board.tasks.filter(({ key }) => keys.includes(key));
    const more = tasks.length > MAX_NAMED ? `, and ${tasks.length - MAX_NAMED} more` : '';
    return `${tasks.slice(0, MAX_NAMED).map(nameWithTitle).join(', ')}${more}`;
  };
  const { frees } = isFinished(task) ? { frees: [] } : whatIf(board, task.key);
  const waits = waitReason(board, tasksByKey(board), task);
  const { results, success } = readCompletionLines(task);
  const fields = FIELD_NAMES.flatMap((name) => {
    const value = name === 'body' ? null : fieldText(task, name);
    return value === null || value === 'normal' ? [] : [`${name}: ${shortened(value, 200)}`];
  });
  return [
    `${nameWithTitle(task)}: ${task.status.replace('_', ' ')}`,
    ...(facts?.ready === true ? ['Can be started.'] : []),
    ...(isUnderReview(task) ? [`Waits for your review since ${task.review}.`] : []),
    ...(waits === undefined ? [] : [`${waits.charAt(0).toUpperCase()}${waits.slice(1)}.`]),
    ...(task.waitsFor === null ? [] : [`Another session's task: ${task.waitsFor}.`]),
    ...(frees.length === 0 ? [] : [`When it is done, these no longer wait: ${named(frees)}.`]),
    ...(facts !== undefined && facts.children > 0
      ? [`${facts.finishedChildren} of ${facts.children} subtasks are done.`]
      : []),
    ...(criticalTasks(board.tasks).has(task.key) ? ['On the critical path.'] : []),
    ...(task.phase === null ? [] : [`phase: ${task.phase}`]),
    ...fields,
    ...(task.approve === null ? [] : [`approve: ${task.approve}`]),
    ...success.map((line) => `Success: ${shortened(line, 200)}`),
    ...results.slice(-1).map((line) => `Result: ${shortened(line, 200)}`),
  ].join('\n');
}

/**
 * Why a task waits: `waits for #1 Choose (pending)`; undefined if it is not open or nothing blocks
 * it.
 */
function waitReason(
  board: Board,
  byKey: ReadonlyMap<string, Task>,
  task: Task,
): string | undefined {
  const facts = boardFacts(board);
  const isOpen = task.status === 'pending' || task.status === 'in_progress';
  if (!isOpen || facts.get(task.key)?.blocked !== true) return undefined;
  const name = (one: Pick<Task, 'id' | 'n' | 'title'>) => shortened(nameWithTitle(one), 40);
  return blockedReason(byKey, task, facts, name).replace(/^it /, '');
}

/** Shows after each waiting task what it waits for. */
export function inlayHints(open: OpenNote, range: Range): readonly InlayHint[] {
  const { note } = open;
  if (note === undefined) return [];
  const byKey = tasksByKey(note.board);
  return open.tasksIn(range).flatMap((task): readonly InlayHint[] => {
    const label = waitReason(note.board, byKey, task);
    if (label === undefined) return [];
    const position = open.lineRange(task.line).end;
    return [{ position, label, kind: InlayHintKind.Type, paddingLeft: true }];
  });
}

/** A heading or task with the lines that belong to it. */
interface Part {
  /** nesting depth: headings by level, tasks below all of them */
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  /** end of the line with its name */
  readonly lineEnd: number;
  readonly name: string;
  readonly task?: Task;
}

function partsOf({ board, layout, text }: Note): readonly Part[] {
  if (layout === null) return [];
  const { headings, blocks } = layout.scan;
  // For each level, the start of the next heading.
  const nextStarts = new Array<number>(7).fill(text.length);
  const sections = headings.toReversed().map(({ level, start, end, text: name }): Part => {
    const to = Math.min(...nextStarts.slice(0, level + 1));
    nextStarts[level] = start;
    return { depth: level, from: start, to, lineEnd: end, name: name || '(no title)' };
  });
  const tasks = blocks.map(({ start, end, lineEnd, depth }, at): Part => {
    const task = board.tasks[at];
    const name = task?.title || '(no title)';
    return { depth: 10 + depth, from: start, to: end, lineEnd, name, ...(task && { task }) };
  });
  return [...sections, ...tasks].sort((a, b) => a.from - b.from);
}

/** End of a part's content, without trailing blank lines. */
function contentEnd({ text }: Note, { from, to }: Part): number {
  return from + text.slice(from, to).trimEnd().length;
}

/** Headings and tasks, nested as in the note. */
export function symbols(open: OpenNote): readonly DocumentSymbol[] {
  const { note } = open;
  if (note === undefined) return [];
  const top: DocumentSymbol[] = [];
  const ancestors: { readonly depth: number; readonly children: DocumentSymbol[] }[] = [];
  for (const part of partsOf(note)) {
    const { depth, from, lineEnd, name, task } = part;
    const children: DocumentSymbol[] = [];
    while ((ancestors.at(-1)?.depth ?? 0) >= depth) ancestors.pop();
    (ancestors.at(-1)?.children ?? top).push({
      ...{ name, children, kind: task === undefined ? SymbolKind.Namespace : SymbolKind.Event },
      ...(task && { detail: detailOf(task) }),
      range: open.range(from, Math.max(contentEnd(note, part), lineEnd)),
      selectionRange: open.range(from, lineEnd),
    });
    ancestors.push({ depth, children });
  }
  return top;
}

function detailOf({ id, status }: Task): string {
  return [id ?? '', status.replace('_', ' ')].filter((part) => part !== '').join(' · ');
}

/** The header, sections and tasks that can be folded. */
export function foldings(open: OpenNote): readonly FoldingRange[] {
  const { note } = open;
  if (!note?.layout) return [];
  const lines = (from: number, to: number) => {
    const { start, end } = open.range(from, to);
    return { startLine: start.line, endLine: end.line };
  };
  const header = { ...lines(0, note.layout.header.close), kind: FoldingRangeKind.Region };
  const parts = partsOf(note).map((part) => lines(part.from, contentEnd(note, part)));
  return [header, ...parts].filter(({ startLine, endLine }) => endLine > startLine);
}
