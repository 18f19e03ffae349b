import type { App } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import { pick } from '../desk/pick';

export interface ChosenTask {
  readonly board: Board;
  readonly task: Task;
}

/** Finds out which board or task a command is about: the one that the person is on, else by asking. */
export class Chooser {
  constructor(
    private readonly app: App,
    readonly boards: () => readonly Board[],
    /** the task that has the focus in a view of ours that is active */
    private readonly selected: () => ChosenTask | undefined,
  ) {}

  writable(): readonly Board[] {
    return this.boards().filter((board) => board.broken === null && board.continued === undefined);
  }

  has(fits: (task: Task, board: Board) => boolean): boolean {
    return this.writable().some((board) => board.tasks.some((task) => fits(task, board)));
  }

  board(boards: readonly Board[]): Promise<Board | undefined> {
    const there = this.selected();
    const own = boards.find((board) => board.path === there?.board.path);
    if (own !== undefined) return Promise.resolve(own);
    const choices = boards.map((board) => ({
      text: `${board.title} (${board.agent})`,
      value: board,
    }));
    return pick(this.app, choices, 'Choose a plan');
  }

  task(
    placeholder: string,
    fits: (task: Task) => boolean = () => true,
  ): Promise<ChosenTask | undefined> {
    const there = this.selected();
    if (there !== undefined && fits(there.task)) return Promise.resolve(there);
    const choices = this.writable().flatMap((board) =>
      board.tasks.filter(fits).map((task) => ({
        text: `${task.title} · ${board.title}`,
        value: { board, task },
      })),
    );
    return pick(this.app, choices, placeholder);
  }
}
