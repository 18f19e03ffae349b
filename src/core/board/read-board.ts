import { boardFacts, isUnderReview } from './facts';
import type { Note } from './note/note';
import { PRIORITIES, type Task, type Board } from './task';
import { findTask, nameOf, quoted, shortened, nameWithTitle } from './find-task';
import { type OperationOutcome, type TaskDetails } from './outcome';
import type { OperationOf } from './op';
import { FIELD_NAMES, fieldText } from './tasks-schema';
import type { ApplyContext } from './policy';

/** Maximum number of ready tasks in an answer. */
const MAX_READY = 20;

/** `get`: returns all values of one task. Writes nothing, so a task without an id gets none. */
export function getTask(
  note: Note,
  operation: OperationOf<'get'>,
  { seen, told }: ApplyContext,
): OperationOutcome {
  const { board } = told(note);
  const found = findTask(board, operation.id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const result = detailsOf(board, task);
  const details = [
    ...FIELD_NAMES.flatMap((name) => {
      const value = name === 'body' ? null : fieldText(task, name);
      return value === null || value === 'normal' ? [] : [`${name}: ${value}`];
    }),
    ...(task.phase === null ? [] : [`phase: ${task.phase}`]),
    ...(result.parent === null ? [] : [`parent: ${result.parent}`]),
    ...idsLine('dependsOn', result.dependsOn),
    ...idsLine('blockedBy', result.blockedBy),
    ...idsLine('blocks', result.blocks),
    ...(result.ready ? ['ready'] : []),
    ...(isUnderReview(task) ? [`waits for the person's review since ${task.review}`] : []),
    ...task.body.map((line) => `| ${line}`),
  ];
  return { ok: true, note, said: `${nameWithTitle(task)}: ${task.status}.`, result, details };
}

function idsLine(name: string, ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`${name}: ${ids.join(', ')}`];
}

function detailsOf(board: Board, task: Task): TaskDetails {
  const facts = boardFacts(board).get(task.key);
  const names = new Map(board.tasks.map((one) => [one.key, one.id ?? one.title]));
  const name = (key: string): string => names.get(key) ?? key;
  const {
    key: _,
    mark: __,
    depth: ___,
    line: ____,
    malformed: _____,
    review: ______,
    ...rest
  } = task;
  return {
    ...rest,
    parent: task.parent === null ? null : name(task.parent),
    blockedBy: facts?.blockedBy ?? [],
    blocks: (facts?.blocks ?? []).map(name),
    ready: facts?.ready ?? false,
    ...(isUnderReview(task) && { review: true as const }),
  };
}

/** `ready`: lists the tasks that can be started now, the most urgent first. */
export function readyTasks(note: Note, { told }: ApplyContext): OperationOutcome {
  const { board } = told(note);
  const facts = boardFacts(board);
  const ready = board.tasks
    .filter(({ key }) => facts.get(key)?.ready === true)
    .sort((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority));
  const details = ready.slice(0, MAX_READY).map((task) => {
    const { priority, owner } = task;
    const facts = [
      ...(priority === 'normal' ? [] : [priority]),
      ...(owner === null ? [] : [owner === 'me' ? "the person's" : `of ${owner}`]),
    ];
    const name = task.id === null ? quoted(task.title) : nameOf(task);
    const title = task.id === null ? '' : ` ${shortened(task.title, 100)}`;
    return `${name}${title}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  });
  const more = ready.length > MAX_READY ? [`and ${ready.length - MAX_READY} more`] : [];
  const said =
    ready.length === 0 ? 'nothing can be started now.' : `${ready.length} can be started.`;
  const result = {
    ready: ready.map(({ id, n, title, priority, owner }) => ({ id, n, title, priority, owner })),
  };
  return { ok: true, note, said, result, details: [...details, ...more] };
}
