import type { App } from 'obsidian';
import type { Board, Status, Task } from '../../core/board/task';
import type { BoardActions } from '../desk/board-actions';
import { askText } from '../desk/dialog';
import { openBoard } from '../desk/open-board';
import { pick } from '../desk/pick';
import { STATUS_ORDER, STATUS_WORDS } from '../part/status-words';

/** The commands about boards that ask for what they need. */
export class BoardCommands {
  constructor(
    private readonly app: App,
    private readonly boards: () => readonly Board[],
    private readonly actions: BoardActions,
  ) {}

  async open(): Promise<void> {
    const board = await this.chooseBoard(this.boards());
    if (board !== undefined) await openBoard(this.app, board, undefined, false);
  }

  async addTask(): Promise<void> {
    const board = await this.chooseBoard(this.writable());
    if (board === undefined) return;
    const title = await askText(this.app, {
      title: `Add task to ${board.title}`,
      placeholder: 'What is to be done',
      yes: 'Add',
    });
    if (title !== undefined) await this.actions.add(board, title);
  }

  async setStatus(): Promise<void> {
    const found = await this.chooseTask('Choose a task');
    if (found === undefined) return;
    const choices = STATUS_ORDER.map((status) => ({
      text: STATUS_WORDS[status].word,
      value: status,
    }));
    const status = await pick<Status>(this.app, choices, `Status of ${found.task.title}`);
    if (status !== undefined) await this.actions.setStatus(found.board, found.task, status);
  }

  async complete(): Promise<void> {
    const found = await this.chooseTask('Choose a task to complete');
    if (found !== undefined) await this.actions.setStatus(found.board, found.task, 'completed');
  }

  async rename(): Promise<void> {
    const found = await this.chooseTask('Choose a task to rename');
    if (found === undefined) return;
    const { board, task } = found;
    const title = await askText(this.app, {
      title: 'Rename task',
      placeholder: 'Title',
      yes: 'Rename',
      initial: task.title,
    });
    if (title !== undefined && title !== task.title) await this.actions.rename(board, task, title);
  }

  writable(): readonly Board[] {
    return this.boards().filter((board) => board.broken === null);
  }

  hasTask(): boolean {
    return this.writable().some((board) => board.tasks.length > 0);
  }

  private chooseBoard(boards: readonly Board[]): Promise<Board | undefined> {
    const choices = boards.map((board) => ({
      text: `${board.title} (${board.agent})`,
      value: board,
    }));
    return pick(this.app, choices, 'Choose a plan');
  }

  private chooseTask(placeholder: string): Promise<{ board: Board; task: Task } | undefined> {
    const choices = this.writable().flatMap((board) =>
      board.tasks.map((task) => ({
        text: `${task.title} · ${board.title}`,
        value: { board, task },
      })),
    );
    return pick(this.app, choices, placeholder);
  }
}
