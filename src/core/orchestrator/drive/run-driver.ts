import type { BoardChange } from '../../board/board-change';
import type { Session } from '../../session/session';
import type { SessionEvent } from '../../session/session-event-bus';
import type { RunCommand } from '../command';
import type { RunAction, RunEvent } from '../event';
import { lookAtPlan, type PlanLook } from '../plan-look';
import type { RunAnswer } from '../runs';
import type { RunState } from '../state';
import { step } from '../step';
import { CommandQueue } from './command-queue';
import { eventIn, EventQueue, stageOf, type Item, type PendingEvent } from './pending-events';
import { CommandExecutor, Sends } from './command-executor';
import { hearing, kinOf, SessionLooks, sessionsOf } from './run-sessions';
import { NoteKeeper } from './run-note';
import type { OrchestratorDeps, OwnAsk } from './orchestrator-deps';
import type { RunFiles, StoredRun } from './run-files';
import { RunBoard, StatusPeople } from './run-board';
import type { RunJournal } from './run-journal';
import { Alarm, Backoff } from './timers';

interface DriverPort {
  readonly deps: OrchestratorDeps;
  readonly files: RunFiles;
  /** the run, or its board, is another */
  changed(): void;
  /** nothing more is to be heard for now */
  rested(): void;
  /** another program carries the run out */
  superseded(): void;
}

type OwnAskEvent = 'asked' | 'answered' | 'lapsed';

/** One run that this program carries out: what happens to it goes in, what it asks for is done. */
export class RunDriver {
  readonly #queue: EventQueue;
  readonly #carrier: CommandQueue;
  readonly #waits: Backoff;
  readonly #looks: SessionLooks;
  readonly #people: StatusPeople;
  readonly #note: NoteKeeper;
  readonly #board: RunBoard;
  readonly #wake: Alarm;
  /** the plan as it was when the run was left */
  #left: PlanLook | undefined;

  constructor(
    private readonly port: DriverPort,
    private readonly journal: RunJournal,
  ) {
    const { deps, files } = port;
    const state = (): RunState => this.state;
    const hear = (word: PendingEvent): void => this.hear(word);
    const sends = new Sends();
    this.#waits = new Backoff(deps.clock, deps.link);
    this.#board = new RunBoard(deps.boards);
    this.#people = new StatusPeople(deps.boards, this.#waits, hear);
    const closed = (): boolean => this.#waits.closed;
    const { id } = journal;
    const hands = new CommandExecutor({
      deps,
      files,
      id,
      board: this.#board,
      state,
      sends,
      closed,
    });
    const changed = (): void => port.changed();
    this.#carrier = new CommandQueue(hands, deps, this.#waits, { state, hear, changed });
    this.#looks = new SessionLooks(deps, this.#waits, {
      state,
      hear,
      sends,
      carrier: this.#carrier,
    });
    this.#wake = new Alarm(deps.clock, () => this.hear({ type: 'time' }));
    this.#note = new NoteKeeper(deps, journal, this.#board);
    this.#queue = new EventQueue(
      {
        take: (item) => this.#take(item),
        rests: () => this.#rests(),
        superseded: () => port.superseded(),
        changed,
      },
      this.#waits,
    );
  }

  get id(): string {
    return this.journal.id;
  }

  get state(): RunState {
    return this.journal.now.state;
  }

  get stored(): StoredRun {
    return this.journal.now;
  }

  get created(): number {
    return this.stored.created;
  }

  get note(): string | undefined {
    return this.journal.now.note ?? undefined;
  }

  get fault(): string | null {
    return this.#queue.fault ?? this.#carrier.trouble;
  }

  /** Nothing is heard, done, or written now. */
  get still(): boolean {
    return this.#queue.empty && !this.#carrier.busy;
  }

  /**
   * After it was read back: what happened meanwhile is heard, and all that it waits for is asked for
   * again. @param first what the person wants of it before that
   */
  resume(first?: RunAction): Promise<RunAnswer<undefined>> {
    for (const what of this.journal.untold) this.port.deps.tell(this.id, what);
    this.#left = this.journal.last?.plan;
    const acted = first === undefined ? undefined : this.act(first);
    this.hear({ type: 'board', byPerson: [] });
    this.hear({ type: 'restarted' });
    this.linked();
    void this.#since(this.#left);
    return acted ?? Promise.resolve({ ok: true, value: undefined });
  }

  hear(word: PendingEvent): void {
    this.#queue.put({ at: this.port.deps.clock.now(), word });
  }

  /** @param name of the action, where it came through the inbox */
  act(event: RunEvent, name?: string): Promise<RunAnswer<undefined>> {
    if (name !== undefined && this.wasTaken(name)) {
      return Promise.resolve({ ok: true, value: undefined });
    }
    const at = this.port.deps.clock.now();
    return new Promise((settle) => {
      this.#queue.put({ at, word: event, settle, ...(name !== undefined && { action: name }) });
    });
  }

  wasTaken(name: string): boolean {
    return this.journal.now.taken.includes(name);
  }

  /** The connection came or went. */
  linked(): void {
    const { link } = this.port.deps;
    const up = link.up();
    this.hear((state) =>
      'run' in state && state.run.linked === up && !up ? undefined : { type: 'linked', up },
    );
    if (up) this.#looks.all();
  }

  onSession(event: SessionEvent, sessions: () => readonly Session[]): void {
    this.#looks.alive(event.sessionId);
    const heard = hearing(event, this.state, sessions);
    if (heard.kind === 'event') this.hear(heard.event);
    if (heard.kind === 'look') this.#looks.one(heard.session);
  }

  onAsk({ sessionId, requestId: request, what }: OwnAsk, type: OwnAskEvent): void {
    const session = kinOf(sessionsOf(this.state), this.port.deps.sessions(), sessionId);
    if (session === undefined) return;
    const about = type === 'asked' && what !== undefined ? { what } : {};
    this.hear({ type, sessionId: session, request, ...about });
  }

  onBoard(change: BoardChange): void {
    if (this.state.kind === 'idle') return;
    const { planner, wish } = this.state.run;
    if (change.session !== planner || change.agent !== wish.agent) return;
    this.#people.changed(change);
    this.port.changed();
  }

  /** Every 2 s: what other programs and editors did is looked for, and sessions that fell silent. */
  tick(): void {
    void this.#board.load(this.state).catch((error: unknown) => this.#noted(error));
    this.#looks.silent();
    this.#wake.look(this.state);
  }

  /** Nothing is asked for afterwards. What was begun is found when the run is taken up. */
  async close(): Promise<void> {
    this.#waits.close();
    this.#wake.close();
    await Promise.all([this.#queue.close(), this.#carrier.close(), this.#note.close()]);
  }

  async #take({ at, word, action }: Item): Promise<void> {
    const before = this.state;
    const event = eventIn(word, before);
    if (event === undefined) return;
    const plan = lookAtPlan(await this.#board.load(before));
    const happening = { at, plan, event };
    const [after, commands] = step(before, happening);
    if (action === undefined && sameButTime(before, after) && commands.every(isStore)) return;
    await this.journal.add(happening, after, action);
    if (this.#waits.closed) return;
    const refused = event.type === 'refused' ? this.#carrier.orderOf(event.key) : undefined;
    this.#carrier.settle();
    for (const command of commands) this.#do(command, event, plan);
    this.port.changed();
    // A write does not look at what happens meanwhile: what a person did is told once more.
    if (refused?.command.type === 'write') void this.#since(refused.plan);
  }

  #do(command: RunCommand, event: RunEvent, now: PlanLook): void {
    if (command.type === 'store') return;
    if (command.type === 'tell') return this.port.deps.tell(this.id, command.what);
    const again = event.type === 'restarted';
    const stage = stageOf(this.state);
    const steps = stage?.kind === 'executing' ? stage.steps : [];
    const own = steps.find(({ doing }) => 'key' in doing && doing.key === command.key);
    const plan = again ? this.#left : now;
    this.#carrier.give({ command, again, plan, since: own?.since ?? 0 });
  }

  async #since(plan: PlanLook | undefined): Promise<void> {
    try {
      await this.#people.since(plan, this.#board, this.state);
    } catch (error) {
      this.#noted(error);
    }
  }

  #rests(): void {
    this.#note.want();
    if (this.#queue.fault === null) this.#wake.plan(this.state);
    this.port.rested();
  }

  #noted(error: unknown): void {
    this.port.deps.log.note('The board of a run could not be read.', { error: String(error) });
  }
}

function isStore({ type }: RunCommand): boolean {
  return type === 'store';
}

/** Whether nothing happened but that time went on: then there is nothing to keep. */
function sameButTime(before: RunState, after: RunState): boolean {
  if (before === after) return true;
  if (before.kind === 'idle' || after.kind === 'idle') return false;
  // The moments that are set back with the clock are to be kept, also where there are none else.
  if (after.run.at < before.run.at) return false;
  // What only grows is another list when it has grown: most of a long run need not be compared.
  const timeline = after.run.timeline === before.run.timeline;
  const done = after.run.done === before.run.done;
  return timeline && done && text(before) === text(after);
}

function text(state: Exclude<RunState, { kind: 'idle' }>): string {
  const { run } = state;
  const timeless = { ...run, at: 0, used: { ...run.used, ms: 0 }, timeline: [], done: [] };
  return JSON.stringify({ ...state, run: timeless });
}
