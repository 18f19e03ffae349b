import type { RollBackAnswer } from '../board/checkpoint/checkpoints';
import type { Undo } from '../ports';
import type { RunAction } from './event';
import type { PlanLook } from './plan-look';
import type { RunOptions, RunState, Step } from './state';
import type { Board } from '../board/task';

/** A run as it stands, for whoever shows it. */
export interface RunView {
  readonly id: string;
  /** of a run whose file can't be read it is what was known before, or `idle` */
  readonly state: RunState;
  /** the plan as it stands on the board now */
  readonly look: PlanLook;
  /** path of the board's note; undefined before there is one */
  readonly board: string | undefined;
  /** path of the run note; undefined before there is one */
  readonly note: string | undefined;
  /**
   * `here`: this program carries it out. `elsewhere`: another program of this machine does, and is
   * told what the person wants. `nobody`: it is over, or rests until a program takes it up.
   */
  readonly by: 'here' | 'elsewhere' | 'nobody';
  /** what keeps it from being carried out at all, for the person: what is wrong, what to do */
  readonly fault: string | null;
}

/** A refusal is a sentence for the person. */
export type RunAnswer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** What a run begins with beside the person's wish. */
export interface RunOn {
  /** the session whose board is the plan already; without it, a session is started to plan */
  readonly session: string;
}

/** The runs of a vault, for views, commands and the command line. */
export interface Runs {
  /** newest first, those that are over too */
  all(): readonly RunView[];
  get(id: string): RunView | undefined;
  /** Called with the id of the run that is another, also where only its board is. */
  onChange(listener: (id: string) => void): Undo;
  /** @returns the id of the run, once it is stored */
  start(wish: RunOptions, on?: RunOn): Promise<RunAnswer<string>>;
  /**
   * Resolves once the run heard it and its new state is stored; where another program carries the
   * run out, once that one took it.
   */
  act(id: string, action: RunAction): Promise<RunAnswer<undefined>>;
  /** Keeps the board as it is now. @returns its number */
  checkpoint(id: string, label?: string): Promise<RunAnswer<number>>;
  /**
   * The board as at a checkpoint of it. A run that goes on is paused first and its turns stopped; it
   * stays paused, and goes on from what the board says then.
   */
  rollBack(id: string, n: number): Promise<RollBackAnswer>;
  /** Takes up a run that rests, in this program. */
  takeUp(id: string): Promise<RunAnswer<undefined>>;
}

/** The tasks of one board that a run has taken up and not let go of. */
export interface TakenTasks {
  /** the session whose board it is; null before there is one */
  readonly session: string | null;
  /** whose board it is */
  readonly agent: string;
  /** ids */
  readonly taken: readonly string[];
}

/** What a run has taken up; nothing of one that is over. */
export function stepsOf({ state }: Pick<RunView, 'state'>): readonly Step[] {
  return 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
}

/** Undefined for a run that is over, or of which nothing is known. */
export function takenTasks(run: Pick<RunView, 'state'>): TakenTasks | undefined {
  if (!('stage' in run.state)) return undefined;
  const { planner, wish } = run.state.run;
  return { session: planner, agent: wish.agent, taken: stepsOf(run).map(({ task }) => task) };
}

/** The board with the completed tasks that runs have not let go of; the same board where there is none. */
export function withUnchecked(board: Board, runs: readonly TakenTasks[]): Board {
  const taken = runs.flatMap((run) =>
    run.session === board.session && run.agent === board.agent ? run.taken : [],
  );
  const held = board.tasks.flatMap(({ id, status }) =>
    id !== null && status === 'completed' && taken.includes(id) ? id : [],
  );
  return held.length === 0 ? board : { ...board, unchecked: new Set(held) };
}
