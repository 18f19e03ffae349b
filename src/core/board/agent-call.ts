import { AGENT_POLICY, type ApplyContext, type TheirChange } from './policy';
import { StoreError, type Clock } from '../ports';
import { refusal, storeFault, type Fault } from '../fault';
import { writeAnswer, type TasksAnswer } from './answer/write-answer';
import { currentBoard, type SessionBoards, type SessionFolders } from './session-boards';
import { boundTasks, planCall, type AgentCall, type CallContext, type CallPlan } from './call-plan';
import type { MarkUnchecked } from './facts';
import type { Done } from './outcome';
import type { Prefixes } from './prefixes';
import type { SessionMemory, StateFiles } from './state-file';
import type { Board } from './task';
import type { Archives } from './archive/archives';
import { pastArchived } from './archive/archive-tasks';
import { ofItsPlace, type BoardFile, type BoardFiles } from './board-files';
import { boardChanges, type TaskChange } from './digest';
import type { Attempt, BoardWriter } from './history/board-writer';
import type { Histories } from './history/histories';
import type { Note } from './note/note';
import { applyBatch, type Batch } from './batch';
import type { Operation } from './op';
import { READS, type Terms } from './tasks-schema';
import { asTold, typedNow } from './typed-lines';
import { boardSummaryText } from './answer/board-lines';
import { validSessionId } from './board-path';
import { parseNote } from './note/parse-note';

export interface AgentCallDeps extends Omit<LookDeps, 'mark'> {
  readonly folders: SessionFolders;
  readonly prefixes: Prefixes;
  /**
   * asks the runs which completed tasks they still check, for each call and summary; undefined:
   * there are no runs
   */
  readonly unchecked?: (() => Promise<MarkUnchecked>) | undefined;
}

/** Runs one call of `tasks`, from operations as sent to the answer; one per session at a time. */
export async function runCall(
  { unchecked, ...given }: AgentCallDeps,
  call: AgentCall,
): Promise<TasksAnswer> {
  const mark = (await unchecked?.()) ?? ((board) => board);
  const deps = { ...given, mark };
  const { folders, prefixes, clock } = deps;
  const folder = await folders.folder(call.session);
  const boards = await folders.boards(folder);
  const path = folders.paths(call.session, folder, boards);
  const plan = await planCall(call, boards, path, () => prefixes.draw(folder), clock.today());
  const looks = new Map<string, Look>();
  for (const [agent, { path, operations, fresh }] of plan.work) {
    looks.set(agent, await look(deps, path, call.agent, operations, fresh, call.terms));
  }
  const outcomes = inOrder(plan, looks);
  const shown = await showOne(deps, call, boards, plan, looks);
  // A session bound to another session's board does not change that session's current board.
  const lost =
    call.bound === undefined
      ? await remember(deps, folder, call, plan, outcomes, looks)
      : undefined;
  return answer(call, marked(boards, looks, mark), outcomes, shown, looks, lost);
}

/** The outcomes of all boards in the order of the operations. */
function inOrder(plan: CallPlan, looks: ReadonlyMap<string, Look>): readonly (Done | Fault)[] {
  const left = new Map([...looks].map(([agent, { outcomes }]) => [agent, [...outcomes]]));
  return plan.steps.map((step) => {
    if (!step.ok) return step;
    const outcome = left.get(step.board)?.shift();
    if (outcome === undefined) throw new Error('assertion: an operation without an outcome');
    return outcome.ok ? tellColours(outcome, step.coloured) : outcome;
  });
}

function tellColours(done: Done, fields: readonly string[]): Done {
  if (fields.length === 0) return done;
  const said = done.said.endsWith('.') ? done.said : `${done.said}.`;
  return { ...done, said: `${said} Colour sequences were removed from ${fields.join(', ')}.` };
}

/**
 * Chooses the board that the answer shows: the last existing one that was worked on, else the
 * caller's. The agent has then seen that board, even if no operation was valid.
 */
async function showOne(
  deps: LookDeps,
  { agent, board, bound }: AgentCall,
  boards: SessionBoards,
  plan: CallPlan,
  looks: Map<string, Look>,
): Promise<string | undefined> {
  const worked = plan.steps.flatMap((step) => (step.ok ? [step.board] : [])).reverse();
  const last = worked.find((name) => looks.get(name)?.file !== undefined);
  if (last !== undefined) return last;
  const current = bound?.agent ?? board ?? currentBoard(agent, boards);
  const path = current === undefined ? undefined : boards.files.get(current)?.board.path;
  if (current === undefined || path === undefined) return undefined;
  looks.set(current, await look(deps, path, agent, [], () => ''));
  return current;
}

/**
 * Stores which board the caller named last, and which boards were created. @returns why that
 * failed, if it did
 */
async function remember(
  { state }: LookDeps,
  folder: string,
  { agent }: AgentCall,
  plan: CallPlan,
  outcomes: readonly (Done | Fault)[],
  looks: ReadonlyMap<string, Look>,
): Promise<string | undefined> {
  const made = [...looks].flatMap(([name, one]) => (one.made ? [name] : []));
  const named = plan.steps
    .flatMap((step, at) =>
      step.ok && outcomes[at]?.ok === true ? (step.operation.agent ?? []) : [],
    )
    .filter((name) => looks.get(name)?.file !== undefined)
    .pop();
  if (made.length === 0 && named === undefined) return undefined;
  const change = (memory: SessionMemory): SessionMemory => ({
    named:
      named === undefined
        ? memory.named
        : [...memory.named.filter(([caller]) => caller !== agent), [agent, named]],
    made: [...memory.made.filter((name) => !made.includes(name)), ...made],
  });
  return refusal(() => state.remember(folder, change));
}

/** The session's boards after the call, with the tasks marked that runs still check. */
function marked(
  boards: SessionBoards,
  looks: ReadonlyMap<string, Look>,
  mark: MarkUnchecked,
): ReadonlyMap<string, Board> {
  const now = new Map([...boards.files].map(([agent, { board }]) => [agent, board]));
  for (const [agent, { file }] of looks) if (file !== undefined) now.set(agent, file.board);
  return new Map([...now].map(([agent, board]) => [agent, mark(board)]));
}

function answer(
  call: AgentCall,
  now: ReadonlyMap<string, Board>,
  outcomes: readonly (Done | Fault)[],
  shown: string | undefined,
  looks: ReadonlyMap<string, Look>,
  lost: string | undefined,
): TasksAnswer {
  const reasons = [...[...looks.values()].map(({ forgotten }) => forgotten), lost];
  const [reason] = reasons.filter((one) => one !== undefined);
  const notKept = `What was done stands, but what you saw and named could not be kept: ${reason ?? ''}`;
  return writeAnswer({
    sessionId: call.session,
    agent: call.agent,
    operations: call.operations,
    outcomes,
    board: shown === undefined ? undefined : now.get(shown),
    changes: [...looks.values()].flatMap(({ changes }) => changes),
    others: [...now].flatMap(([agent, board]) => (agent === shown ? [] : [board])),
    notices: [
      ...call.notices,
      ...(reason === undefined ? [] : [notKept]),
      ...[...looks.values()].flatMap((one) => one.notices),
    ],
  });
}

/** What a call did to one board and found on it. */
interface Look {
  readonly outcomes: readonly (Done | Fault)[];
  /** undefined: there is no note */
  readonly file: BoardFile | undefined;
  /** what a person changed since the agent last looked */
  readonly changes: readonly TaskChange[];
  /** whether the call created the note */
  readonly made: boolean;
  /** why the state that the agent saw could not be stored, so that it will be reported again */
  readonly forgotten: string | undefined;
  /** sentences about other data that could not be stored */
  readonly notices: readonly string[];
}

interface LookDeps {
  readonly files: BoardFiles;
  readonly state: StateFiles;
  readonly clock: Clock;
  readonly archives: Archives;
  readonly histories: Histories;
  readonly writer: BoardWriter;
  readonly mark: MarkUnchecked;
}

/**
 * Runs a call's operations on one board in one write, on its text at that time, and stores what the
 * agent saw. A store error fails the operations, not the call.
 */
function look(
  deps: LookDeps,
  path: string,
  caller: string,
  operations: readonly Operation[],
  fresh: (title: string | undefined) => string,
  terms?: Terms,
): Promise<Look> {
  const { files, state, clock, writer } = deps;
  return files.exclusively(path, async () => {
    const place = path.slice(files.root.length + 1);
    const saw = seenNote(files, path, await state.seen(place));
    const seen = saw?.board;
    const tell = await telling(deps, place, saw);
    const today = clock.today();
    const judged = judgedBy(deps.mark, files.root);
    const context = { policy: AGENT_POLICY, path, caller, seen, today, tell, judged, fresh };
    let done: Awaited<ReturnType<typeof writer.put<Run>>>;
    try {
      const beside = await besideOf(deps, path, operations);
      done = await writer.put(
        path,
        { kind: 'agent', name: caller },
        (before, archiveFault) =>
          apply(before, operations, { ...context, ...beside, archiveFault }, terms),
        howToWrite(operations),
      );
    } catch (error) {
      if (error instanceof StoreError) return refused(files.known(path), operations, error);
      throw error;
    }
    const { before, made, file: known } = done;
    const { note, batch } = made;
    const typed = await typedNow(state, place, clock);
    const told = note && asTold(note, before, saw, typed);
    // Text that is being typed is not disclosed, but still counts as a conflict.
    const was = before && asTold(before, before, saw, typed);
    const hides = was !== undefined && was !== before && seen !== undefined;
    const changes = hides ? boardChanges(seen, was.board) : made.changes;
    const { outcomes } = batch;
    const looked = { outcomes, changes, made: false, forgotten: undefined, notices: [] };
    if (note === undefined || known === undefined) return { ...looked, file: undefined };
    const shown = told ?? note;
    const file =
      shown === note ? known : { board: { ...known.board, tasks: shown.board.tasks }, note: shown };
    const forgotten = await keep(state, place, shown);
    return { ...looked, file, made: before === undefined, forgotten, notices: noticesOf(done) };
  });
}

/** Returns whether a run would check a task after its completion. */
function judgedBy(mark: MarkUnchecked, root: string): NonNullable<ApplyContext['judged']> {
  return (board, task) => {
    const tasks = [{ ...task, status: 'completed' as const }];
    return mark(ofItsPlace(root, { ...board, tasks })).unchecked?.has(task.key) === true;
  };
}

/** Reads take no lock. */
function howToWrite(operations: readonly Operation[]): 'read' | 'write' | 'move' {
  if (operations.every(({ type }) => READS.has(type))) return 'read';
  return operations.some(({ type }) => type === 'archive' || type === 'undo') ? 'move' : 'write';
}

/** Notices about data besides the note that could not be stored; the write itself succeeded. */
function noticesOf({
  unrecorded,
  uncleaned,
}: Awaited<ReturnType<BoardWriter['put']>>): readonly string[] {
  return [
    ...(unrecorded === undefined
      ? []
      : [`What was done stands, but it can't be undone later: ${unrecorded}`]),
    ...(uncleaned === undefined
      ? []
      : [`What came back is still in the archive as well: ${uncleaned}`]),
  ];
}

/**
 * Stores the note as seen by the agent. @returns why that failed, if it did; the write of the board
 * is not affected
 */
async function keep(state: StateFiles, place: string, note: Note): Promise<string | undefined> {
  // A broken note does not count as seen: after its repair, it is compared with the state before.
  if (note.board.broken !== null) return undefined;
  return refusal(() => state.look(place, note.text));
}

/** Reads the archive and the history if operations need them. */
async function besideOf(
  { archives, histories }: LookDeps,
  path: string,
  operations: readonly Operation[],
): Promise<Pick<ApplyContext, 'archive' | 'records'>> {
  const types = new Set(operations.map(({ type }) => type));
  const records =
    types.has('undo') || types.has('history') ? await histories.records(path) : undefined;
  const cameFromBoard =
    types.has('undo') && records?.some(({ archived }) => archived !== undefined) === true;
  return {
    ...((types.has('restore') || cameFromBoard) && { archive: await archives.read(path) }),
    ...(records !== undefined && { records }),
  };
}

interface Run extends Attempt {
  readonly batch: Batch;
  readonly changes: readonly TaskChange[];
}

function apply(
  before: Note | undefined,
  operations: readonly Operation[],
  { tell, ...context }: Omit<ApplyContext, 'theirs' | 'told'> & { readonly tell: Tell },
  terms: Terms | undefined,
): Run {
  const { seen } = context;
  const changes =
    before === undefined ||
    seen === undefined ||
    seen === before.board ||
    before.board.broken !== null
      ? []
      : boardChanges(seen, before.board);
  const base = before && pastArchived(before);
  const told = (note: Note): Note => tell(note, before);
  const theirs = typedMarked(changes, seen, before && told(before));
  const batch = applyBatch(base, operations, { ...context, theirs, told }, terms);
  return { note: batch.note, ...batch.effects, said: batch.said, batch, changes };
}

/** Marks the changes that answers must not disclose, since a person is still typing them. */
function typedMarked(
  changes: readonly TaskChange[],
  seen: Board | undefined,
  told: Note | undefined,
): readonly TheirChange[] {
  if (changes.length === 0 || seen === undefined || told === undefined) return changes;
  const name = ({ id, field, after }: TaskChange) => JSON.stringify([id, field, after]);
  const known = new Set(boardChanges(seen, told.board).map(name));
  return changes.map((one) => (known.has(name(one)) ? one : { ...one, typing: true }));
}

/** Returns a note as answers show it; `before` as in `asTold`. */
type Tell = (note: Note, before: Note | undefined) => Note;

async function telling(
  { files, state, clock, mark }: LookDeps,
  place: string,
  saw: Note | undefined,
): Promise<Tell> {
  const typed = await typedNow(state, place, clock);
  return (note, before) => {
    const told = before === undefined ? note : asTold(note, before, saw, typed);
    return { ...told, board: mark(ofItsPlace(files.root, told.board)) };
  };
}

function seenNote(files: BoardFiles, path: string, text: string | undefined): Note | undefined {
  if (text === undefined) return undefined;
  const note = files.parsed(path, text);
  return note.board.broken === null ? note : undefined;
}

function refused(
  file: BoardFile | undefined,
  operations: readonly Operation[],
  error: StoreError,
): Look {
  const outcomes = operations.map(() => storeFault(error));
  return { outcomes, file, changes: [], made: false, forgotten: undefined, notices: [] };
}

type Deps = Pick<AgentCallDeps, 'files' | 'state' | 'folders' | 'clock' | 'unchecked'>;

/** Summary for a prompt of the board that an agent works on; undefined if the session has none. */
export async function promptSummary(deps: Deps, context: CallContext): Promise<string | undefined> {
  const { files, state, clock } = deps;
  const { bound } = context;
  const path = await boardOf(deps, context);
  const file = path === undefined ? undefined : files.known(path);
  if (path === undefined || file === undefined) return undefined;
  const place = path.slice(files.root.length + 1);
  const text = await state.seen(place);
  const saw = text === undefined ? undefined : parseNote(path, text);
  const seen = saw?.board;
  const { note } = file;
  const told = note && asTold(note, note, saw, await typedNow(state, place, clock));
  const shown =
    told === undefined || told === note ? file.board : { ...file.board, tasks: told.board.tasks };
  const mark = await deps.unchecked?.();
  const board = mark?.(shown) ?? shown;
  const comparable = seen !== undefined && seen.broken === null && board.broken === null;
  const changes = comparable ? boardChanges(seen, board) : [];
  if (bound === undefined) return boardSummaryText(board, changes);
  const own = { tasks: boundTasks(bound, board), under: bound.tasks !== undefined };
  return boardSummaryText(board, changes, own);
}

async function boardOf(
  { folders }: Deps,
  { sessionId, agent, bound }: CallContext,
): Promise<string | undefined> {
  if (sessionId === undefined || !validSessionId(sessionId)) return undefined;
  if (bound === undefined) return folders.current(sessionId, agent);
  const { files } = await folders.boards(await folders.folder(sessionId));
  return files.get(bound.agent)?.board.path;
}
