import type { App, Command } from 'obsidian';
import { isFinished } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import type { BoardActions } from '../desk/board-actions';
import { askText } from '../desk/dialog';
import { openBoard } from '../desk/open-board';
import { pick } from '../desk/pick';
import type { Chooser } from './chooser';
import { when } from './when';

/** The commands about one plan: the one that the person is in, else a picker asks which. */
export class PlanCommands {
  constructor(
    private readonly app: App,
    private readonly choose: Chooser,
    private readonly actions: BoardActions,
    private readonly manager: () => Pick<TodoManager, 'archived'>,
    /** those that are files of their own */
    private readonly more: {
      readonly hasArchive: (board: Board) => boolean;
      readonly createCheckpoint: (board: Board) => Promise<void>;
      readonly rollBack: (board: Board) => Promise<void>;
      readonly hasCheckpoints: () => boolean;
      readonly exportBoard: (board: Board) => Promise<void>;
      readonly suggest: (board: Board) => Promise<void>;
    },
  ) {}

  list(): readonly Command[] {
    const { choose, actions, more } = this;
    const on = (
      id: string,
      name: string,
      run: (board: Board) => Promise<void>,
      boards: () => readonly Board[] = () => choose.writable(),
    ): Command =>
      when(
        id,
        name,
        () => boards().length > 0,
        async () => {
          const board = await choose.board(boards());
          if (board !== undefined) await run(board);
        },
      );
    const those = (fits: (board: Board) => boolean) => () => choose.writable().filter(fits);
    const kept = those(() => more.hasCheckpoints());
    return [
      on(
        'open-note',
        'Open plan as note…',
        (board) => openBoard(this.app, board, undefined, false),
        choose.boards,
      ),
      on('add-task', 'Add task…', (board) => this.addTask(board)),
      on(
        'archive-finished',
        'Archive finished tasks',
        (board) => actions.archive(board),
        those(({ tasks }) => tasks.some(isFinished)),
      ),
      on('restore-task', 'Restore task…', (board) => this.restore(board), those(more.hasArchive)),
      on('add-suggested', 'Add suggested tasks…', more.suggest),
      on('create-checkpoint', 'Create checkpoint', more.createCheckpoint),
      on('roll-back', 'Roll back to checkpoint…', more.rollBack, kept),
      on('export-board', 'Export board…', more.exportBoard),
    ];
  }

  private async addTask(board: Board): Promise<void> {
    const title = await askText(this.app, {
      title: `Add task to ${board.title}`,
      placeholder: 'What is to be done',
      yes: 'Add',
    });
    if (title !== undefined) await this.actions.add(board, title);
  }

  /** Those at the top of the archive, the last one first: a task comes back with all under it. */
  private async restore(board: Board): Promise<void> {
    const tasks = await this.manager().archived(board.path);
    const tops = tasks.filter(({ parent }) => parent === null).reverse();
    if (tops.length === 0)
      return this.actions.writes.notify('Its archive is empty or can’t be read.');
    const choices = tops.map((task) => ({ text: task.title, value: task }));
    const task = await pick(this.app, choices, 'Restore which task?', true);
    if (task !== undefined) await this.actions.restore(board, task);
  }
}
