import { AGENT_POLICY, type ApplyContext } from './policy';
import { undone } from './batch';
import { READS, readTasksCall, type Terms } from './tasks-schema';
import { currentBoard, route, type SessionBoards, type SessionFolders } from './session-boards';
import { tidyTitle, withoutColours } from './note/title';
import { newNote } from './note/edit-header';
import { readOperation, type Operation } from './op';
import type { Fault } from '../fault';
import { validAgentName, validSessionId } from './board-path';
import { familyOf, findTask, nameOf, quoted, withTitle } from './find-task';
import type { Board, Task } from './task';
import { bodyMeaning } from './note/task-block';

/** A call that is not refused: session and agent are valid. */
export interface AgentCall {
  readonly session: string;
  readonly agent: string;
  /** title of a board that is made without one */
  readonly title: string | undefined;
  /** whose board an operation works on that names none; undefined: the board rule says */
  readonly board: string | undefined;
  /** the only board that it may change, and what of it; undefined: all of the session's */
  readonly bound: BoundTo | undefined;
  /** as they were sent */
  readonly operations: readonly unknown[];
  readonly terms: Terms;
  /** sentences for the answer */
  readonly notices: readonly string[];
}

/** One operation of a call: what it is, and whose board it works on; or why it is none. */
type Step =
  | {
      readonly ok: true;
      readonly operation: Operation;
      readonly board: string;
      /** fields from which colour sequences were removed */
      readonly coloured: readonly string[];
    }
  | Fault;

/** What goes to one board. */
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
 * Reads the operations and finds the board of each.
 * @param path of an agent's board, there or to be made
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
  const plain = call.operations.map(plainOperation);
  const read = plain
    .map(({ operation }) => readOperation(operation))
    .map((one) => (bound === undefined ? one : withinBound(bound, boards, one)));
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
      newNote({
        session: call.session,
        agent,
        title: given ?? tidyTitle(call.title ?? call.session),
        prefix: prefixes.get(agent) ?? '',
      }),
  });
  const targets = [...route(call.agent, boards, operations, context)];
  const steps = read.map((one, at): Step => {
    if (!one.ok) return one;
    const coloured = plain[at]?.coloured ?? [];
    return { ...one, board: targets.shift() ?? call.agent, coloured };
  });
  if (!call.terms.atomic) return { steps, work: grouped(steps, context) };
  const first = steps.findIndex((step) => !step.ok);
  const several = new Set(steps.flatMap((step) => (step.ok ? [step.board] : []))).size > 1;
  if (first < 0 && !several) return { steps, work: grouped(steps, context) };
  const why = several ? 'an atomic call works on one board only' : `operation ${first + 1} failed`;
  return { steps: steps.map((step) => (step.ok ? undone(why) : step)), work: new Map() };
}

/** What holds text of an agent, or names tasks by it. */
const TEXT_FIELDS = new Set([
  ...['title', 'phase', 'reason', 'body'],
  ...['id', 'parent', 'after', 'dependsOn'],
]);

/**
 * An operation of an agent without the colour sequences in its texts (TASKS81), and the names of the
 * fields that had any.
 */
function plainOperation(raw: unknown): { operation: unknown; coloured: readonly string[] } {
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

function grouped(
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

/** A prefix for each board that this call may make. */
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

/** The session of calls that name none. */
const DEFAULT_SESSION = 'default-session';

/** Who calls, from the call's context; nothing in the arguments can change it. */
export interface CallContext {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** title of a board that has to be made without one */
  readonly sessionTitle?: string;
  /** whose board an operation works on that names none; undefined: the board rule says */
  readonly board?: string;
  /** of a session that was started for a board: `sessionId` is then that board's */
  readonly bound?: BoundTo;
}

/** A call that may be carried out, or why all of it is refused; `session` is the one it would be of. */
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
  if (!validSessionId(session)) return { ...invalid('bad_session', 'session id'), session };
  if (!validAgentName(agent) || !validAgentName(board ?? agent)) {
    return { ...invalid('bad_agent', 'agent name'), session };
  }
  const read = readTasksCall(args);
  if (!read.ok) return { ...read, session };
  const { operations, terms } = read;
  const notices = named === '' ? [NO_SESSION] : [];
  const who = { session, agent, title: sessionTitle, board, bound };
  return { ok: true, call: { ...who, operations, terms, notices } };
}

const NO_SESSION = `The call had no session id, so this is the shared session "${DEFAULT_SESSION}".`;

function invalid(code: string, what: string): Fault {
  const message = `Nothing was done: the ${what} of this call must be 1 to 72 bytes of text without control characters.`;
  return { ok: false, code, message };
}

/** What a session was started for: a board of another session, and what it may change there. */
export interface BoundTo {
  /** whose board it is */
  readonly agent: string;
  /** the one task, by number, id or exact title; undefined where there is none such */
  readonly task: string | undefined;
  /** tasks with all that stands under them, to which it may add; with neither it may only read */
  readonly tasks?: readonly string[] | undefined;
}

type Read = { readonly ok: true; readonly operation: Operation } | Fault;

/** What changes nothing but the task that it names. */
const OWN: ReadonlySet<Operation['type']> = new Set(['update', 'complete', 'claim']);

/**
 * An operation of a call that is bound to a board: reading is free, changing is of its own task. It
 * goes to that board unless it says otherwise, whatever the caller named before.
 */
function withinBound(bound: BoundTo, boards: SessionBoards, read: Read): Read {
  if (!read.ok) return read;
  const { operation } = read;
  const agent = operation.agent ?? bound.agent;
  if (READS.has(operation.type)) return { ok: true, operation: { ...operation, agent } };
  const board = boards.files.get(bound.agent)?.board;
  const field = bound.tasks !== undefined && isUnder(operation) ? 'parent' : 'id';
  const at = field in operation ? operation[field as keyof Operation] : undefined;
  const named = board && at !== undefined ? findTask(board, at) : undefined;
  const isOwn = named?.ok === true && reach(bound, board).includes(named.task);
  if (!isOwn || agent !== bound.agent || (field === 'id' && !OWN.has(operation.type))) {
    return refused(bound, board);
  }
  const beyond = beyondOwn(operation, named.task);
  if (beyond !== undefined) return notDone(beyond);
  // By its id: a title may be another task's by the time it is written.
  const own = named.task.id ?? undefined;
  return {
    ok: true,
    operation: { ...operation, agent, ...(own !== undefined && { [field]: own }) },
  };
}

/** A new task whose place is said by its parent alone. */
function isUnder(operation: Operation): boolean {
  return operation.type === 'add' && operation.after === undefined && operation.phase === undefined;
}

/** The tasks that a bound session may change. */
function reach(bound: BoundTo, board: Board | undefined): readonly Task[] {
  if (board === undefined) return [];
  const own = boundTasks(bound, board);
  return bound.tasks === undefined ? own : own.flatMap((task) => familyOf(board, task));
}

/** Why a session can't be started for a board; undefined where it can. Nothing is written. */
export async function boundFault(
  { folders }: { readonly folders: SessionFolders },
  session: string,
  bound: BoundTo,
): Promise<Fault | undefined> {
  if (!validSessionId(session)) return noBoard(session, bound);
  const { files } = await folders.boards(await folders.folder(session));
  const board = files.get(bound.agent)?.board;
  if (board === undefined) return noBoard(session, bound);
  return taskRefs(bound).flatMap((task) => {
    const found = findTask(board, task);
    return found.ok ? [] : [found];
  })[0];
}

function noBoard(session: string, { agent }: BoundTo): Fault {
  const message = `There is no board of ${quoted(agent)} in session ${quoted(session)}.`;
  return { ok: false, code: 'no_board', message };
}

/** The tasks that it was started for, on the board as it is; none that are gone. */
export function boundTasks(bound: BoundTo, board: Board): readonly Task[] {
  return taskRefs(bound).flatMap((task) => {
    const found = findTask(board, task);
    return found.ok ? [found.task] : [];
  });
}

function taskRefs({ task, tasks = [] }: BoundTo): readonly string[] {
  return task === undefined ? tasks : [task, ...tasks];
}

function refused(bound: BoundTo, board: Board | undefined): Fault {
  const tasks = board === undefined ? [] : boundTasks(bound, board);
  if (tasks.length === 0) return notDone('This session may only read this board');
  const names = tasks.map((task) => nameOf(task)).join(', ');
  const under =
    bound.tasks === undefined ? '' : ' and the tasks under it, add tasks under it by "parent"';
  return notDone(
    `This session was started for ${tasks.map(withTitle).join(', ')}: it may update, claim and complete ${names}${tasks.length > 1 ? under.replaceAll(' it', ' them') : under}, and read the rest of the board`,
  );
}

function notDone(why: string): Fault {
  const message = `${why}. This was not done; say in your answer what else should change.`;
  return { ok: false, code: 'not_yours', message };
}

/**
 * Why a session that was started for a task may not change it so; undefined where it may. What says
 * when the task is done, and whose word that is, is not for who works on it to change.
 */
function beyondOwn(operation: Operation, task: Task): string | undefined {
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
  return same(bodyMeaning({ body }).success, bodyMeaning(task).success)
    ? undefined
    : `The lines "Success: …" of ${name} say when it is done: send them in the body as they are`;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
