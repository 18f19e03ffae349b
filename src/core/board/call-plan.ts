import { AGENT_POLICY, type ApplyContext } from './policy';
import { notAppliedFault } from './batch';
import { READS, readTasksCall, type CallConditions } from './tasks-schema';
import {
  currentBoard,
  routeOperations,
  type SessionBoards,
  type SessionFolders,
} from './session-boards';
import { tidyTitle, withoutColours } from './note/title';
import { newNoteText } from './note/edit-header';
import { readOperation, type Operation } from './op';
import type { Fault } from '../fault';
import { isValidAgentName, isValidSessionId } from './board-path';
import { subtreeOf, findTask, nameOf, quoted, nameWithTitle } from './find-task';
import type { Board, Task } from './task';
import { readCompletionLines } from './note/task-block';

/** A valid call: session and agent are checked. */
export interface AgentCall {
  readonly session: string;
  readonly agent: string;
  /** title for a board that is created without one */
  readonly title: string | undefined;
  /** agent whose board operations without one work on; undefined: chosen by the board rule */
  readonly board: string | undefined;
  /** the only board that it may change, and which part of it; undefined: all of the session's */
  readonly bound: BoardBinding | undefined;
  /** as sent */
  readonly operations: readonly unknown[];
  readonly terms: CallConditions;
  /** sentences for the answer */
  readonly notices: readonly string[];
}

/** One operation of a call, and the agent whose board it works on; or why it is invalid. */
type Step =
  | {
      readonly ok: true;
      readonly operation: Operation;
      readonly board: string;
      /** fields from which colour sequences were removed */
      readonly coloured: readonly string[];
    }
  | Fault;

/** The operations for one board. */
interface BoardWork {
  readonly path: string;
  readonly operations: readonly Operation[];
  readonly fresh: ApplyContext['fresh'];
}

export interface CallPlan {
  /** one per operation, in their order */
  readonly steps: readonly Step[];
  /** by the board's agent, in the order they are first worked on */
  readonly work: ReadonlyMap<string, BoardWork>;
}

/**
 * Validates the operations and finds the board of each.
 * @param path returns the path of an agent's board, existing or not
 * @param today local date, `YYYY-MM-DD`
 */
export async function planCall(
  call: AgentCall,
  boards: SessionBoards,
  path: (agent: string) => string,
  drawPrefix: () => Promise<string>,
  today: string,
): Promise<CallPlan> {
  const { bound } = call;
  const plain = call.operations.map(stripOperationColours);
  const read = plain
    .map(({ operation }) => readOperation(operation))
    .map((one) => (bound === undefined ? one : restrictToBinding(bound, boards, one)));
  const operations = read
    .flatMap((one) => (one.ok ? [one.operation] : []))
    .map((one) => ({ ...one, agent: one.agent ?? call.board }));
  const prefixes = await prefixesFor(call.agent, boards, operations, drawPrefix);
  const context = (agent: string): ApplyContext => ({
    policy: AGENT_POLICY,
    path: path(agent),
    caller: call.agent,
    today,
    seen: undefined,
    theirs: [],
    told: (note) => note,
    fresh: (given) =>
      newNoteText({
        session: call.session,
        agent,
        title: given ?? tidyTitle(call.title ?? call.session),
        prefix: prefixes.get(agent) ?? '',
      }),
  });
  const targets = [...routeOperations(call.agent, boards, operations, context)];
  const steps = read.map((one, at): Step => {
    if (!one.ok) return one;
    const coloured = plain[at]?.coloured ?? [];
    return { ...one, board: targets.shift() ?? call.agent, coloured };
  });
  if (!call.terms.atomic) return { steps, work: workByBoard(steps, context) };
  const first = steps.findIndex((step) => !step.ok);
  const several = new Set(steps.flatMap((step) => (step.ok ? [step.board] : []))).size > 1;
  if (first < 0 && !several) return { steps, work: workByBoard(steps, context) };
  const why = several ? 'an atomic call works on one board only' : `operation ${first + 1} failed`;
  return { steps: steps.map((step) => (step.ok ? notAppliedFault(why) : step)), work: new Map() };
}

/** Fields that contain text of an agent, or refer to tasks by it. */
const TEXT_FIELDS = new Set([
  ...['title', 'phase', 'reason', 'body'],
  ...['id', 'parent', 'after', 'dependsOn'],
]);

/**
 * Removes the colour sequences from an operation's texts (TASKS81). @returns the operation, and the
 * names of the fields that had any
 */
function stripOperationColours(raw: unknown): { operation: unknown; coloured: readonly string[] } {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { operation: raw, coloured: [] };
  }
  const coloured: string[] = [];
  const plain = Object.entries(raw).map(([name, value]): [string, unknown] => {
    if (!TEXT_FIELDS.has(name)) return [name, value];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    const cleaned = all.map((one) => (typeof one === 'string' ? withoutColours(one) : one));
    if (cleaned.every((one, at) => one === all[at])) return [name, value];
    coloured.push(name);
    return [name, Array.isArray(value) ? cleaned : cleaned[0]];
  });
  return { operation: Object.fromEntries(plain), coloured };
}

function workByBoard(
  steps: readonly Step[],
  context: (agent: string) => ApplyContext,
): ReadonlyMap<string, BoardWork> {
  const work = new Map<string, BoardWork>();
  for (const step of steps) {
    if (!step.ok) continue;
    const { path, fresh } = context(step.board);
    const before = work.get(step.board)?.operations ?? [];
    work.set(step.board, { path, fresh, operations: [...before, step.operation] });
  }
  return work;
}

/** Draws a prefix for each board that this call may create. */
async function prefixesFor(
  agent: string,
  boards: SessionBoards,
  operations: readonly Operation[],
  drawPrefix: () => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const current = currentBoard(agent, boards) ?? agent;
  const makers = operations.filter(({ type }) => type === 'init' || type === 'add');
  const prefixes = new Map<string, string>();
  for (const name of new Set(makers.map((operation) => operation.agent ?? current))) {
    if (!boards.files.has(name)) prefixes.set(name, await drawPrefix());
  }
  return prefixes;
}

/** The session of calls without a session id. */
const DEFAULT_SESSION = 'default-session';

/** The caller; independent of the call's arguments. */
export interface CallContext {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** title for a board that is created without one */
  readonly sessionTitle?: string;
  /** agent whose board operations without one work on; undefined: chosen by the board rule */
  readonly board?: string;
  /** set for a session that was started for a board: `sessionId` is then the board's session */
  readonly bound?: BoardBinding;
}

/** Checks a call as a whole. @returns the call; or why it is refused, and the session to name */
export function checkCall(
  { sessionId, agent, sessionTitle, board, bound }: CallContext,
  args: unknown,
  defaultSession: 'isolate' | 'refuse' | undefined,
): { readonly ok: true; readonly call: AgentCall } | (Fault & { readonly session: string }) {
  const named = sessionId ?? '';
  const session = named === '' ? DEFAULT_SESSION : named;
  if (named === '' && defaultSession === 'refuse') {
    const message = 'This call has no session id, and the settings refuse such calls.';
    return { ok: false, session: named, code: 'no_session', message };
  }
  if (!isValidSessionId(session))
    return { ...invalidNameFault('bad_session', 'session id'), session };
  if (!isValidAgentName(agent) || !isValidAgentName(board ?? agent)) {
    return { ...invalidNameFault('bad_agent', 'agent name'), session };
  }
  const read = readTasksCall(args);
  if (!read.ok) return { ...read, session };
  const { operations, terms } = read;
  const notices = named === '' ? [NO_SESSION] : [];
  const who = { session, agent, title: sessionTitle, board, bound };
  return { ok: true, call: { ...who, operations, terms, notices } };
}

const NO_SESSION = `The call had no session id, so this is the shared session "${DEFAULT_SESSION}".`;

function invalidNameFault(code: string, what: string): Fault {
  const message = `Nothing was done: the ${what} of this call must be 1 to 72 bytes of text without control characters.`;
  return { ok: false, code, message };
}

/** The board of another session that a session was started for, and what it may change there. */
export interface BoardBinding {
  /** agent whose board it is */
  readonly agent: string;
  /** its only task, by number, id or exact title; undefined if there is none */
  readonly task: string | undefined;
  /**
   * tasks that it may change with all their subtasks, and add subtasks to; with neither field it
   * may only read
   */
  readonly tasks?: readonly string[] | undefined;
}

type OperationRead = { readonly ok: true; readonly operation: Operation } | Fault;

/** Operations that change only the task that they name. */
const OWN_TASK_TYPES: ReadonlySet<Operation['type']> = new Set(['update', 'complete', 'claim']);

/**
 * Checks an operation of a session bound to a board: it may read everything, but only change its
 * own tasks. The operation goes to that board unless it names another one, whatever the caller
 * named before.
 */
function restrictToBinding(
  bound: BoardBinding,
  boards: SessionBoards,
  read: OperationRead,
): OperationRead {
  if (!read.ok) return read;
  const { operation } = read;
  const agent = operation.agent ?? bound.agent;
  if (READS.has(operation.type)) return { ok: true, operation: { ...operation, agent } };
  const board = boards.files.get(bound.agent)?.board;
  const field = bound.tasks !== undefined && addsSubTask(operation) ? 'parent' : 'id';
  const at = field in operation ? operation[field as keyof Operation] : undefined;
  const named = board && at !== undefined ? findTask(board, at) : undefined;
  const isOwn = named?.ok === true && changeableTasks(bound, board).includes(named.task);
  if (!isOwn || agent !== bound.agent || (field === 'id' && !OWN_TASK_TYPES.has(operation.type))) {
    return beyondBindingFault(bound, board);
  }
  const beyond = forbiddenReason(operation, named.task);
  if (beyond !== undefined) return notYoursFault(beyond);
  // By id, since the title may belong to another task by the time of the write.
  const own = named.task.id ?? undefined;
  return {
    ok: true,
    operation: { ...operation, agent, ...(own !== undefined && { [field]: own }) },
  };
}

/** Whether this adds a task whose place is given by its parent alone. */
function addsSubTask(operation: Operation): boolean {
  return operation.type === 'add' && operation.after === undefined && operation.phase === undefined;
}

/** The tasks that a bound session may change. */
export function changeableTasks(bound: BoardBinding, board: Board | undefined): readonly Task[] {
  if (board === undefined) return [];
  const own = boundTasks(bound, board);
  return bound.tasks === undefined ? own : own.flatMap((task) => subtreeOf(board, task));
}

/** Why a session can't be started for a board; undefined if it can. Writes nothing. */
export async function boundFault(
  { folders }: { readonly folders: SessionFolders },
  session: string,
  bound: BoardBinding,
): Promise<Fault | undefined> {
  if (!isValidSessionId(session)) return noBoardFault(session, bound);
  const { files } = await folders.boards(await folders.folder(session));
  const board = files.get(bound.agent)?.board;
  if (board === undefined) return noBoardFault(session, bound);
  return taskRefs(bound).flatMap((task) => {
    const found = findTask(board, task);
    return found.ok ? [] : [found];
  })[0];
}

function noBoardFault(session: string, { agent }: BoardBinding): Fault {
  const message = `There is no board of ${quoted(agent)} in session ${quoted(session)}.`;
  return { ok: false, code: 'no_board', message };
}

/** The tasks that the session was started for, without those that no longer exist. */
export function boundTasks(bound: BoardBinding, board: Board): readonly Task[] {
  return taskRefs(bound).flatMap((task) => {
    const found = findTask(board, task);
    return found.ok ? [found.task] : [];
  });
}

function taskRefs({ task, tasks = [] }: BoardBinding): readonly string[] {
  return task === undefined ? tasks : [task, ...tasks];
}

function beyondBindingFault(bound: BoardBinding, board: Board | undefined): Fault {
  const tasks = board === undefined ? [] : boundTasks(bound, board);
  if (tasks.length === 0) return notYoursFault('This session may only read this board');
  const names = tasks.map((task) => nameOf(task)).join(', ');
  const under =
    bound.tasks === undefined ? '' : ' and the tasks under it, add tasks under it by "parent"';
  return notYoursFault(
    `This session was started for ${tasks.map(nameWithTitle).join(', ')}: it may update, claim and complete ${names}${tasks.length > 1 ? under.replaceAll(' it', ' them') : under}, and read the rest of the board`,
  );
}

function notYoursFault(why: string): Fault {
  const message = `${why}. This was not done; say in your answer what else should change.`;
  return { ok: false, code: 'not_yours', message };
}

/**
 * Why a session started for a task may not change it like this; undefined if it may. It must not
 * change the criteria of the task, nor who decides that it is done.
 */
function forbiddenReason(operation: Operation, task: Task): string | undefined {
  const name = nameOf(task);
  const persons = task.owner === 'me' || task.approve === 'me';
  if (persons && 'force' in operation && operation.force === true) {
    return `${name} is done when the person says so, and "force" is not for this session`;
  }
  if (operation.type !== 'update') return undefined;
  if (task.owner === 'me' && operation.owner !== undefined && operation.owner !== 'me') {
    return `${name} is the person's own task, and this session may not take it`;
  }
  if (operation.body === undefined) return undefined;
  const body = (operation.body ?? '').split(/\r\n|\r|\n/);
  return isSameList(readCompletionLines({ body }).success, readCompletionLines(task).success)
    ? undefined
    : `The lines "Success: …" of ${name} say when it is done: send them in the body as they are`;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
