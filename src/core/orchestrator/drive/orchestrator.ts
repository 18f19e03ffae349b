import type { RollBackAnswer } from '../../board/checkpoint/checkpoints';
import type { BoardChange } from '../../board/board-change';
import { PERSON } from '../../board/history/actor';
import type { Undo } from '../../ports';
import { catchStoreError, fault } from '../../fault';
import type { RunAction } from '../event';
import type { RunAnswer, RunStart, Runs, RunView } from '../runs';
import {
  RUN_SENTENCES,
  runSentence,
  activitiesOf,
  IDLE,
  optionsSchema,
  turnsOf,
  type ActiveRun,
  type RunOptions,
  type RunState,
  type Stage,
} from '../state';
import { isPlanOf } from './run-board';
import { forwardAction, CARRIED_ELSEWHERE, OwnRuns } from './own-runs';
import type { OrchestratorDeps, Program } from './orchestrator-deps';
import { isOver, OtherRuns, stateOf, type OtherRun } from './other-runs';
import { RunFiles } from './run-files';
import { sessionsOf } from './run-sessions';
import { stateText } from '../serialise';
import { Poller } from './timers';
import type { Board } from '../../board/task';
import { planSnapshotOf, type PlanSnapshot } from '../plan-snapshot';
import type { RunDriver } from './run-driver';
import { formatCount, hasLoneSurrogate } from '../run-text';

/** Pause between two checks whether all turns have stopped, ms, and the number of checks. */
const STOP_EVERY = 100;

const STOP_TRIES = 300;

/** All runs of a vault: those that this program carries out, and the stored state of the others. */
export class Orchestrator implements Runs {
  readonly #files: RunFiles;
  readonly #here: OwnRuns;
  readonly #others: OtherRuns;
  readonly #listeners = new Set<(id: string) => void>();
  readonly #followers = new Set<() => void>();
  readonly #poller: Poller;
  readonly #undos: readonly Undo[];

  constructor(private readonly deps: OrchestratorDeps) {
    this.#files = new RunFiles(deps.store, deps.stateRoot);
    this.#others = new OtherRuns(this.#files, deps);
    this.#here = new OwnRuns(deps, this.#files, this.#others, (id) => this.#changed(id));
    this.#poller = new Poller(deps.clock, deps.log, () => this.#tick());
    const each = (task: (run: RunDriver) => void): void => this.#here.all().forEach(task);
    const toolRequests = deps.toolRequests;
    this.#undos = [
      deps.bus.onAll((event) => each((run) => run.onSession(event, deps.sessions))),
      deps.link.onChange(() => each((run) => run.linkChanged())),
      deps.boards.onChange((change) => {
        each((run) => run.onBoard(change));
        this.#boardChanged(change);
      }),
      toolRequests?.onRequest((ask) => each((run) => run.onRequest(ask, 'asked'))),
      toolRequests?.onEnd((ask, lapsed) =>
        each((run) => run.onRequest(ask, lapsed ? 'lapsed' : 'answered')),
      ),
    ].flatMap((undo) => undo ?? []);
  }

  all(): readonly RunView[] {
    const here = this.#here
      .all()
      .map((run) => [run.journal.current.created, this.#viewOf(run)] as const);
    const others = [...this.#others.all()].map(
      ([id, run]) => [run.stored?.created ?? 0, this.#otherView(id, run)] as const,
    );
    return [...here, ...others].sort(([a], [b]) => b - a).map(([, view]) => view);
  }

  get(id: string): RunView | undefined {
    const driver = this.#here.get(id);
    if (driver !== undefined) return this.#viewOf(driver);
    const other = this.#others.get(id);
    return other && this.#otherView(id, other);
  }

  onChange(listener: (id: string) => void): Undo {
    const own = (id: string): void => listener(id);
    this.#listeners.add(own);
    this.#poller.schedule();
    return () => void this.#listeners.delete(own);
  }

  /**
   * Calls the listener like those of `onChange`, but does not by itself cause other programs' runs
   * to be polled.
   */
  follow(listener: () => void): Undo {
    const own = (): void => listener();
    this.#followers.add(own);
    return () => void this.#followers.delete(own);
  }

  async start(options: RunOptions, from?: RunStart): Promise<RunAnswer<string>> {
    const message = startFault(options, this.deps) ?? (from && this.#sessionFault(from));
    if (message !== undefined) return { ok: false, message };
    this.#poller.schedule();
    return asRunAnswer(() => this.#here.begin(options, from?.session ?? null));
  }

  act(id: string, action: RunAction): Promise<RunAnswer<undefined>> {
    return asRunAnswer(async () => {
      await this.#read(id);
      const { state, plan: look, by } = this.get(id) ?? {};
      const going = state !== undefined && look !== undefined && 'stage' in state;
      const message = going ? actionFault(state, look, action, by === 'nobody') : undefined;
      return message === undefined ? this.#act(id, action) : { ok: false, message };
    });
  }

  async #act(id: string, action: RunAction): Promise<RunAnswer<undefined>> {
    const driver = this.#here.get(id);
    if (driver !== undefined) return driver.act(action);
    const other = await this.#others.refresh(id);
    if (other === undefined) return { ok: false, message: runSentence('noRun', { id }) };
    if (other.stored !== undefined && isOver(other.stored)) {
      return { ok: false, message: RUN_SENTENCES.isOver };
    }
    const ends = action.type === 'cancel' || action.type === 'finish';
    if (!other.isLocked) {
      if (!ends && !this.deps.link.isUp())
        return { ok: false, message: RUN_SENTENCES.restsOffline };
      const taken = await this.#takeUp(id, action);
      if (taken !== CARRIED_ELSEWHERE) return taken;
    }
    const answer = await forwardAction({ ...this.deps, files: this.#files }, id, action);
    // Show the result now rather than at the next poll.
    if (answer.ok) await this.#others.refresh(id);
    if (answer.ok) this.#changed(id);
    return answer;
  }

  takeUp(id: string): Promise<RunAnswer<undefined>> {
    return asRunAnswer(() => this.#takeUp(id));
  }

  checkpoint(id: string, label?: string): Promise<RunAnswer<number>> {
    return asRunAnswer(async () => {
      const state = this.#stateOf(id);
      const board = state && this.#boardOf(state);
      if (state === undefined || board === undefined)
        return { ok: false, message: RUN_SENTENCES.noBoard };
      const { checkpoints } = this.deps.boards.manager();
      const wish = { by: 'user', ...(label !== undefined && { label }) } as const;
      const made = await checkpoints.add(board.path, wish);
      if (!made.ok) return { ok: false, message: made.message };
      const { n } = made.checkpoint;
      await this.#files.saveCheckpointState(id, n, stateText(state));
      return { ok: true, value: n };
    });
  }

  async rollBack(id: string, n: number): Promise<RollBackAnswer> {
    const { checkpoints } = this.deps.boards.manager();
    await this.#read(id);
    const state = this.#stateOf(id);
    const board = state && this.#boardOf(state);
    if (state === undefined || board === undefined)
      return fault('unknown_board', RUN_SENTENCES.noBoard);
    const known = await checkpoints.diff(board.path, n);
    if (!known.ok) return known;
    const act = (action: RunAction) => asRunAnswer(() => this.#act(id, action));
    if ('stage' in state) {
      for (const action of STOP) {
        const acted = await act(action);
        if (!acted.ok) return fault('busy', acted.message);
      }
      if (!(await this.#waitUntilStopped(id))) return fault('busy', RUN_SENTENCES.turnRunsOn);
    }
    const done = await checkpoints.rollBack(board.path, n, PERSON);
    // If this fails, only the timeline lacks the entry.
    if (done.ok && 'stage' in state) await act({ type: 'rolled_back', n });
    return done;
  }

  async #waitUntilStopped(id: string): Promise<boolean> {
    for (let tries = 0; tries < STOP_TRIES; tries += 1) {
      await this.#read(id);
      const state = this.#stateOf(id);
      const settled = this.#here.get(id)?.isIdle ?? true;
      if (state !== undefined && isAtRest(state) && settled) return true;
      await new Promise<void>((resolve) => this.deps.clock.after(STOP_EVERY, resolve));
    }
    return false;
  }

  /**
   * Reads the list of runs and boards; cheap, to be called again when others may have started runs.
   */
  async scan(): Promise<void> {
    await this.deps.boards.manager().scan();
    await this.refresh();
  }

  /** Reads the runs of other programs whose files changed. */
  async refresh(): Promise<void> {
    const own = new Set(this.#here.all().map(({ id }) => id));
    for (const id of await this.#others.scan(own)) this.#changed(id);
  }

  /** The program that carried out the run last. */
  program(id: string): Program | undefined {
    if (this.#here.get(id) !== undefined) return this.deps.program;
    return this.#others.get(id)?.stored?.program;
  }

  /** Whether an active run uses the session; then nothing else should prompt it. */
  usesSession(sessionId: string): boolean {
    const others = [...this.#others.all().values()];
    return [
      ...this.#here.all(),
      ...others.flatMap(({ isLocked, stored }) => (isLocked && stored) || []),
    ].some((run) => !isOver(run) && sessionsOf(run.state).has(sessionId));
  }

  /** Suspends all runs that this program carries out; no further requests are made. */
  async close(): Promise<void> {
    for (const undo of this.#undos) undo();
    this.#poller.close();
    this.#listeners.clear();
    this.#followers.clear();
    await this.#here.close();
  }

  async #takeUp(id: string, first?: RunAction): Promise<RunAnswer<undefined>> {
    this.#poller.schedule();
    const taken = await this.#here.takeUp(id, first);
    if (taken.ok) this.#changed(id);
    return taken;
  }

  /** Reads the stored state of a run, unless this program carries it out. */
  async #read(id: string): Promise<void> {
    if (this.#here.get(id) === undefined) await this.#others.refresh(id);
  }

  #stateOf(id: string): RunState | undefined {
    const other = this.#others.get(id);
    return this.#here.get(id)?.state ?? (other && stateOf(other));
  }

  #sessionFault({ session }: RunStart): string | undefined {
    if (!this.deps.sessions().some(({ id }) => id === session)) {
      return RUN_SENTENCES.sessionGone;
    }
    const other = this.all().some(({ state }) => 'stage' in state && state.run.planner === session);
    return other ? RUN_SENTENCES.boardTaken : undefined;
  }

  async #tick(): Promise<boolean> {
    this.#here.tick();
    if (this.#listeners.size > 0) {
      await this.refresh();
      const held = [...this.#others.all().values()].some((run) => run.isLocked);
      if (held) await this.deps.boards.manager().scan();
    }
    return this.#listeners.size > 0 || this.#here.all().length > 0;
  }

  #boardChanged(change: BoardChange): void {
    for (const [id, run] of this.#others.all()) {
      if (isPlanOf(stateOf(run), change)) this.#changed(id);
    }
  }

  #changed(id: string): void {
    for (const listener of [...this.#listeners, ...this.#followers]) {
      try {
        listener(id);
      } catch (error) {
        this.deps.log.note('A listener for runs threw.', {
          at: 'run.listener',
          severity: 'error',
          error: String(error),
        });
      }
    }
  }

  #viewOf({ id, state, journal, fault }: RunDriver): RunView {
    const note = journal.current.note ?? undefined;
    return { id, state, ...this.#plan(state), note, by: 'here', fault };
  }

  #otherView(id: string, run: OtherRun): RunView {
    return {
      ...{ id, state: run.stored?.state ?? IDLE, ...this.#plan(stateOf(run)) },
      note: run.stored?.note ?? undefined,
      by: run.isLocked ? 'elsewhere' : 'nobody',
      fault: run.fault,
    };
  }

  #plan(state: RunState): Pick<RunView, 'plan' | 'board'> {
    const board = this.#boardOf(state);
    return { plan: planSnapshotOf(board), board: board?.path };
  }

  /** The cached board, without reading the disk. */
  #boardOf(state: RunState): Board | undefined {
    const { deps } = this;
    return deps.boards
      .manager()
      .boards()
      .find((board) => isPlanOf(state, board));
  }
}

/** Turns a StoreError into a refusal: its message is a sentence for the person. */
function asRunAnswer<T>(task: () => Promise<RunAnswer<T>>): Promise<RunAnswer<T>> {
  return catchStoreError(task, ({ message }) => ({ ok: false, message }));
}

const STOP: readonly RunAction[] = [{ type: 'pause' }, { type: 'interrupt', task: null }];

/** Whether no turn runs and no write to the board is under way. */
function isAtRest(state: RunState): boolean {
  if (!('stage' in state)) return true;
  const { stage } = state;
  const busy = activitiesOf(stage).some(({ kind }) => kind === 'saving' || kind === 'writing');
  const runs = turnsOf(stage).some(({ kind }) => kind === 'sending' || kind === 'working');
  return !runs && !busy && !(stage.kind === 'executing' && stage.naming !== null);
}

/**
 * Why an action would have no effect, in a sentence for the person; undefined if it has one.
 * @param isSuspended whether no program carries the run out; then `resume` has an effect, as it takes the
 * run up
 */
export function actionFault(
  { kind, stage }: ActiveRun,
  snapshot: PlanSnapshot,
  action: RunAction,
  isSuspended: boolean,
): string | undefined {
  switch (action.type) {
    case 'pause':
      return kind === 'paused' ? RUN_SENTENCES.isPaused : undefined;
    case 'resume':
      if (kind !== 'going' || isSuspended) return undefined;
      return stage.kind === 'approving' ? RUN_SENTENCES.waitsForApproval : RUN_SENTENCES.isRunning;
    case 'approve':
      return approveFault(stage, snapshot);
    case 'replan':
      return replanFault(stage);
    case 'interrupt':
      return turnsOf(stage).length === 0 ? RUN_SENTENCES.noTurn : undefined;
    case 'skip':
    case 'mark_done':
      return stepOf(stage, action.task) === undefined ? RUN_SENTENCES.notAtIt : undefined;
    case 'retry':
      return retryFault(stage, action.task);
    case 'more':
    case 'finish':
    case 'cancel':
    case 'rolled_back':
      return undefined;
  }
}

function approveFault(stage: Stage, snapshot: PlanSnapshot): string | undefined {
  if (stage.kind === 'planning') return RUN_SENTENCES.noPlanYet;
  if (stage.kind === 'executing') return RUN_SENTENCES.isApproved;
  if (snapshot.kind === 'unreadable') return `The plan can’t be approved: ${snapshot.message}`;
  return snapshot.tasks.length === 0 ? RUN_SENTENCES.nothingToApprove : undefined;
}

function replanFault(stage: Stage): string | undefined {
  if (stage.kind === 'executing') {
    return RUN_SENTENCES.isCarriedOut;
  }
  return stage.kind === 'planning' && stage.doing.kind !== 'held'
    ? RUN_SENTENCES.isBeingPlanned
    : undefined;
}

function retryFault(stage: Stage, task: string): string | undefined {
  const step = stepOf(stage, task);
  if (step === undefined) return RUN_SENTENCES.notAtIt;
  const waits = step.doing.kind === 'held' || step.doing.kind === 'approval';
  return waits ? undefined : RUN_SENTENCES.workedOn;
}

function stepOf(stage: Stage, task: string) {
  return stage.kind === 'executing' ? stage.steps.find((step) => step.task === task) : undefined;
}

/** Why a run can't be started; undefined if it can. */
function startFault(
  options: RunOptions,
  { link }: Pick<OrchestratorDeps, 'link'>,
): string | undefined {
  const { goal } = options;
  if (goal.trim() === '') return RUN_SENTENCES.noGoal;
  if (goal.length > MAX_GOAL) {
    return `The goal has ${formatCount(goal.length)} characters. Say it in at most ${formatCount(MAX_GOAL)}; what is longer belongs in a note that the goal names.`;
  }
  if (hasLoneSurrogate(goal)) {
    return RUN_SENTENCES.cutGoal;
  }
  const read = optionsSchema().safeParse(options);
  if (!read.success) {
    const place = read.error.issues[0]?.path.join('.') ?? '';
    return `The run can’t be started with this ${place === '' ? 'wish' : place}.`;
  }
  if (!link.isUp()) return RUN_SENTENCES.noProgram;
  if (!link.supportsKeys()) {
    return RUN_SENTENCES.oldBridge;
  }
  return undefined;
}

const MAX_GOAL = 20_000;
