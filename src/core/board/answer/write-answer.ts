import type { TaskChange } from '../digest';
import { boardFacts, progress } from '../facts';
import { quoted, shortened, nameWithTitle } from '../find-task';
import type { OperationSuccess, OperationResult } from '../outcome';
import type { Board } from '../task';
import { boardLines, changeLines } from './board-lines';
import {
  boardJson,
  boardSummary,
  tasksJson,
  type BoardJson,
  type BoardSummary,
  type TaskJson,
} from './task-json';
import { extentOf, MAX_BYTES, MAX_LINES } from './text-budget';
import { isStoreFault, type Conflict, type Fault } from '../../fault';

/** The contents of an answer. */
interface AnswerContent {
  readonly sessionId: string;
  readonly agent: string;
  /** as sent */
  readonly operations: readonly unknown[];
  /** one per operation */
  readonly outcomes: readonly (OperationSuccess | Fault)[];
  /** the board that the next operation would work on */
  readonly board: Board | undefined;
  readonly changes: readonly TaskChange[];
  /** the session's other boards */
  readonly others: readonly Board[];
  /** sentences about the call as a whole */
  readonly notices: readonly string[];
}

/** Maximum number of lines about a person's changes; the board shows the rest. */
const MAX_CHANGES = 40;

const MAX_OTHERS = 20;

/**
 * Maximum length of the report of one operation, in characters: 50 of them leave three fifths of
 * the room to the board.
 */
const LONGEST_REPORT = 400;

/** Maximum length of the reasons of refusals shown to the person, in characters. */
const LONGEST_REASON = 1_000;

/**
 * Maximum number and length of the lines with results of reads in a whole call: at most 15 kB of
 * plain text.
 */
const MAX_DETAILS = 60;

const LONGEST_DETAIL = 250;

/**
 * Maximum size of the JSON of the tasks in `metadata`, in UTF-16 code units: far below the 1 MiB of
 * a frame, in any script.
 */
const MAX_METADATA = 100_000;

/** Maximum size of an operation's JSON in the result, in UTF-16 code units. */
const MAX_ECHO = 2_000;

export function writeAnswer(content: AnswerContent): TasksAnswer {
  const { board } = content;
  const failures = content.outcomes.filter((outcome) => !outcome.ok).length;
  const total = content.outcomes.length;
  const title = `Task List: ${board?.title ?? 'no board yet'}`;
  const head = [
    ...content.notices,
    ...operationLines(content, failures),
    ...personChangeLines(content),
  ];
  const output = outputOf(content, head);
  const metadata = metadataOf(content);
  const results = content.outcomes.map((outcome, at) => report(content.operations[at], outcome));
  const errors = results.flatMap(({ operation, error }) =>
    error === undefined ? [] : [{ operation, error: error.message }],
  );
  const result = {
    ok: failures === 0,
    results,
    summary: { total, succeeded: total - failures, failed: failures },
    ...(errors.length > 0 && { errors }),
    board: board === undefined ? null : boardJson(board),
    changed: content.changes,
    response: { title, output, metadata },
  };
  return { ok: failures === 0, title, output, said: head.join('\n'), metadata, result };
}

/** The answer to a call that was refused as a whole. */
export function refuseCall(
  sessionId: string,
  agent: string,
  { code, message }: Refusal,
): TasksAnswer {
  const content = { operations: [], outcomes: [], board: undefined, changes: [], others: [] };
  const answer = writeAnswer({ ...content, sessionId, agent, notices: [] });
  const response = { ...answer.result.response, output: message };
  return {
    ...answer,
    ok: false,
    refused: { code, message },
    output: message,
    result: { ...answer.result, ok: false, response },
  };
}

function report(sent: unknown, outcome: OperationSuccess | Fault): OperationReport {
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
  if (text === undefined || text.length <= MAX_ECHO) return sent;
  return { leftOut: `${text.length} characters` };
}

function metadataOf(content: AnswerContent): TasksMetadata {
  const { board, sessionId, agent } = content;
  const all = board === undefined ? [] : tasksJson(board);
  let size = 0;
  const tasks: TaskJson[] = [];
  for (const task of all) {
    size += JSON.stringify(task).length;
    if (size > MAX_METADATA) break;
    tasks.push(task);
  }
  const left = all.length - tasks.length;
  const summary = boardSummary(board ?? { tasks: [] });
  const boardAgent = board?.agent ?? agent;
  return {
    sessionId,
    agent: boardAgent,
    tasks,
    ...(left > 0 && { tasksLeftOut: left }),
    summary,
    operation: 'unified',
    ...refusalsOf(content),
  };
}

/** Number of refused operations and the reasons, each reason once. */
function refusalsOf({ operations, outcomes }: AnswerContent): Pick<TasksMetadata, 'refusals'> {
  const reasons = outcomes.flatMap((outcome, at) =>
    outcome.ok ? [] : [`${typeOf(operations[at])}: ${outcome.message}`],
  );
  const refused = reasons.length;
  if (refused === 0) return {};
  const reason = shortened([...new Set(reasons)].join(' '), LONGEST_REASON);
  return { refusals: { done: outcomes.length - refused, refused, reason } };
}

function outputOf(content: AnswerContent, head: readonly string[]): string {
  const tail = [...readyLines(content.board), ...otherLines(content)];
  const title = boardTitle(content);
  const used = extentOf([...head, '', title, ...tail]);
  const room = { lines: MAX_LINES - used.lines, bytes: MAX_BYTES - used.bytes };
  const tasks = content.board === undefined ? [] : boardLines(content.board, room);
  return [...head, '', title, ...tasks, ...tail].join('\n');
}

function operationLines(
  { operations, outcomes }: AnswerContent,
  failures: number,
): readonly string[] {
  if (outcomes.length === 0) return [];
  const done = outcomes.length - failures;
  let room = MAX_DETAILS;
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

function personChangeLines({ changes }: AnswerContent): readonly string[] {
  if (changes.length === 0) return [];
  return ['', 'Changed by the person since you last looked:', ...changeLines(changes, MAX_CHANGES)];
}

function boardTitle({ board, others, outcomes }: AnswerContent): string {
  if (board === undefined) {
    // `init` does not help if the note exists but can't be opened.
    if (outcomes.some((one) => !one.ok && isStoreFault(one.code)))
      return 'The board was not read or written: see the reason above.';
    const which = others.length === 0 ? 'no board' : 'no such board';
    return `This session has ${which} yet. Make one with init or add.`;
  }
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
  return ['', `Ready to start: ${ready.slice(0, 8).map(nameWithTitle).join(', ')}${more}.`];
}

function otherLines({ others }: AnswerContent): readonly string[] {
  const lines = others.slice(0, MAX_OTHERS).map((board) => {
    if (board.broken !== null) return `- ${board.agent}: needs repair by the person`;
    const { done, total } = progress(board);
    return `- ${board.agent}: ${quoted(board.title)}, ${done} of ${total} done`;
  });
  if (lines.length === 0) return [];
  const more = others.length > MAX_OTHERS ? [`- and ${others.length - MAX_OTHERS} more`] : [];
  return ['', 'Other boards of this session, each named by its agent:', ...lines, ...more];
}

/** The answer of the tool `tasks`. */
export interface TasksAnswer {
  /** every operation succeeded */
  readonly ok: boolean;
  /** why the whole call was refused */
  readonly refused?: { readonly code: string; readonly message: string };
  /** `Task List: <board title>` */
  readonly title: string;
  /** for the model; under 2,000 lines and 50 kB */
  readonly output: string;
  /** the part of `output` about operations and the person's changes, without the board */
  readonly said: string;
  readonly metadata: TasksMetadata;
  readonly result: TasksResult;
}

/** Number of refused operations of a call, and why, for the person. */
export interface Refusals {
  readonly done: number;
  readonly refused: number;
  readonly reason: string;
}

interface TasksMetadata {
  readonly sessionId: string;
  /** agent of this board */
  readonly agent: string;
  /** tasks of the board shown, as many as fit in 100 kB */
  readonly tasks: readonly TaskJson[];
  /** number of tasks that did not fit */
  readonly tasksLeftOut?: number;
  readonly summary: BoardSummary;
  readonly operation: 'unified';
  /** absent if every operation succeeded */
  readonly refusals?: Refusals;
}

export interface OperationReport {
  readonly success: boolean;
  /** as sent */
  readonly operation: unknown;
  readonly result?: OperationResult;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    /** the first field that conflicts with a person's change */
    readonly conflict?: Conflict;
    /** all conflicts, if there are several */
    readonly conflicts?: readonly Conflict[];
  };
}

/** The whole answer for programs; `board` is null if the session has none. */
export interface TasksResult {
  readonly ok: boolean;
  readonly results: readonly OperationReport[];
  readonly summary: { readonly total: number; readonly succeeded: number; readonly failed: number };
  /** absent if every operation succeeded */
  readonly errors?: readonly { readonly operation: unknown; readonly error: string }[];
  readonly board: BoardJson | null;
  readonly changed: readonly TaskChange[];
  readonly response: Pick<TasksAnswer, 'title' | 'output' | 'metadata'>;
}

type Refusal = Pick<Fault, 'code' | 'message'>;
