import type { RollBackAnswer } from '../board/checkpoint/checkpoints';
import type { Undo } from '../ports';
import type { RunAction } from './event';
import type { PlanLook } from './plan-look';
import type { RunState, RunWish } from './state';

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
  start(wish: RunWish, on?: RunOn): Promise<RunAnswer<string>>;
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
