import type { App, Command } from 'obsidian';
import type { Status, Task } from '../../core/board/task';
import type { BoardActions } from '../desk/board-actions';
import { targetOf } from '../desk/board-writes';
import { askText } from '../desk/dialog';
import { pick } from '../desk/pick';
import type { TaskPickers } from '../desk/task-pickers';
import { STATUS_ORDER, STATUS_WORDS } from '../part/status-words';
import type { ChosenTask, Chooser } from './chooser';
import { when } from './when';

/** The commands about one task: the one that has the focus, else a picker asks which. */
export class TaskCommands {
  constructor(
    private readonly app: App,
    private readonly choose: Chooser,
    private readonly actions: BoardActions,
    private readonly pickers: TaskPickers,
  ) {}

  list(): readonly Command[] {
    const { actions, pickers } = this;
    const on = (
      id: string,
      name: string,
      run: (chosen: ChosenTask) => Promise<void>,
      fits: (task: Task) => boolean = () => true,
    ): Command =>
      when(
        id,
        name,
        () => this.choose.has(fits),
        async () => {
          const chosen = await this.choose.task(`${name.replace('…', '')}: choose a task`, fits);
          if (chosen !== undefined) await run(chosen);
        },
      );
    const isOpen = ({ status }: Task) => status !== 'completed' && status !== 'cancelled';
    return [
      on('set-status', 'Change task status…', (one) => this.setStatus(one)),
      on(
        'complete-task',
        'Complete task',
        ({ board, task }) => actions.setStatus(board, task, 'completed'),
        isOpen,
      ),
      on('rename-task', 'Rename task', (one) => this.rename(one)),
      on('add-subtask', 'Add subtask…', (one) => this.addUnder(one)),
      on('remove-task', 'Remove task…', ({ board, task }) => actions.remove(board, task)),
      on('move-task', 'Move task…', ({ board, task }) => pickers.move(board, task)),
      on('add-dependency', 'Add dependency…', ({ board, task }) => pickers.depend(board, task)),
      on(
        'remove-dependency',
        'Remove dependency…',
        ({ board, task }) => pickers.undepend(board, task),
        ({ dependsOn }) => dependsOn.length > 0,
      ),
      on(
        'take-task',
        'Take over task',
        ({ board, task }) => actions.assign(board, task, 'me'),
        ({ owner }) => owner !== 'me',
      ),
      on('assign-task', 'Assign task…', ({ board, task }) => pickers.assign(board, task)),
    ];
  }

  private async setStatus({ board, task }: ChosenTask): Promise<void> {
    const choices = STATUS_ORDER.map((status) => ({
      text: STATUS_WORDS[status].word,
      value: status,
    }));
    const status = await pick<Status>(this.app, choices, `Status of ${task.title}`);
    if (status !== undefined) await this.actions.setStatus(board, task, status);
  }

  private async rename({ board, task }: ChosenTask): Promise<void> {
    const title = await askText(this.app, {
      title: 'Rename task',
      placeholder: 'Title',
      yes: 'Rename',
      initial: task.title,
    });
    if (title !== undefined && title !== task.title) await this.actions.rename(board, task, title);
  }

  private async addUnder({ board, task }: ChosenTask): Promise<void> {
    const title = await askText(this.app, {
      title: `Add subtask of ${task.title}`,
      placeholder: 'What is to be done',
      yes: 'Add',
    });
    if (title !== undefined) await this.actions.add(board, title, { parent: targetOf(task) });
  }
}
