import type { Board } from '../../board/task';
import type { TodoManager } from '../../board/todo-manager';
import { lookAtPlan, type PlanLook } from '../plan-look';
import type { RunView } from '../runs';
import { IDLE } from '../state';
import { stateOf, type OtherRun } from './other-runs';
import { seenBoard } from './run-board';
import type { RunDriver } from './run-driver';

/** Runs as views see them. A board is looked at once. */
export class RunViews {
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
