import { AGENT_POLICY, type ApplyContext, type PersonChange } from './policy';
import { StoreError, type Clock } from '../ports';
import { refusal, storeFault, type Fault } from '../fault';
import { writeAnswer, type TasksAnswer } from './answer/write-answer';
import { currentBoard, type SessionBoards, type SessionFolders } from './session-boards';
import { boundTasks, planCall, type AgentCall, type CallContext, type CallPlan } from './call-plan';
import type { MarkUnchecked } from './facts';
import type { OperationSuccess } from './outcome';
import type { Prefixes } from './prefixes';
import type { SessionMemory, StateFiles } from './state-file';
import type { Board } from './task';
import type { Archives } from './archive/archives';
import { raiseNextPastArchived } from './archive/archive-tasks';
import { withIdentityFromPath, type BoardFile, type BoardFiles } from './board-files';
import { boardChanges, type TaskChange } from './digest';
import type { Attempt, BoardWriter } from './history/board-writer';
import type { Histories } from './history/histories';
import type { Note } from './note/note';
import { applyBatch, type Batch } from './batch';
import type { Operation } from './op';
import { READS, type CallConditions } from './tasks-schema';
import { asShownToAgent, readTypedLine } from './typed-lines';
import { boardSummaryText } from './answer/board-lines';
import { isValidSessionId } from './board-path';
import { parseNote } from './note/parse-note';

export interface AgentCallDeps extends Omit<BoardCallDeps, 'mark'> {
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
  const boardResults = new Map<string, BoardCallResult>();
  for (const [agent, { path, operations, fresh }] of plan.work) {
    boardResults.set(
      agent,
      await runBoardOperations(deps, path, call.agent, operations, fresh, call.terms),
    );
  }
  const outcomes = outcomesInOrder(plan, boardResults);
  const shown = await chooseShownBoard(deps, call, boards, plan, boardResults);
  // A session bound to another session's board does not change that session's current board.
  const lost =
    call.bound === undefined
      ? await storeSessionMemory(deps, folder, call, plan, outcomes, boardResults)
      : undefined;
  return buildAnswer(
    call,
    boardsAfterCall(boards, boardResults, mark),
    outcomes,
    shown,
    boardResults,
    lost,
  );
}

/** The outcomes of all boards in the order of the operations. */
function outcomesInOrder(
  plan: CallPlan,
  boardResults: ReadonlyMap<string, BoardCallResult>,
): readonly (OperationSuccess | Fault)[] {
  const remaining = new Map(
    [...boardResults].map(([agent, { outcomes }]) => [agent, [...outcomes]]),
  );
  return plan.steps.map((step) => {
    if (!step.ok) return step;
    const outcome = remaining.get(step.board)?.shift();
    if (outcome === undefined) throw new Error('assertion: an operation without an outcome');
    return outcome.ok ? withColourNotice(outcome, step.coloured) : outcome;
  });
}

function withColourNotice(done: OperationSuccess, fields: readonly string[]): OperationSuccess {
  if (fields.length === 0) return done;
  const said = done.said.endsWith('.') ? done.said : `${done.said}.`;
  return { ...done, said: `${said} Colour sequences were removed from ${fields.join(', ')}.` };
}

/**
 * Chooses the board that the answer shows: the last existing one that was worked on, else the
 * caller's. The agent has then seen that board, even if no operation was valid.
 */
async function chooseShownBoard(
  deps: BoardCallDeps,
  { agent, board, bound }: AgentCall,
  boards: SessionBoards,
  plan: CallPlan,
  boardResults: Map<string, BoardCallResult>,
): Promise<string | undefined> {
  const worked = plan.steps.flatMap((step) => (step.ok ? [step.board] : [])).reverse();
  const last = worked.find((name) => boardResults.get(name)?.file !== undefined);
  if (last !== undefined) return last;
  const current = bound?.agent ?? board ?? currentBoard(agent, boards);
  const path = current === undefined ? undefined : boards.files.get(current)?.board.path;
  if (current === undefined || path === undefined) return undefined;
  boardResults.set(current, await runBoardOperations(deps, path, agent, [], () => ''));
  return current;
}

/**
 * Stores which board the caller named last, and which boards were created. @returns why that
 * failed, if it did
 */
async function storeSessionMemory(
  { state }: BoardCallDeps,
  folder: string,
  { agent }: AgentCall,
  plan: CallPlan,
  outcomes: readonly (OperationSuccess | Fault)[],
  boardResults: ReadonlyMap<string, BoardCallResult>,
): Promise<string | undefined> {
  const made = [...boardResults].flatMap(([name, one]) => (one.made ? [name] : []));
  const named = plan.steps
    .flatMap((step, at) =>
      step.ok && outcomes[at]?.ok === true ? (step.operation.agent ?? []) : [],
    )
    .filter((name) => boardResults.get(name)?.file !== undefined)
    .pop();
  if (made.length === 0 && named === undefined) return undefined;
  const change = (memory: SessionMemory): SessionMemory => ({
    named:
      named === undefined
        ? memory.named
        : [...memory.named.filter(([caller]) => caller !== agent), [agent, named]],
    made: [...memory.made.filter((name) => !made.includes(name)), ...made],
  });
  return (await refusal(() => state.updateMemory(folder, change)))?.message;
}

/** The session's boards after the call, with the tasks marked that runs still check. */
function boardsAfterCall(
  boards: SessionBoards,
  boardResults: ReadonlyMap<string, BoardCallResult>,
  mark: MarkUnchecked,
): ReadonlyMap<string, Board> {
  const now = new Map([...boards.files].map(([agent, { board }]) => [agent, board]));
  for (const [agent, { file }] of boardResults) if (file !== undefined) now.set(agent, file.board);
  return new Map([...now].map(([agent, board]) => [agent, mark(board)]));
}

function buildAnswer(
  call: AgentCall,
  now: ReadonlyMap<string, Board>,
  outcomes: readonly (OperationSuccess | Fault)[],
  shown: string | undefined,
  boardResults: ReadonlyMap<string, BoardCallResult>,
  lost: string | undefined,
): TasksAnswer {
  const reasons = [...[...boardResults.values()].map(({ forgotten }) => forgotten), lost];
  const [reason] = reasons.filter((one) => one !== undefined);
  const notKept = `What was done stands, but what you saw and named could not be kept: ${reason ?? ''}`;
  return writeAnswer({
    sessionId: call.session,
    agent: call.agent,
    operations: call.operations,
    outcomes,
    board: shown === undefined ? undefined : now.get(shown),
    changes: [...boardResults.values()].flatMap(({ changes }) => changes),
    others: [...now].flatMap(([agent, board]) => (agent === shown ? [] : [board])),
    notices: [
      ...call.notices,
      ...(reason === undefined ? [] : [notKept]),
      ...[...boardResults.values()].flatMap((one) => one.notices),
    ],
  });
}

/** What a call did to one board and found on it. */
interface BoardCallResult {
  readonly outcomes: readonly (OperationSuccess | Fault)[];
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

interface BoardCallDeps {
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
function runBoardOperations(
  deps: BoardCallDeps,
  path: string,
  caller: string,
  operations: readonly Operation[],
  fresh: (title: string | undefined) => string,
  terms?: CallConditions,
): Promise<BoardCallResult> {
  const { files, state, clock, writer } = deps;
  return files.runExclusive(path, async () => {
    const place = path.slice(files.root.length + 1);
    const saw = seenNote(files, path, await state.seen(place));
    const seen = saw?.board;
    const tell = await makeToShownNote(deps, place, saw);
    const today = clock.today();
    const judged = runCheckPredicate(deps.mark, files.root);
    const context = { policy: AGENT_POLICY, path, caller, seen, today, tell, judged, fresh };
    let done: Awaited<ReturnType<typeof writer.writeAttempt<BatchAttempt>>>;
    try {
      const archiveAndHistory = await readArchiveAndHistory(deps, path, operations);
      done = await writer.writeAttempt(
        path,
        { kind: 'agent', name: caller },
        (before, archiveFault) =>
          applyOperations(
            before,
            operations,
            { ...context, ...archiveAndHistory, archiveFault },
            terms,
          ),
        accessMode(operations),
      );
    } catch (error) {
      if (error instanceof StoreError) return failedResult(files.cached(path), operations, error);
      throw error;
    }
    const { before, made, file: known } = done;
    const { note, batch } = made;
    const typed = await readTypedLine(state, place, clock);
    const told = note && asShownToAgent(note, before, saw, typed);
    // Text that is being typed is not disclosed, but still counts as a conflict.
    const was = before && asShownToAgent(before, before, saw, typed);
    const hides = was !== undefined && was !== before && seen !== undefined;
    const changes = hides ? boardChanges(seen, was.board) : made.changes;
    const { outcomes } = batch;
    const looked = { outcomes, changes, made: false, forgotten: undefined, notices: [] };
    if (note === undefined || known === undefined) return { ...looked, file: undefined };
    const shown = told ?? note;
    const file =
      shown === note ? known : { board: { ...known.board, tasks: shown.board.tasks }, note: shown };
    const forgotten = await storeSeenNote(state, place, shown);
    return { ...looked, file, made: before === undefined, forgotten, notices: noticesOf(done) };
  });
}

/** Returns whether a run would check a task after its completion. */
function runCheckPredicate(mark: MarkUnchecked, root: string): NonNullable<ApplyContext['judged']> {
  return (board, task) => {
    const tasks = [{ ...task, status: 'completed' as const }];
    return mark(withIdentityFromPath(root, { ...board, tasks })).unchecked?.has(task.key) === true;
  };
}

/** Reads take no lock. */
function accessMode(operations: readonly Operation[]): 'read' | 'write' | 'move' {
  if (operations.every(({ type }) => READS.has(type))) return 'read';
  return operations.some(({ type }) => type === 'archive' || type === 'undo') ? 'move' : 'write';
}

/** Notices about data besides the note that could not be stored; the write itself succeeded. */
function noticesOf({
  unrecorded,
  uncleaned,
}: Awaited<ReturnType<BoardWriter['writeAttempt']>>): readonly string[] {
  return [
    ...(unrecorded === undefined
      ? []
      : [`What was done stands, but it can't be undone later: ${unrecorded.message}`]),
    ...(uncleaned === undefined
      ? []
      : [`What came back is still in the archive as well: ${uncleaned.message}`]),
  ];
}

/**
 * Stores the note as seen by the agent. @returns why that failed, if it did; the write of the board
 * is not affected
 */
async function storeSeenNote(
  state: StateFiles,
  place: string,
  note: Note,
): Promise<string | undefined> {
  // A broken note does not count as seen: after its repair, it is compared with the state before.
  if (note.board.broken !== null) return undefined;
  return (await refusal(() => state.setSeen(place, note.text)))?.message;
}

/** Reads the archive and the history if operations need them. */
async function readArchiveAndHistory(
  { archives, histories }: BoardCallDeps,
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

interface BatchAttempt extends Attempt {
  readonly batch: Batch;
  readonly changes: readonly TaskChange[];
}

function applyOperations(
  before: Note | undefined,
  operations: readonly Operation[],
  { tell, ...context }: Omit<ApplyContext, 'theirs' | 'told'> & { readonly tell: ToShownNote },
  terms: CallConditions | undefined,
): BatchAttempt {
  const { seen } = context;
  const changes =
    before === undefined ||
    seen === undefined ||
    seen === before.board ||
    before.board.broken !== null
      ? []
      : boardChanges(seen, before.board);
  const base = before && raiseNextPastArchived(before);
  const told = (note: Note): Note => tell(note, before);
  const theirs = markChangesBeingTyped(changes, seen, before && told(before));
  const batch = applyBatch(base, operations, { ...context, theirs, told }, terms);
  return { note: batch.note, ...batch.effects, said: batch.said, batch, changes };
}

/** Marks the changes that answers must not disclose, since a person is still typing them. */
function markChangesBeingTyped(
  changes: readonly TaskChange[],
  seen: Board | undefined,
  told: Note | undefined,
): readonly PersonChange[] {
  if (changes.length === 0 || seen === undefined || told === undefined) return changes;
  const name = ({ id, field, after }: TaskChange) => JSON.stringify([id, field, after]);
  const known = new Set(boardChanges(seen, told.board).map(name));
  return changes.map((one) => (known.has(name(one)) ? one : { ...one, typing: true }));
}

/** Returns a note as answers show it; `before` as in `asShownToAgent`. */
type ToShownNote = (note: Note, before: Note | undefined) => Note;

async function makeToShownNote(
  { files, state, clock, mark }: BoardCallDeps,
  place: string,
  saw: Note | undefined,
): Promise<ToShownNote> {
  const typed = await readTypedLine(state, place, clock);
  return (note, before) => {
    const told = before === undefined ? note : asShownToAgent(note, before, saw, typed);
    return { ...told, board: mark(withIdentityFromPath(files.root, told.board)) };
  };
}

function seenNote(files: BoardFiles, path: string, text: string | undefined): Note | undefined {
  if (text === undefined) return undefined;
  const note = files.parse(path, text);
  return note.board.broken === null ? note : undefined;
}

function failedResult(
  file: BoardFile | undefined,
  operations: readonly Operation[],
  error: StoreError,
): BoardCallResult {
  const outcomes = operations.map(() => storeFault(error));
  return { outcomes, file, changes: [], made: false, forgotten: undefined, notices: [] };
}

type SummaryDeps = Pick<AgentCallDeps, 'files' | 'state' | 'folders' | 'clock' | 'unchecked'>;

/** Summary for a prompt of the board that an agent works on; undefined if the session has none. */
export async function promptSummary(
  deps: SummaryDeps,
  context: CallContext,
): Promise<string | undefined> {
  const { files, state, clock } = deps;
  const { bound } = context;
  const path = await summaryBoardPath(deps, context);
  const file = path === undefined ? undefined : files.cached(path);
  if (path === undefined || file === undefined) return undefined;
  const place = path.slice(files.root.length + 1);
  const text = await state.seen(place);
  const saw = text === undefined ? undefined : parseNote(path, text);
  const seen = saw?.board;
  const { note } = file;
  const told = note && asShownToAgent(note, note, saw, await readTypedLine(state, place, clock));
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

async function summaryBoardPath(
  { folders }: SummaryDeps,
  { sessionId, agent, bound }: CallContext,
): Promise<string | undefined> {
  if (sessionId === undefined || !isValidSessionId(sessionId)) return undefined;
  if (bound === undefined) return folders.current(sessionId, agent);
  const { files } = await folders.boards(await folders.folder(sessionId));
  return files.get(bound.agent)?.board.path;
}
