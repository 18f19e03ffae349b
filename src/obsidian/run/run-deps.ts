import type { Board, Task } from '../../core/board/task';
import type { Limits } from '../../core/orchestrator/limits';
import type { Runs } from '../../core/orchestrator/runs';
import type { Clock } from '../../core/ports';
import type { Catalog } from '../../core/session/session-runtime';
import type { Notify } from '../desk/notify';
import type { Overview } from '../model/overview';
import type { UnderWay } from './under-way';

/** What a run starts with where the person says nothing else. */
export interface RunDefaults {
  /** empty: OpenCode's own default */
  readonly agent: string;
  /** `provider/model`; null: OpenCode's own choice */
  readonly model: string | null;
  readonly approve: boolean;
  readonly limits: Limits;
}

/** What the run panel and its commands need of the plugin. */
export interface RunViewDeps {
  readonly runs: Runs;
  /** what was asked of runs and is not done yet, by whichever view */
  readonly under: UnderWay;
  readonly clock: Clock;
  /** boards, titles of sessions, and whether OpenCode is connected */
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
  /** false where no OpenCode can be reached, as on a phone: runs are shown, not started */
  readonly canStart: boolean;
  readonly defaults: () => RunDefaults;
  /** Agents and models to choose from. Rejects with a WireError. */
  readonly catalog: () => Promise<Catalog>;
  /** Shows what going back changes, asks, and does it: to that checkpoint, or the person picks one. */
  readonly rollBack: (board: Board, n?: number) => Promise<void>;
  /** Marks one of the person's own tasks done on its board, as a click in the sidebar does. */
  readonly tick: (board: Board, task: Task) => void;
  readonly connect: () => void;
  /** Opens the dialog at what a session asks. */
  readonly review: (sessionId: string) => void;
  readonly openSession: (sessionId: string) => void;
  readonly openNote: (path: string) => void;
  readonly openBoard: (board: Board, task: Task | undefined) => void;
  readonly notify: Notify;
  /** Says to screen readers what came of a step. */
  readonly announce: (sentence: string) => void;
  /** Goes through a run's log once more. @returns what came of it, in a sentence for the person */
  readonly replay: (id: string) => Promise<string>;
}
