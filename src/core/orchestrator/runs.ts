import type { RollBackAnswer } from '../board/checkpoint/checkpoints';
import type { Undo } from '../ports';
import type { RunAction } from './event';
import type { PlanSnapshot } from './plan-snapshot';
import type { RunOptions, RunState, Step } from './state';
import type { Board } from '../board/task';

/** The state of a run, for display. */
export interface RunView {
  readonly id: string;
  /** if the run's file can't be read: the last known state, or `idle` */
  readonly state: RunState;
  /** the plan on the board now */
  readonly plan: PlanSnapshot;
  /** path of the board's note; undefined before it exists */
  readonly board: string | undefined;
  /** path of the run note; undefined before it exists */
  readonly note: string | undefined;
  /**
   * `here`: this program carries it out. `elsewhere`: another program of this machine does, and
   * receives the person's actions. `nobody`: it is over, or suspended until a program takes it up.
   */
  readonly by: 'here' | 'elsewhere' | 'nobody';
  /** what prevents it from being carried out, for the person: what is wrong, what to do */
  readonly fault: string | null;
}

/** The `message` of a refusal is a sentence for the person. */
export type RunAnswer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** What a run starts with besides its options. */
export interface RunStart {
  /** the session whose board is the plan already; without it, a session is started for planning */
  readonly session: string;
}

/** The runs of a vault, for views, commands and the command line. */
export interface Runs {
  /** newest first, including those that are over */
  all(): readonly RunView[];
  get(id: string): RunView | undefined;
  /** Called with the id of a run that changed, or whose board changed. */
  onChange(listener: (id: string) => void): Undo;
  /** @returns the id of the run, once it is stored */
  start(options: RunOptions, from?: RunStart): Promise<RunAnswer<string>>;
  /**
   * Resolves when the action was applied and the new state is stored; if another program carries
   * the run out, when that program has applied it.
   */
  act(id: string, action: RunAction): Promise<RunAnswer<undefined>>;
  /** Makes a checkpoint of the board. @returns its number */
  checkpoint(id: string, label?: string): Promise<RunAnswer<number>>;
  /**
   * Restores the board at a checkpoint. An active run is paused first and its turns are stopped; it
   * stays paused, and when resumed it continues from the restored board.
   */
  rollBack(id: string, n: number): Promise<RollBackAnswer>;
  /** Takes up, in this program, a run that no program carries out. */
  takeUp(id: string): Promise<RunAnswer<undefined>>;
}

/** The tasks of one board that a run has taken up and not finished. */
export interface TakenTasks {
  /** the session of the board; null before there is one */
  readonly session: string | null;
  /** the agent of the board */
  readonly agent: string;
  /** ids of the tasks */
  readonly taken: readonly string[];
}

/** The steps of a run; empty if it is over. */
export function stepsOf({ state }: Pick<RunView, 'state'>): readonly Step[] {
  return 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
}

/** Undefined if the run is over, or unknown. */
export function takenTasks(run: Pick<RunView, 'state'>): TakenTasks | undefined {
  if (!('stage' in run.state)) return undefined;
  const { planner, wish } = run.state.run;
  return { session: planner, agent: wish.agent, taken: stepsOf(run).map(({ task }) => task) };
}

/**
 * Marks completed tasks that a run has not finished as unchecked; returns the same board if there
 * are none.
 */
export function markUnchecked(board: Board, runs: readonly TakenTasks[]): Board {
  const taken = runs.flatMap((run) =>
    run.session === board.session && run.agent === board.agent ? run.taken : [],
  );
  const held = board.tasks.flatMap(({ id, status }) =>
    id !== null && status === 'completed' && taken.includes(id) ? id : [],
  );
  return held.length === 0 ? board : { ...board, unchecked: new Set(held) };
}
