import type { BoardChange } from '../../board/board-change';
import type { Board } from '../../board/task';
import type { PlanLook } from '../plan-look';
import type { RunState } from '../state';
import type { RunBoards } from './orchestrator-deps';
import type { RunBoard } from './run-board';
import type { Waits } from './waits';
import { boardThen, byPerson, lookThen, movedTasks, type BoardThen } from './who-wrote';
import type { Word } from './word';

/** Tells a run that its board is another, and which tasks a person has set to another status. */
export class StatusPeople {
  constructor(
    private readonly boards: Pick<RunBoards, 'manager'>,
    private readonly waits: Waits,
    private readonly hear: (word: Word) => void,
  ) {}

  changed({ before, board, by }: BoardChange): void {
    const then = boardThen(before);
    const moved = before === undefined ? [] : movedTasks(then, board);
    if (by === 'person') {
      this.hear({ type: 'board', byPerson: [...moved] });
      return;
    }
    this.hear({ type: 'board', byPerson: [] });
    if (by === 'disk' && board !== undefined) void this.#ask(then, board, moved);
  }

  /** What happened to the board since it was looked at last. */
  async since(before: PlanLook | undefined, at: RunBoard, state: RunState): Promise<void> {
    const then = before === undefined ? undefined : lookThen(before);
    const board = then === undefined ? undefined : await at.load(state);
    if (then === undefined || board === undefined) return;
    await this.#ask(then, board, movedTasks(then, board));
  }

  async #ask(then: BoardThen, board: Board, moved: readonly string[]): Promise<void> {
    if (moved.length === 0) return;
    const wait = (ms: number): Promise<boolean> => this.waits.time(ms);
    const theirs = await byPerson(this.boards.manager(), then, board, moved, wait);
    if (theirs.length > 0) this.hear({ type: 'board', byPerson: [...theirs] });
  }
}
