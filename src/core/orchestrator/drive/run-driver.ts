import type { Board } from '../../board/task';
import type { BoardChange } from '../../board/board-change';
import type { Session } from '../../session/session';
import type { SessionEvent } from '../../session/session-event-bus';
import type { RunCommand } from '../command';
import type { RunAction, RunEvent } from '../event';
import { planSnapshotOf, type PlanSnapshot } from '../plan-snapshot';
import { stepsOf, type RunAnswer } from '../runs';
import type { RunState, StartedRun } from '../state';
import { step } from '../step';
import { CommandQueue } from './command-queue';
import type { DrivenRun, PendingEvent } from './driven-run';
import { EventQueue, type QueuedEvent } from './pending-events';
import { interpretEvent, runSessionOf, SessionStatusChecks, sessionsOf } from './run-sessions';
import { RunNoteWriter } from './run-note';
import type { OrchestratorDeps, ToolRequest } from './orchestrator-deps';
import type { RunFiles } from './run-files';
import {
  statusesOnBoard,
  changedByPerson,
  isPlanOf,
  statusesInSnapshot,
  movedTasks,
  RunBoard,
} from './run-board';
import type { RunJournal } from './run-journal';
import { Alarm, Backoff } from './timers';

interface DriverEvents {
  /** the run, or its board, changed */
  changed(): void;
  /** the event queue is empty for now */
  idle(): void;
  /** another program has taken the run over */
  superseded(): void;
}

/** Carries out one run: feeds events to its state machine and executes the commands that result. */
export class RunDriver implements DrivenRun {
  readonly backoff: Backoff;
  readonly board: RunBoard;
  readonly promptCounts = new Map<string, number>();
  readonly #queue: EventQueue;
  readonly #commands: CommandQueue;
  readonly #statusChecks: SessionStatusChecks;
  readonly #note: RunNoteWriter;
  readonly #alarm: Alarm;
  /** the plan at the last event before this program took the run up */
  #planBefore: PlanSnapshot | undefined;

  constructor(
    readonly deps: OrchestratorDeps,
    readonly files: RunFiles,
    readonly journal: RunJournal,
    private readonly events: DriverEvents,
  ) {
    this.backoff = new Backoff(deps.clock, deps.link);
    this.board = new RunBoard(deps.boards, () => this.state);
    this.#commands = new CommandQueue(this);
    this.#statusChecks = new SessionStatusChecks(this, this.#commands);
    this.#alarm = new Alarm(deps.clock, () => this.enqueue({ type: 'time' }));
    this.#note = new RunNoteWriter(this);
    this.#queue = new EventQueue(
      this,
      (item) => this.#take(item),
      () => this.#onIdle(),
      () => events.superseded(),
    );
  }

  get id(): string {
    return this.journal.id;
  }

  get state(): RunState {
    return this.journal.current.state;
  }

  get fault(): string | null {
    return this.#queue.fault ?? this.#commands.boardFault;
  }

  /** Whether no event is queued and no command is under way. */
  get isIdle(): boolean {
    return this.#queue.empty && !this.#commands.busy;
  }

  changed(): void {
    this.events.changed();
  }

  /**
   * Continues a stored run: gives it the events that it missed, and requests all owed commands
   * again.
   * @param first an action of the person to apply before that
   */
  async resume(first?: RunAction): Promise<RunAnswer<undefined>> {
    for (const what of this.journal.pendingUpdates) this.deps.notify(this.id, what);
    this.#planBefore = this.journal.last?.plan;
    const acted = first && this.act(first);
    this.enqueue({ type: 'board', byPerson: [] });
    this.enqueue({ type: 'restarted' });
    this.linkChanged();
    void this.#reportChangesSince(this.#planBefore);
    return (await acted) ?? { ok: true, value: undefined };
  }

  enqueue(event: PendingEvent): void {
    this.#queue.put({ at: this.deps.clock.now(), event });
  }

  /** @param name of the action, if it came through the inbox */
  async act(event: RunEvent, name?: string): Promise<RunAnswer<undefined>> {
    if (name !== undefined && this.wasTaken(name)) return { ok: true, value: undefined };
    const at = this.deps.clock.now();
    return new Promise((settle) => {
      this.#queue.put({ at, event, settle, ...(name !== undefined && { action: name }) });
    });
  }

  wasTaken(name: string): boolean {
    return this.journal.current.taken.includes(name);
  }

  /** Call when the connection came back or was lost. */
  linkChanged(): void {
    const up = this.deps.link.isUp();
    this.enqueue((state) =>
      'run' in state && state.run.linked === up && !up ? undefined : { type: 'linked', up },
    );
    if (up) this.#statusChecks.checkAll();
  }

  onSession(event: SessionEvent, sessions: () => readonly Session[]): void {
    this.#statusChecks.noteActivity(event.sessionId);
    const runEvent = interpretEvent(event, this.state, sessions);
    if (runEvent === 'look') this.#statusChecks.check(event.sessionId);
    else if (runEvent !== undefined) this.enqueue(runEvent);
  }

  onRequest(ask: ToolRequest, type: 'asked' | 'answered' | 'lapsed'): void {
    const sessionId = runSessionOf(sessionsOf(this.state), this.deps.sessions(), ask.sessionId);
    if (sessionId === undefined) return;
    const about = type === 'asked' && ask.what !== undefined ? { what: ask.what } : {};
    this.enqueue({ type, sessionId, request: ask.requestId, ...about });
  }

  onBoard(change: BoardChange): void {
    if (!isPlanOf(this.state, change)) return;
    const { before, board, by } = change;
    const earlier = statusesOnBoard(before);
    const moved = before === undefined ? [] : movedTasks(earlier, board);
    this.enqueue({ type: 'board', byPerson: by === 'person' ? [...moved] : [] });
    if (by === 'disk' && board !== undefined)
      void this.#reportPersonsChanges(earlier, board, moved);
    this.changed();
  }

  /**
   * Called every 2 s: looks for changes by other programs and editors, and for sessions that have
   * fallen silent.
   */
  tick(): void {
    void this.#logFailure(this.board.load());
    this.#statusChecks.checkSilent();
    this.#alarm.checkClock(this.state);
  }

  /**
   * Stops all requests. The result of a command that is under way is found when the run is taken up
   * again.
   */
  async close(): Promise<void> {
    this.backoff.close();
    this.#alarm.close();
    await Promise.all([this.#queue.close(), this.#commands.close(), this.#note.close()]);
  }

  async #take({ at, event: pending, action }: QueuedEvent): Promise<void> {
    const before = this.state;
    const event = typeof pending === 'function' ? pending(before) : pending;
    if (event === undefined) return;
    const plan = planSnapshotOf(await this.board.load());
    const record = { at, plan, event };
    const [after, commands] = step(before, record);
    const stored = commands.every(({ type }) => type === 'store');
    if (action === undefined && differsOnlyInTime(before, after) && stored) return;
    await this.journal.add(record, after, action);
    if (this.backoff.closed) return;
    const refused = event.type === 'refused' ? this.#commands.requestOf(event.key) : undefined;
    this.#commands.dropExecuted();
    for (const command of commands) this.#execute(command, event, plan);
    this.changed();
    // A write does not see changes during its execution, so report again what a person changed
    // since it was requested.
    if (refused?.command.type === 'write') void this.#reportChangesSince(refused.plan);
  }

  #execute(command: RunCommand, event: RunEvent, now: PlanSnapshot): void {
    if (command.type === 'store') return;
    if (command.type === 'tell') return this.deps.notify(this.id, command.what);
    const again = event.type === 'restarted';
    const own = stepsOf(this).find(({ doing }) => 'key' in doing && doing.key === command.key);
    const plan = again ? this.#planBefore : now;
    this.#commands.enqueue({ command, isRepeat: again, plan, since: own?.since ?? 0 });
  }

  /** Reports what a person changed on the board since `look`. */
  #reportChangesSince(snapshot: PlanSnapshot | undefined): Promise<void> {
    const ask = async (): Promise<void> => {
      const earlier = statusesInSnapshot(snapshot);
      const board = earlier && (await this.board.load());
      if (earlier && board)
        await this.#reportPersonsChanges(earlier, board, movedTasks(earlier, board));
    };
    return this.#logFailure(ask());
  }

  /** Finds out which of the moved tasks a person moved, and reports them to the run. */
  async #reportPersonsChanges(
    earlier: ReturnType<typeof statusesOnBoard>,
    board: Board,
    moved: readonly string[],
  ): Promise<void> {
    if (moved.length === 0) return;
    const wait = (ms: number): Promise<boolean> => this.backoff.wait(ms);
    const theirs = await changedByPerson(this.deps.boards.manager(), earlier, board, moved, wait);
    if (theirs.length > 0) this.enqueue({ type: 'board', byPerson: [...theirs] });
  }

  #onIdle(): void {
    this.#note.schedule();
    if (this.#queue.fault === null) this.#alarm.set(this.state);
    this.events.idle();
  }

  async #logFailure(look: Promise<unknown>): Promise<void> {
    try {
      await look;
    } catch (error) {
      this.deps.log.note('The board of a run could not be read.', {
        at: 'run.board',
        severity: 'error',
        error: String(error),
      });
    }
  }
}

/** Whether only the time differs: then there is nothing to store. */
function differsOnlyInTime(before: RunState, after: RunState): boolean {
  if (before === after) return true;
  if (before.kind === 'idle' || after.kind === 'idle') return false;
  // Times that are set back with the clock must be stored, even if nothing else changed.
  if (after.run.at < before.run.at) return false;
  // Append-only lists are new arrays when they have grown, so most of a long run need not be
  // compared.
  const timeline = after.run.timeline === before.run.timeline;
  const done = after.run.done === before.run.done;
  return timeline && done && text(before) === text(after);
}

function text(state: StartedRun): string {
  const { run } = state;
  const timeless = { ...run, at: 0, used: { ...run.used, ms: 0 }, timeline: [], done: [] };
  return JSON.stringify({ ...state, run: timeless });
}
