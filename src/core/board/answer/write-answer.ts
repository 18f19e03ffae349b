import type { TaskChange } from '../digest';
import { boardFacts, progress } from '../facts';
import { quoted, shortened, withTitle } from '../operation/find-task';
import type { Done } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board } from '../task';
import { boardLines } from './board-lines';
import { changeLines } from './change-lines';
import { boardJson, boardSummary, tasksJson, type BoardSummary, type TaskJson } from './task-json';
import type { OperationReport, Refusal, TasksAnswer, TasksMetadata } from './tasks-answer';
import { extentOf, MOST_BYTES, MOST_LINES } from './text-budget';

/** Everything that an answer tells. */
export interface Told {
  readonly sessionId: string;
  readonly agent: string;
  /** as they were sent */
  readonly operations: readonly unknown[];
  /** one per operation */
  readonly outcomes: readonly (Done | Fault)[];
  /** the board that the next operation would work on */
  readonly board: Board | undefined;
  readonly changes: readonly TaskChange[];
  /** the session's other boards */
  readonly others: readonly Board[];
  /** sentences about the call as a whole */
  readonly notices: readonly string[];
}

/** Lines of a person's changes that an answer lists; the board shows the rest. */
const MOST_CHANGES = 40;
const MOST_OTHERS = 20;
/** Of one operation, in characters: 50 of them leave the board three fifths of the room. */
const LONGEST_REPORT = 400;
/** Lines of what reads tell, of a whole call, and how long one may be: 15 kB at most in plain text. */
const MOST_DETAILS = 60;
const LONGEST_DETAIL = 250;
/** JSON of the tasks in `metadata`, in characters: far under the 1 MiB of a frame, in any script. */
const MOST_METADATA = 100_000;
/** JSON of an operation that is echoed, in characters. */
const MOST_ECHO = 2_000;

export function writeAnswer(told: Told): TasksAnswer {
  const { board } = told;
  const failures = told.outcomes.filter((outcome) => !outcome.ok).length;
  const total = told.outcomes.length;
  const title = `Task List: ${board?.title ?? 'no board yet'}`;
  const output = outputOf(told, failures);
  const metadata = metadataOf(told);
  const results = told.outcomes.map((outcome, at) => report(told.operations[at], outcome));
  const errors = results.flatMap(({ operation, error }) =>
    error === undefined ? [] : [{ operation, error: error.message }],
  );
  const result = {
    ok: failures === 0,
    results,
    summary: { total, succeeded: total - failures, failed: failures },
    ...(errors.length > 0 && { errors }),
    board: board === undefined ? null : boardJson(board),
    changed: told.changes,
    response: { title, output, metadata },
  };
  return { ok: failures === 0, title, output, metadata, result };
}

/** The answer to a call of which nothing was done. */
export function refuseCall(
  sessionId: string,
  agent: string,
  { code, message }: Refusal,
): TasksAnswer {
  const told = { operations: [], outcomes: [], board: undefined, changes: [], others: [] };
  const answer = writeAnswer({ ...told, sessionId, agent, notices: [] });
  const response = { ...answer.result.response, output: message };
  return {
    ...answer,
    ok: false,
    refused: { code, message },
    output: message,
    result: { ...answer.result, ok: false, response },
  };
}

function report(sent: unknown, outcome: Done | Fault): OperationReport {
  const operation = echo(sent);
  if (outcome.ok) return { success: true, operation, result: outcome.result };
  const { code, message, conflicts = [] } = outcome;
  const [conflict] = conflicts;
  const error = {
    ...{ code, message },
    ...(conflict !== undefined && { conflict }),
    ...(conflicts.length > 1 && { conflicts }),
  };
  return { success: false, operation, error };
}

function echo(sent: unknown): unknown {
  const text = JSON.stringify(sent) as string | undefined;
  if (text === undefined || text.length <= MOST_ECHO) return sent;
  return { leftOut: `${text.length} characters` };
}

function metadataOf({ board, sessionId, agent }: Told): TasksMetadata {
  const all = board === undefined ? [] : tasksJson(board);
  let size = 0;
  const tasks: TaskJson[] = [];
  for (const task of all) {
    size += JSON.stringify(task).length;
    if (size > MOST_METADATA) break;
    tasks.push(task);
  }
  const left = all.length - tasks.length;
  const summary: BoardSummary = boardSummary(board ?? NO_TASKS);
  const whose = board?.agent ?? agent;
  return {
    sessionId,
    agent: whose,
    tasks,
    ...(left > 0 && { tasksLeftOut: left }),
    summary,
    operation: 'unified',
  };
}

const NO_TASKS: Board = {
  path: '',
  session: '',
  agent: '',
  title: '',
  prefix: '',
  rev: 0,
  tasks: [],
  problems: [],
  broken: null,
};

function outputOf(told: Told, failures: number): string {
  const head = [...told.notices, ...operationLines(told, failures), ...changedLines(told)];
  const tail = [...readyLines(told.board), ...otherLines(told)];
  const title = boardTitle(told.board);
  const used = extentOf([...head, '', title, ...tail]);
  const room = { lines: MOST_LINES - used.lines, bytes: MOST_BYTES - used.bytes };
  const tasks = told.board === undefined ? [] : boardLines(told.board, room);
  return [...head, '', title, ...tasks, ...tail].join('\n');
}

function operationLines({ operations, outcomes }: Told, failures: number): readonly string[] {
  if (outcomes.length === 0) return [];
  const done = outcomes.length - failures;
  let room = MOST_DETAILS;
  const lines = outcomes.flatMap((outcome, at) => {
    const type = typeOf(operations[at]);
    const line = outcome.ok
      ? `- ${type}: ${outcome.said}`
      : `- ${type} FAILED (${outcome.code}): ${outcome.message}`;
    const details = outcome.ok ? (outcome.details ?? []) : [];
    const shown = details.slice(0, room).map((one) => `  ${shortened(one, LONGEST_DETAIL)}`);
    room -= shown.length;
    const left = details.length - shown.length;
    const more = left === 0 ? [] : [`  (${left} more lines)`];
    return [shortened(line.replace(/\s+/g, ' '), LONGEST_REPORT), ...shown, ...more];
  });
  return failures === 0 ? lines : [`${done} done, ${failures} failed.`, ...lines];
}

function typeOf(operation: unknown): string {
  if (typeof operation !== 'object' || operation === null) return 'operation';
  const { type } = operation as { readonly type?: unknown };
  return typeof type === 'string' && /^[\w-]{1,30}$/.test(type) ? type : 'operation';
}

function changedLines({ changes }: Told): readonly string[] {
  if (changes.length === 0) return [];
  return [
    '',
    'Changed by the person since you last looked:',
    ...changeLines(changes, MOST_CHANGES),
  ];
}

function boardTitle(board: Board | undefined): string {
  if (board === undefined) return 'This session has no board yet. Make one with init or add.';
  if (board.broken !== null) {
    return `The board of ${board.agent} can't be read and needs the person: ${board.broken.reason}`;
  }
  const { done, total } = progress(board);
  const counted = total === 0 ? 'no tasks yet' : `${done} of ${total} done`;
  return `# ${board.title} (board of ${board.agent}, ${counted}, rev ${board.rev})`;
}

function readyLines(board: Board | undefined): readonly string[] {
  if (board === undefined || board.tasks.length === 0) return [];
  const facts = boardFacts(board);
  const ready = board.tasks.filter(({ key }) => facts.get(key)?.ready === true);
  if (ready.length === 0) return ['', 'Ready to start: nothing.'];
  const more = ready.length > 8 ? `, and ${ready.length - 8} more` : '';
  return ['', `Ready to start: ${ready.slice(0, 8).map(withTitle).join(', ')}${more}.`];
}

function otherLines({ others }: Told): readonly string[] {
  const lines = others.slice(0, MOST_OTHERS).map((board) => {
    if (board.broken !== null) return `- ${board.agent}: needs repair by the person`;
    const { done, total } = progress(board);
    return `- ${board.agent}: ${quoted(board.title)}, ${done} of ${total} done`;
  });
  if (lines.length === 0) return [];
  const more = others.length > MOST_OTHERS ? [`- and ${others.length - MOST_OTHERS} more`] : [];
  return ['', 'Other boards of this session (name one with "agent"):', ...lines, ...more];
}
