import { StoreError, type Clock, type Ids, type Log, type NoteStore, type Undo } from '../ports';
import { promptSummary, runCall, type AgentCallDeps } from './agent-call';
import { refuseCall, type TasksAnswer } from './answer/write-answer';
import { BoardNaming } from './names/name-boards';
import { NamedStore } from './names/named-store';
import { Archives } from './archive/archives';
import { BoardEvents, type BoardChange, type BoardMove } from './board-change';
import { BoardFiles } from './board-files';
import type { CacheMeter } from '../cache';
import { Prefixes } from './prefixes';
import { boundFault, checkCall, type AgentCall, type BoundTo, type CallContext } from './call-plan';
import { Checkpoints } from './checkpoint/checkpoints';
import { PERSON, type Actor } from './history/actor';
import {
  Histories,
  historyEntries,
  type AuthoredChanges,
  type HistoryEntry,
} from './history/histories';
import type { ChangeRecord } from './history/change-record';
export type { BoardWritten } from './history/board-writer';
import { BoardWriter, replacePlan, type BoardWritten } from './history/board-writer';
import { UndoChanges, type UndoAnswer } from './history/undo-changes';
import { KeyedQueue } from '../keyed-queue';
import { TodoMirror, type MirrorAnswer, type Todo } from './mirror/todo-mirror';
import { withHeaderKey } from './note/edit-header';
import type { Note } from './note/note';
import { PendingMoves } from './pending-moves';
import { SessionFolders, type BoardPlace, type BoardsOfSession } from './session-boards';
import { STATE_ROOT, StateFiles } from './state-file';
import { Successions } from './succession';
import type { Board, ReviewMode, Task, TaskTarget } from './task';
import { transferTasks, type Transferred, type TransferPlace } from './transfer';
import { fault, type Fault } from '../fault';

export { STATE_ROOT } from './state-file';
export type { TasksAnswer } from './answer/write-answer';
export type { BoardChange } from './board-change';
export type { CallContext } from './call-plan';
export type { Actor } from './history/actor';
export type { HistoryEntry } from './history/histories';
export type { UndoAnswer } from './history/undo-changes';

/** Where boards live, relative to the vault, unless set otherwise. */
export const BOARD_ROOT = '.opencode/todos';

export interface TodoManagerDeps extends Pick<AgentCallDeps, 'unchecked'> {
  /** a NamedStore is used as it is; over any other one is made */
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly root?: string | undefined;
  readonly stateRoot?: string | undefined;
  /** what a call without a session gets: a session of its own, or a refusal (X2) */
  readonly defaultSession?: 'isolate' | 'refuse' | undefined;
  readonly log?: Log;
}

/** The single source of plans: one board per session and agent, each a note. */
export class TodoManager {
  /** the vault's files, boards by their plain paths */
  readonly notes: NamedStore;
  private readonly files: BoardFiles;
  private readonly state: StateFiles;
  private readonly folders: SessionFolders;
  private readonly calls: AgentCallDeps;
  private readonly histories: Histories;
  private readonly archives: Archives;
  private readonly writer: BoardWriter;
  private readonly undos: UndoChanges;
  private readonly mirror: TodoMirror;
  /** states of boards to go back to */
  readonly checkpoints: Checkpoints;
  /** tasks that go to another board */
  readonly moves: PendingMoves;
  /** plans that go on in another session */
  readonly successions: Successions;
  /** what the files of boards are called */
  readonly naming: BoardNaming;
  private readonly events: BoardEvents;
  private readonly sessions = new KeyedQueue();

  constructor(private readonly deps: TodoManagerDeps) {
    const { clock, ids, unchecked } = deps;
    const root = deps.root ?? BOARD_ROOT;
    const store = deps.store instanceof NamedStore ? deps.store : new NamedStore(deps.store, root);
    this.notes = store;
    this.events = new BoardEvents(deps.log);
    const changed = (move: BoardMove): void => this.events.emit(move);
    this.files = new BoardFiles(store, root, clock, changed, deps.log);
    this.state = new StateFiles(store, deps.stateRoot ?? STATE_ROOT, deps.log);
    const prefixes = new Prefixes(this.files, this.state, ids);
    this.histories = new Histories(this.state, this.files.root, clock, ids);
    this.archives = new Archives(store);
    const { files, state, histories, archives, sessions } = this;
    const folders = new SessionFolders(files, state, prefixes, archives);
    const writer = new BoardWriter(files, histories, archives, state, clock);
    this.folders = folders;
    this.writer = writer;
    this.calls = { files, state, folders, prefixes, clock, histories, archives, writer, unchecked };
    this.moves = new PendingMoves(files, writer, state, histories);
    this.undos = new UndoChanges(files, writer, histories, archives, this.moves);
    this.mirror = new TodoMirror(state, folders, sessions, clock, writer, deps.log);
    this.checkpoints = new Checkpoints(state, store, files.root, clock, writer);
    this.successions = new Successions(files, folders, writer);
    this.naming = new BoardNaming(store, state, async () => {
      await files.scan();
      return files.all();
    });
  }

  /** The tool `tasks`. Never throws for what a caller sent: a call that is refused says so. */
  async call(context: CallContext, args: unknown): Promise<TasksAnswer> {
    const checked = checkCall(context, args, this.deps.defaultSession);
    if (!checked.ok) return refuseCall(checked.session, context.agent, checked);
    const { call } = checked;
    return this.sessions.run(call.session, () => this.run(call));
  }

  /** Where the session's folder can't even be looked at, nothing was done yet. */
  private async run(call: AgentCall): Promise<TasksAnswer> {
    try {
      const answer = await runCall(this.calls, call);
      await this.mirror.end(call.session);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const message = `Nothing was done: ${error.message}`;
      return refuseCall(call.session, call.agent, { code: error.code, message });
    }
  }

  /**
   * A list of OpenCode's own `todowrite`, on the board of the session and agent; until the session
   * calls `tasks` for the first time, also in another program or before a restart.
   * @throws StoreError where nothing could be remembered; nothing was written then
   */
  mirrorTodos(
    { sessionId, agent, sessionTitle }: CallContext,
    todos: readonly Todo[],
  ): Promise<MirrorAnswer> {
    return this.mirror.mirror({ session: sessionId ?? '', agent, title: sessionTitle }, todos);
  }

  /**
   * Operations on one board, in one write: all of them, or none. Which they are may depend on the
   * note as it is at that moment; `replace` alone makes a note where there is none.
   */
  readonly commit: BoardWriter['commit'] = (...change) => this.writer.commit(...change);

  /** What `commit` would make of a board's text for the person, without writing. */
  readonly preview: BoardWriter['preview'] = (...change) => this.writer.preview(...change);

  /** Moves tasks to another board: a change of each, to be taken back together. */
  transfer(
    from: string,
    tasks: readonly TaskTarget[],
    to: string,
    place?: TransferPlace,
  ): Promise<Transferred | Fault> {
    const { files, writer, histories, moves: pending } = this;
    return transferTasks({ files, writer, histories, pending }, from, tasks, to, place);
  }

  /**
   * Has views leave a board out until it is asked for again (`shelved: true` in its header), or show
   * it again. Programs work on it as before.
   */
  shelve(path: string, shelved: boolean): Promise<BoardWritten> {
    const said = shelved ? 'Put away.' : 'Brought back.';
    const make = (note: Note | undefined): Note | Fault =>
      note === undefined
        ? fault('unknown_board', `${path} is gone.`)
        : withHeaderKey(note, 'shelved', shelved ? 'true' : null);
    return replacePlan(this.writer, path, PERSON, make, { said, closed: 'write' });
  }

  /**
   * Says which completions of agents wait for the person's review (`review` in the header), beside
   * those of `approve: me`; undefined: none. What waits already goes on waiting.
   */
  review(path: string, mode: ReviewMode | undefined): Promise<BoardWritten> {
    const said = `Reviews by the person: ${mode ?? 'off'}.`;
    const make = (note: Note | undefined): Note | Fault => {
      if (note === undefined) return fault('unknown_board', `${path} is gone.`);
      const now = withHeaderKey(note, 'review', mode ?? null);
      return now.board.review === mode ? now : fault('bad_value', REVIEW_STAYS);
    };
    return replacePlan(this.writer, path, PERSON, make, { said });
  }

  /** The tasks in a board's archive, in the order of its lines; none where there is no archive or it can't be read. */
  async archived(path: string): Promise<readonly Task[]> {
    return (await this.archives.read(path))?.board.tasks ?? [];
  }

  /**
   * The path of the board of a session and agent, and the text of a new board with this title, for callers
   * that `replace` it.
   */
  place(session: string, agent: string, title?: string): Promise<BoardPlace> {
    return this.folders.place(session, agent, title);
  }

  /** Where the board of a session and agent stands, or would; nothing is made for it. */
  pathOf(session: string, agent: string): Promise<string> {
    return this.folders.path(session, agent);
  }

  /** What was done to a board, newest first; at most the last 200 changes are known. @throws StoreError */
  async history(path: string, limit = 200): Promise<readonly HistoryEntry[]> {
    return historyEntries(await this.histories.records(path), limit);
  }

  /** The same with the lines as they were and became, oldest first; none where it can't be read. */
  changes(path: string): Promise<readonly ChangeRecord[]> {
    return this.histories.recordsIfReadable(path);
  }

  /** What differs between the two states of a change, by author. */
  authored(change: BoardChange): Promise<readonly AuthoredChanges[]> {
    return this.histories.authored(change, this.files.known(change.path)?.note);
  }

  /** Takes back a person's change or an import by its name; refused where its tasks changed since. */
  undo(change: string): Promise<UndoAnswer> {
    return this.undos.undo(change);
  }

  /** Takes back the last change of `by` that stands, whichever program made it. */
  undoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return this.undos.undoLast(path, by);
  }

  /** Does again what `undoLast` or `undo` took back last, unless `by` did something else since. */
  redoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return this.undos.redoLast(path, by);
  }

  /** All boards as last seen, sorted by path; those that can't be read too (`board.broken`). */
  boards(): readonly Board[] {
    return this.files.all();
  }

  /** How the boards that are kept did: for a report. */
  get meter(): CacheMeter {
    return this.files.meter;
  }

  /** Looks at every note whose time or size moved; calls at the same time share one run. */
  scan(): Promise<void> {
    return this.files.scan();
  }

  /** The boards of one session; no note of another is read. */
  inSession(session: string): Promise<BoardsOfSession> {
    return this.folders.ofSession(session);
  }

  /** The ids of the sessions that have a board, sorted; no note is read. */
  sessionIds(): Promise<readonly string[]> {
    return this.folders.ids();
  }

  /** One board from disk now. */
  async load(path: string): Promise<Board | undefined> {
    return (await this.files.load(path, false))?.board;
  }

  /** Why a session can't be started for a board of `session`; undefined where it can. */
  boundFault(session: string, bound: BoundTo): Promise<Fault | undefined> {
    return boundFault(this.calls, session, bound);
  }

  onChange(listener: (change: BoardChange) => void): Undo {
    return this.events.on(listener);
  }

  /**
   * The summary for a prompt of the board that this agent works on, at most 40 lines and 4,096 bytes;
   * undefined if the session has none. It does not count as a look: a person's changes are reported again.
   */
  async summary(context: CallContext): Promise<string | undefined> {
    return promptSummary(this.calls, context);
  }
}

const REVIEW_STAYS =
  'The header of this note says "review" in another form. Correct the line in the note, or remove it.';
