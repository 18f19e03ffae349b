import type { Board } from '../../board/task';
import type { BoardChange } from '../../board/board-change';
import type { Session } from '../../session/session';
import type { SessionEvent } from '../../session/session-event-bus';
import type { RunCommand } from '../command';
import type { RunAction, RunEvent } from '../event';
import { lookAtPlan, type PlanLook } from '../plan-look';
import { stepsOf, type RunAnswer } from '../runs';
import type { RunState, StartedRun } from '../state';
import { step } from '../step';
import { CommandQueue } from './command-queue';
import type { CarriedRun, PendingEvent } from './carried-run';
import { EventQueue, type Item } from './pending-events';
import { hearing, kinOf, SessionLooks, sessionsOf } from './run-sessions';
import { NoteKeeper } from './run-note';
import type { OrchestratorDeps, OwnAsk } from './orchestrator-deps';
import type { RunFiles } from './run-files';
import { boardThen, byPerson, isPlanOf, lookThen, movedTasks, RunBoard } from './run-board';
import type { RunJournal } from './run-journal';
import { Alarm, Backoff } from './timers';

interface DriverEvents {
  /** the run, or its board, changed */
  changed(): void;
  /** the event queue is empty for now */
  rested(): void;
  /** another program has taken the run over */
  superseded(): void;
}

/** Carries out one run: feeds events to its state machine and executes the commands that result. */
export class RunDriver implements CarriedRun {
  readonly waits: Backoff;
  readonly board: RunBoard;
  readonly sent = new Map<string, number>();
  readonly #queue: EventQueue;
  readonly #commands: CommandQueue;
  readonly #looks: SessionLooks;
  readonly #note: NoteKeeper;
  readonly #wake: Alarm;
  /** the plan at the last event before this program took the run up */
  #left: PlanLook | undefined;

  constructor(
    readonly deps: OrchestratorDeps,
    readonly files: RunFiles,
    readonly journal: RunJournal,
    private readonly events: DriverEvents,
  ) {
    this.waits = new Backoff(deps.clock, deps.link);
    this.board = new RunBoard(deps.boards, () => this.state);
    this.#commands = new CommandQueue(this);
    this.#looks = new SessionLooks(this, this.#commands);
    this.#wake = new Alarm(deps.clock, () => this.hear({ type: 'time' }));
    this.#note = new NoteKeeper(this);
    this.#queue = new EventQueue(
      this,
      (item) => this.#take(item),
      () => this.#rests(),
      () => events.superseded(),
    );
  }

  get id(): string {
    return this.journal.id;
  }

  get state(): RunState {
    return this.journal.now.state;
  }

  get fault(): string | null {
    return this.#queue.fault ?? this.#commands.trouble;
  }

  /** Whether no event is queued and no command is under way. */
  get still(): boolean {
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
    for (const what of this.journal.untold) this.deps.tell(this.id, what);
    this.#left = this.journal.last?.plan;
    const acted = first && this.act(first);
    this.hear({ type: 'board', byPerson: [] });
    this.hear({ type: 'restarted' });
    this.linked();
    void this.#since(this.#left);
    return (await acted) ?? { ok: true, value: undefined };
  }

  hear(event: PendingEvent): void {
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
    return this.journal.now.taken.includes(name);
  }

  /** Call when the connection came back or was lost. */
  linked(): void {
    const up = this.deps.link.up();
    this.hear((state) =>
      'run' in state && state.run.linked === up && !up ? undefined : { type: 'linked', up },
    );
    if (up) this.#looks.all();
  }

  onSession(event: SessionEvent, sessions: () => readonly Session[]): void {
    this.#looks.alive(event.sessionId);
    const heard = hearing(event, this.state, sessions);
    if (heard === 'look') this.#looks.one(event.sessionId);
    else if (heard !== undefined) this.hear(heard);
  }

  onAsk(ask: OwnAsk, type: 'asked' | 'answered' | 'lapsed'): void {
    const sessionId = kinOf(sessionsOf(this.state), this.deps.sessions(), ask.sessionId);
    if (sessionId === undefined) return;
    const about = type === 'asked' && ask.what !== undefined ? { what: ask.what } : {};
    this.hear({ type, sessionId, request: ask.requestId, ...about });
  }

  onBoard(change: BoardChange): void {
    if (!isPlanOf(this.state, change)) return;
    const { before, board, by } = change;
    const then = boardThen(before);
    const moved = before === undefined ? [] : movedTasks(then, board);
    this.hear({ type: 'board', byPerson: by === 'person' ? [...moved] : [] });
    if (by === 'disk' && board !== undefined) void this.#askWho(then, board, moved);
    this.changed();
  }

  /**
   * Called every 2 s: looks for changes by other programs and editors, and for sessions that have
   * fallen silent.
   */
  tick(): void {
    void this.#noted(this.board.load());
    this.#looks.silent();
    this.#wake.look(this.state);
  }

  /**
   * Stops all requests. The result of a command that is under way is found when the run is taken up
   * again.
   */
  async close(): Promise<void> {
    this.waits.close();
    this.#wake.close();
    await Promise.all([this.#queue.close(), this.#commands.close(), this.#note.close()]);
  }

  async #take({ at, event: pending, action }: Item): Promise<void> {
    const before = this.state;
    const event = typeof pending === 'function' ? pending(before) : pending;
    if (event === undefined) return;
    const plan = lookAtPlan(await this.board.load());
    const happening = { at, plan, event };
    const [after, commands] = step(before, happening);
    const stored = commands.every(({ type }) => type === 'store');
    if (action === undefined && sameButTime(before, after) && stored) return;
    await this.journal.add(happening, after, action);
    if (this.waits.closed) return;
    const refused = event.type === 'refused' ? this.#commands.orderOf(event.key) : undefined;
    this.#commands.settle();
    for (const command of commands) this.#do(command, event, plan);
    this.changed();
    // A write does not see changes during its execution, so report again what a person changed
    // since it was requested.
    if (refused?.command.type === 'write') void this.#since(refused.plan);
  }

  #do(command: RunCommand, event: RunEvent, now: PlanLook): void {
    if (command.type === 'store') return;
    if (command.type === 'tell') return this.deps.tell(this.id, command.what);
    const again = event.type === 'restarted';
    const own = stepsOf(this).find(({ doing }) => 'key' in doing && doing.key === command.key);
    const plan = again ? this.#left : now;
    this.#commands.give({ command, again, plan, since: own?.since ?? 0 });
  }

  /** Reports what a person changed on the board since `look`. */
  #since(look: PlanLook | undefined): Promise<void> {
    const ask = async (): Promise<void> => {
      const then = lookThen(look);
      const board = then && (await this.board.load());
      if (then && board) await this.#askWho(then, board, movedTasks(then, board));
    };
    return this.#noted(ask());
  }

  /** Finds out which of the moved tasks a person moved, and reports them to the run. */
  async #askWho(
    then: ReturnType<typeof boardThen>,
    board: Board,
    moved: readonly string[],
  ): Promise<void> {
    if (moved.length === 0) return;
    const wait = (ms: number): Promise<boolean> => this.waits.time(ms);
    const theirs = await byPerson(this.deps.boards.manager(), then, board, moved, wait);
    if (theirs.length > 0) this.hear({ type: 'board', byPerson: [...theirs] });
  }

  #rests(): void {
    this.#note.want();
    if (this.#queue.fault === null) this.#wake.plan(this.state);
    this.events.rested();
  }

  async #noted(look: Promise<unknown>): Promise<void> {
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
function sameButTime(before: RunState, after: RunState): boolean {
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
