import { StoreError, type Clock, type Ids, type Log, type NoteStore, type Undo } from '../ports';
import { promptSummary, runCall, type AgentCallDeps } from './agent-call';
import { refuseCall, type TasksAnswer } from './answer/write-answer';
import { BoardNaming } from './names/name-boards';
import { NamedStore } from './names/named-store';
import { Archives } from './archive/archives';
import { BoardEvents, type BoardChange, type BoardFileChange } from './board-change';
import { BoardFiles } from './board-files';
import type { CacheMeter } from '../cache';
import { Prefixes } from './prefixes';
import { taskInProgress } from './my-tasks';
import {
  boundFault,
  boundTasks,
  changeableTasks,
  checkCall,
  type AgentCall,
  type BoardBinding,
  type CallContext,
} from './call-plan';
import { Checkpoints } from './checkpoint/checkpoints';
import { PERSON, type Actor } from './history/actor';
import {
  Histories,
  historyEntries,
  type AuthoredChanges,
  type HistoryEntry,
} from './history/histories';
import type { ChangeRecord } from './history/change-record';
export type { CommitResult } from './history/board-writer';
import { BoardWriter, replacePlan, type CommitResult } from './history/board-writer';
import { UndoChanges, type UndoAnswer } from './history/undo-changes';
import { KeyedQueue } from '../keyed-queue';
import { TodoMirror, type MirrorAnswer, type Todo } from './mirror/todo-mirror';
import { withHeaderKey } from './note/edit-header';
import type { Note } from './note/note';
import { goneFault, PendingMoves } from './pending-moves';
import { SessionFolders, type BoardPlace, type SessionBoardList } from './session-boards';
import { STATE_ROOT, StateFiles } from './state-file';
import { Successions } from './succession';
import type { Board, ReviewMode, Task, TaskTarget } from './task';
import { transferTasks, type Transferred, type TransferPlace } from './transfer';
import { refuseChange } from './change-faults';
import { catchStoreError, type Fault } from '../fault';

export { STATE_ROOT } from './state-file';
export type { TasksAnswer } from './answer/write-answer';
export type { BoardChange } from './board-change';
export type { CallContext } from './call-plan';
export type { Actor } from './history/actor';
export type { HistoryEntry } from './history/histories';
export type { UndoAnswer } from './history/undo-changes';

/** Default folder of boards, relative to the vault. */
export const BOARD_ROOT = '.opencode/todos';

export interface TodoManagerDeps extends Pick<AgentCallDeps, 'unchecked'> {
  /** wrapped in a NamedStore unless it already is one */
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly root?: string | undefined;
  readonly stateRoot?: string | undefined;
  /** whether a call without a session gets a session of its own or is refused (X2) */
  readonly defaultSession?: 'isolate' | 'refuse' | undefined;
  readonly log?: Log;
}

/** Reads and changes all boards: one board per session and agent, each a note in the vault. */
export class TodoManager {
  /** the vault's files; boards are addressed by their plain paths */
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
  /** saved states of boards that can be restored */
  readonly checkpoints: Checkpoints;
  /** moves of tasks between boards */
  readonly moves: PendingMoves;
  /** plans that continue in another session */
  readonly successions: Successions;
  /** names of the board files */
  readonly naming: BoardNaming;
  private readonly events: BoardEvents;
  private readonly sessions = new KeyedQueue();

  constructor(private readonly deps: TodoManagerDeps) {
    const { clock, ids, unchecked } = deps;
    const root = deps.root ?? BOARD_ROOT;
    const store = deps.store instanceof NamedStore ? deps.store : new NamedStore(deps.store, root);
    this.notes = store;
    this.events = new BoardEvents(deps.log);
    const changed = (move: BoardFileChange): void => this.events.emit(move);
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

  /**
   * Runs a call of the tool `tasks`. Never throws because of the arguments: a refused call returns
   * an answer that says why.
   */
  async call(context: CallContext, args: unknown): Promise<TasksAnswer> {
    const checked = checkCall(context, args, this.deps.defaultSession);
    if (!checked.ok) return refuseCall(checked.session, context.agent, checked);
    const { call } = checked;
    return this.sessions.run(call.session, () => this.run(call));
  }

  /** A `StoreError` here means that the session's folder is unreadable and nothing was changed. */
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
   * Mirrors a list of OpenCode's own `todowrite` to the board of the session and agent. Stops for
   * good once the session has called `tasks`, also in another program or before a restart.
   * @throws StoreError if the mirror's state could not be stored; nothing was written then
   */
  mirrorTodos(
    { sessionId, agent, sessionTitle }: CallContext,
    todos: readonly Todo[],
  ): Promise<MirrorAnswer> {
    return this.mirror.mirror({ session: sessionId ?? '', agent, title: sessionTitle }, todos);
  }

  /**
   * Applies operations to one board in one write: all of them, or none. They may be chosen from the
   * note as it is at that moment. Only `replace` creates a note that does not exist.
   */
  readonly commit: BoardWriter['commit'] = (...change) => this.writer.commit(...change);

  /** Returns the text that `commit` would write for the person, without writing it. */
  readonly preview: BoardWriter['preview'] = (...change) => this.writer.preview(...change);

  /** Moves tasks to another board: one change of each board, undone together. */
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
   * Hides a board in views until the person asks for it (`shelved: true` in its header), or shows
   * it again. Programs work on it as before.
   */
  setHidden(path: string, shelved: boolean): Promise<CommitResult> {
    const said = shelved ? 'Put away.' : 'Brought back.';
    const make = (note: Note | undefined): Note | Fault =>
      note === undefined
        ? goneFault(path)
        : withHeaderKey(note, 'shelved', shelved ? 'true' : null);
    return replacePlan(this.writer, path, PERSON, make, { said, closed: 'write' });
  }

  /**
   * Sets which completions by agents wait for the person's review (`review` in the header), besides
   * those of `approve: me`; undefined: none. Tasks that already wait keep waiting.
   */
  review(path: string, mode: ReviewMode | undefined): Promise<CommitResult> {
    const said = `Reviews by the person: ${mode ?? 'off'}.`;
    const make = (note: Note | undefined): Note | Fault => {
      if (note === undefined) return goneFault(path);
      const now = withHeaderKey(note, 'review', mode ?? null);
      return now.board.review === mode ? now : refuseChange('bad_value', 'reviewStays');
    };
    return replacePlan(this.writer, path, PERSON, make, { said });
  }

  /**
   * The tasks in a board's archive, in the order of its lines; empty if there is no archive.
   * @throws StoreError if it can't be read
   */
  async archived(path: string): Promise<readonly Task[]> {
    return (await this.archives.read(path))?.board.tasks ?? [];
  }

  /**
   * The path of the board of a session and agent, and the text of a new board with this title, for
   * callers that `replace` it.
   */
  place(session: string, agent: string, title?: string): Promise<BoardPlace> {
    return this.folders.place(session, agent, title);
  }

  /** Path of the board of a session and agent, whether it exists or not. Creates nothing. */
  pathOf(session: string, agent: string): Promise<string> {
    return this.folders.path(session, agent);
  }

  /** The changes of a board, newest first; only the last 200 are known. @throws StoreError */
  async history(path: string, limit = 200): Promise<readonly HistoryEntry[]> {
    return historyEntries(await this.histories.records(path), limit);
  }

  /** The changes with their lines before and after, oldest first; empty if unreadable. */
  changes(path: string): Promise<readonly ChangeRecord[]> {
    return this.histories.recordsIfReadable(path);
  }

  /** Path of the board that a change was made on; undefined for an invalid id. */
  boardOf(change: string): string | undefined {
    return this.histories.boardOf(change);
  }

  /** The differences between the two states of a change, by author. */
  changesByAuthor(change: BoardChange): Promise<readonly AuthoredChanges[]> {
    return this.histories.changesByAuthor(change, this.files.cached(change.path)?.note);
  }

  /** Undoes a person's change or an import by its id; refused if its tasks changed since. */
  undo(change: string): Promise<UndoAnswer> {
    return this.undos.undo(change);
  }

  /** Undoes the last change by `by` that is not undone yet, whichever program made it. */
  undoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return this.undos.undoLast(path, by);
  }

  /** Redoes what `undoLast` or `undo` undid last, unless `by` changed something else since. */
  redoLast(path: string, by: Actor): Promise<UndoAnswer> {
    return this.undos.redoLast(path, by);
  }

  /** All boards as last read, sorted by path, including unreadable ones (`board.broken`). */
  boards(): readonly Board[] {
    return this.files.all();
  }

  /** Hits and misses of the cache of boards, for a report. */
  get meter(): CacheMeter {
    return this.files.meter;
  }

  /** Reads every note whose modification time or size changed; concurrent calls share one scan. */
  scan(): Promise<void> {
    return this.files.scan();
  }

  /** The boards of one session; no note of another is read. */
  inSession(session: string): Promise<SessionBoardList> {
    return this.folders.ofSession(session);
  }

  /** The ids of the sessions that have a board, sorted; no note is read. */
  sessionIds(): Promise<readonly string[]> {
    return this.folders.ids();
  }

  /** Reads one board from the disk. */
  async load(path: string): Promise<Board | undefined> {
    return (await this.files.load(path, false))?.board;
  }

  /** Why a session can't be started for a board of `session`; undefined if it can. */
  boundFault(session: string, bound: BoardBinding): Promise<Fault | undefined> {
    return boundFault(this.calls, session, bound);
  }

  onChange(listener: (change: BoardChange) => void): Undo {
    return this.events.on(listener);
  }

  /**
   * Id of the task that an agent works on: the one that its session was started for, else the one
   * in progress on its board; of several that it was started for, the one in progress there or
   * under them (TOOL31). Undefined if there is none or the board can't be read.
   */
  async taskOf({ sessionId = '', agent, bound }: CallContext): Promise<string | undefined> {
    if (bound?.task !== undefined) return bound.task;
    const { boards } = await catchStoreError(
      () => this.inSession(sessionId),
      () => ({ boards: [] }),
    );
    const board = boards.find((one) => one.agent === (bound?.agent ?? agent));
    if (board === undefined) return undefined;
    const tasks = bound === undefined ? board.tasks : changeableTasks(bound, board);
    const [only, ...more] = bound === undefined ? [] : boundTasks(bound, board);
    const task = taskInProgress([{ tasks }]) ?? (more.length === 0 ? only : undefined);
    return task?.id ?? undefined;
  }

  /**
   * A summary of the board that this agent works on, for a prompt: at most 40 lines and 4,096
   * bytes; undefined if the session has no board. Does not mark the board as seen: a person's
   * changes are reported again.
   */
  async summary(context: CallContext): Promise<string | undefined> {
    return promptSummary(this.calls, context);
  }
}
