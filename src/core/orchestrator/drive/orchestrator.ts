import type { RollBackAnswer } from '../../board/checkpoint/checkpoints';
import type { BoardChange } from '../../board/board-change';
import type { Undo } from '../../ports';
import { catchStoreError } from '../../fault';
import type { RunAction } from '../event';
import type { RunAnswer, RunOn, Runs, RunView } from '../runs';
import {
  IDLE,
  optionsSchema,
  turnsOf,
  type ActiveRun,
  type RunOptions,
  type RunState,
  type Stage,
} from '../state';
import { keepBoard, rollBackRun, seenBoard } from './run-board';
import { actElsewhere, ELSEWHERE, OwnRuns } from './own-runs';
import type { OrchestratorDeps, Program, RunKeeper } from './orchestrator-deps';
import { isOver, OtherRuns, stateOf, type OtherRun } from './other-runs';
import { RunFiles } from './run-files';
import { sessionsOf } from './run-sessions';
import { Poller } from './timers';
import type { Board } from '../../board/task';
import type { TodoManager } from '../../board/todo-manager';
import { lookAtPlan, type PlanLook } from '../plan-look';
import type { RunDriver } from './run-driver';
import { count, isCutInside } from '../run-words';

/** All runs of a vault: those that this program carries out, and what is known of the others. */
export class Orchestrator implements Runs, RunKeeper {
  readonly #files: RunFiles;
  readonly #here: OwnRuns;
  readonly #others: OtherRuns;
  readonly #views: RunViews;
  readonly #listeners = new Set<(id: string) => void>();
  readonly #followers = new Set<() => void>();
  readonly #ticks: Poller;
  readonly #undos: readonly Undo[];

  constructor(private readonly deps: OrchestratorDeps) {
    this.#files = new RunFiles(deps.store, deps.stateRoot);
    this.#others = new OtherRuns(this.#files, deps);
    this.#here = new OwnRuns(deps, this.#files, this.#others, (id) => this.#changed(id));
    this.#views = new RunViews(() => deps.boards.manager());
    this.#ticks = new Poller(deps.clock, deps.log, () => this.#tick());
    this.#undos = [
      deps.bus.onAll((event) => this.#here.each((run) => run.onSession(event, deps.sessions))),
      deps.link.onChange(() => this.#here.each((run) => run.linked())),
      deps.boards.onChange((change) => this.#boardChanged(change)),
      ...(deps.asks === undefined
        ? []
        : [
            deps.asks.onAsk((ask) => this.#here.each((run) => run.onAsk(ask, 'asked'))),
            deps.asks.onEnd((ask, lapsed) =>
              this.#here.each((run) => run.onAsk(ask, lapsed ? 'lapsed' : 'answered')),
            ),
          ]),
    ];
  }

  all(): readonly RunView[] {
    const here = this.#here.all().map((run) => [run.created, this.#views.ofDriver(run)] as const);
    const others = [...this.#others.all()].map(
      ([id, run]) => [run.stored?.created ?? 0, this.#views.ofOther(id, run)] as const,
    );
    return [...here, ...others].sort(([a], [b]) => b - a).map(([, view]) => view);
  }

  get(id: string): RunView | undefined {
    const driver = this.#here.get(id);
    if (driver !== undefined) return this.#views.ofDriver(driver);
    const other = this.#others.get(id);
    return other && this.#views.ofOther(id, other);
  }

  onChange(listener: (id: string) => void): Undo {
    const own = (id: string): void => listener(id);
    this.#listeners.add(own);
    this.#ticks.want();
    return () => void this.#listeners.delete(own);
  }

  follow(listener: () => void): Undo {
    const own = (): void => listener();
    this.#followers.add(own);
    return () => void this.#followers.delete(own);
  }

  async start(wish: RunOptions, on?: RunOn): Promise<RunAnswer<string>> {
    const fault = startFault(wish, this.deps) ?? (on && this.#onFault(on));
    if (fault !== undefined) return { ok: false, message: fault };
    this.#ticks.want();
    return guarded(() => this.#here.begin(wish, on?.session ?? null));
  }

  async act(id: string, action: RunAction): Promise<RunAnswer<undefined>> {
    return guarded(async () => {
      if (this.#here.get(id) === undefined) await this.#others.look(id);
      const { state, look, by } = this.get(id) ?? {};
      const going = state !== undefined && look !== undefined && 'stage' in state;
      const fault = going ? actionFault(state, look, action, by === 'nobody') : undefined;
      return fault === undefined ? this.#act(id, action) : { ok: false, message: fault };
    });
  }

  #act(id: string, action: RunAction): Promise<RunAnswer<undefined>> {
    return guarded(async () => {
      const driver = this.#here.get(id);
      if (driver !== undefined) return driver.act(action);
      const other = await this.#others.look(id);
      if (other === undefined) return { ok: false, message: `There is no run ${id}.` };
      if (other.stored !== undefined && isOver(other.stored)) return OVER;
      if (other.held) return this.#actElsewhere(id, action);
      const ends = action.type === 'cancel' || action.type === 'finish';
      if (!ends && !this.deps.link.up()) return { ok: false, message: RESTS };
      const taken = await this.#takeUp(id, action);
      return taken === ELSEWHERE ? this.#actElsewhere(id, action) : taken;
    });
  }

  /** What came of it is shown at once, not at the next look. */
  async #actElsewhere(id: string, action: RunAction): Promise<RunAnswer<undefined>> {
    const told = await actElsewhere({ ...this.deps, files: this.#files }, id, action);
    if (told.ok) await this.#others.look(id);
    if (told.ok) this.#changed(id);
    return told;
  }

  takeUp(id: string): Promise<RunAnswer<undefined>> {
    return guarded(() => this.#takeUp(id));
  }

  checkpoint(id: string, label?: string): Promise<RunAnswer<number>> {
    return guarded(() => keepBoard(this.deps, this.#files, this.#stateOf(id), id, label));
  }

  rollBack(id: string, n: number): Promise<RollBackAnswer> {
    const { deps } = this;
    const act = (action: RunAction): Promise<RunAnswer<undefined>> => this.#act(id, action);
    const state = async (): Promise<RunState | undefined> => {
      if (this.#here.get(id) === undefined) await this.#others.look(id);
      return this.#stateOf(id);
    };
    const settled = (): boolean => this.#here.get(id)?.still ?? true;
    return rollBackRun({ deps, act, state, settled }, n);
  }

  async scan(): Promise<void> {
    await this.deps.boards.manager().scan();
    await this.#scanOthers();
  }

  look(): Promise<void> {
    return this.#scanOthers();
  }

  program(id: string): Program | undefined {
    if (this.#here.get(id) !== undefined) return this.deps.program;
    return this.#others.get(id)?.stored?.program;
  }

  holds(sessionId: string): boolean {
    const works = (state: RunState): boolean =>
      !isOver({ state }) && sessionsOf(state).has(sessionId);
    return (
      this.#here.all().some(({ state }) => works(state)) ||
      [...this.#others.all().values()].some(
        ({ held, stored }) => held && stored !== undefined && works(stored.state),
      )
    );
  }

  async close(): Promise<void> {
    for (const undo of this.#undos) undo();
    this.#ticks.close();
    this.#listeners.clear();
    this.#followers.clear();
    await this.#here.close();
  }

  async #takeUp(id: string, first?: RunAction): Promise<RunAnswer<undefined>> {
    this.#ticks.want();
    const taken = await this.#here.takeUp(id, first);
    if (taken.ok) this.#changed(id);
    return taken;
  }

  #stateOf(id: string): RunState | undefined {
    const other = this.#others.get(id);
    return this.#here.get(id)?.state ?? (other && stateOf(other));
  }

  #onFault({ session }: RunOn): string | undefined {
    if (!this.deps.sessions().some(({ id }) => id === session)) {
      return 'The session is not there any more. Choose another one.';
    }
    const other = this.all().some(({ state }) => 'stage' in state && state.run.planner === session);
    return other ? 'Another run goes on with this session’s board. End that one first.' : undefined;
  }

  async #tick(): Promise<boolean> {
    this.#here.tick();
    if (this.#listeners.size > 0) {
      await this.#scanOthers();
      const held = [...this.#others.all().values()].some((run) => run.held);
      if (held) await this.deps.boards.manager().scan();
    }
    return this.#listeners.size > 0 || this.#here.all().length > 0;
  }

  async #scanOthers(): Promise<void> {
    const own = new Set(this.#here.all().map(({ id }) => id));
    for (const id of await this.#others.scan(own)) this.#changed(id);
  }

  #boardChanged(change: BoardChange): void {
    this.#here.each((run) => run.onBoard(change));
    for (const [id, { stored }] of this.#others.all()) {
      const state = stored?.state;
      if (state === undefined || state.kind === 'idle') continue;
      const { planner, wish } = state.run;
      if (planner === change.session && wish.agent === change.agent) this.#changed(id);
    }
  }

  #changed(id: string): void {
    for (const listener of [...this.#listeners, ...this.#followers]) {
      try {
        listener(id);
      } catch (error) {
        this.deps.log.note('A listener for runs threw.', { error: String(error) });
      }
    }
  }
}

/** What the store says is a sentence for the person. */
function guarded<T>(task: () => Promise<RunAnswer<T>>): Promise<RunAnswer<T>> {
  return catchStoreError(task, ({ message }) => ({ ok: false, message }));
}

const OVER = { ok: false, message: 'This run is over.' } as const;

const RESTS =
  'This run rests, and OpenCode is not connected. Start OpenCode in this vault, then try again.';

/** Runs as views see them. A board is looked at once. */
class RunViews {
  readonly #looks = new WeakMap<Board, PlanLook>();

  constructor(private readonly manager: () => TodoManager) {}

  ofDriver(driver: RunDriver): RunView {
    const { id, state, note, fault } = driver;
    return { id, state, ...this.#plan(state), note, by: 'here', fault };
  }

  ofOther(id: string, run: OtherRun): RunView {
    const state = run.stored?.state ?? IDLE;
    return {
      ...{ id, state, ...this.#plan(stateOf(run)) },
      note: run.stored?.note ?? undefined,
      by: run.held ? 'elsewhere' : 'nobody',
      fault: run.fault,
    };
  }

  #plan(state: RunView['state']): Pick<RunView, 'look' | 'board'> {
    const board = seenBoard(this.manager(), state);
    return { look: this.#lookAt(board), board: board?.path };
  }

  #lookAt(board: Board | undefined): PlanLook {
    if (board === undefined) return lookAtPlan(undefined);
    const known = this.#looks.get(board);
    if (known !== undefined) return known;
    const look = lookAtPlan(board);
    this.#looks.set(board, look);
    return look;
  }
}

/**
 * Why what the person wants would change nothing, in a sentence for them; undefined where it does.
 * @param rests no program carries the run out: to go on with it is no small thing then
 */
export function actionFault(
  { kind, stage }: ActiveRun,
  look: PlanLook,
  action: RunAction,
  rests: boolean,
): string | undefined {
  switch (action.type) {
    case 'pause':
      return kind === 'paused' ? 'The run is paused already.' : undefined;
    case 'resume':
      if (kind !== 'going' || rests) return undefined;
      return stage.kind === 'approving'
        ? 'The plan waits for your approval.'
        : 'It goes on already.';
    case 'approve':
      return approveFault(stage, look);
    case 'replan':
      return replanFault(stage);
    case 'interrupt':
      return turnsOf(stage).length === 0 ? 'No turn runs that could be stopped.' : undefined;
    case 'skip':
    case 'mark_done':
      return stepOf(stage, action.task) === undefined ? NOT_AT_IT : undefined;
    case 'retry':
      return retryFault(stage, action.task);
    case 'more':
    case 'finish':
    case 'cancel':
    case 'rolled_back':
      return undefined;
  }
}

function approveFault(stage: Stage, look: PlanLook): string | undefined {
  if (stage.kind === 'planning') return 'There is no plan to approve yet.';
  if (stage.kind === 'executing') return 'The plan is approved already.';
  if (look.kind === 'unreadable') return `The plan can’t be approved: ${look.message}`;
  return look.tasks.length === 0 ? 'There is no task on the board to approve.' : undefined;
}

function replanFault(stage: Stage): string | undefined {
  if (stage.kind === 'executing') {
    return 'The plan is carried out already. Change it on the board, or finish the run and start another.';
  }
  return stage.kind === 'planning' && stage.doing.kind !== 'held'
    ? 'The plan is being made. Stop that turn first, then ask for another plan.'
    : undefined;
}

function retryFault(stage: Stage, task: string): string | undefined {
  const step = stepOf(stage, task);
  if (step === undefined) return NOT_AT_IT;
  const waits = step.doing.kind === 'held' || step.doing.kind === 'approval';
  return waits ? undefined : `${step.title} is being worked on, and needs no further try.`;
}

function stepOf(stage: Stage, task: string) {
  return stage.kind === 'executing' ? stage.steps.find((step) => step.task === task) : undefined;
}

const NOT_AT_IT =
  'The run is not at this task now. Change it on the board, and the run goes by that.';

/** Why a run can't be started; undefined where it can. */
function startFault(
  wish: RunOptions,
  { link }: Pick<OrchestratorDeps, 'link'>,
): string | undefined {
  const { goal } = wish;
  if (goal.trim() === '') return 'Say what the run is to reach: the goal is empty.';
  if (goal.length > MOST_GOAL) {
    return `The goal has ${count(goal.length)} characters. Say it in at most ${count(MOST_GOAL)}; what is longer belongs in a note that the goal names.`;
  }
  if (isCutInside(goal)) {
    return 'The goal holds half of a character, which can’t be stored. Type it anew where it was cut.';
  }
  const read = optionsSchema.safeParse(wish);
  if (!read.success) {
    const place = read.error.issues[0]?.path.join('.') ?? '';
    return `The run can’t be started with this ${place === '' ? 'wish' : place}.`;
  }
  if (!link.up()) return 'OpenCode is not connected. Start it in this vault, then start the run.';
  if (!link.knowsKeys()) {
    return 'The bridge in OpenCode is too old for runs. Update it, then restart OpenCode.';
  }
  return undefined;
}

const MOST_GOAL = 20_000;
