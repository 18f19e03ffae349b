import type { App, Command } from 'obsidian';
import { isFinished, underReview } from '../../core/board/facts';
import { typedForm, typedProblem } from '../../core/board/note/typed-task';
import {
  PRIORITIES,
  type Board,
  type Priority,
  type Status,
  type Task,
  type TaskTarget,
} from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import { type BoardActions } from './board-actions';
import { targetOf, type TaskDestination } from './task-moves';
import type { Reviews } from './review-dialog';
import { editTask } from './task-form';
import type { TaskSessions } from '../session/task-sessions';
import { askForText, pick, type PickItem } from '../ui/dialog';
import { STATUS_ORDER, STATUS_WORDS } from '../ui/text';
import { when } from '../ui/menu';
import { activeActs, boardsInView } from '../ui/view-actions';
import { familyOf, nameOf } from '../../core/board/find-task';
import { taskTree } from '../../core/board/outline';
import { isWritable } from '../board-view/shown-boards';

interface TaskUi {
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly reviews: Reviews;
  readonly taskSessions: Pick<TaskSessions, 'starter'>;
}

/** The commands about one task: the one that has the focus, else a picker asks which. */
export function taskCommands(
  app: App,
  choose: Chooser,
  ui: TaskUi,
  showInAudit: (task: string) => unknown,
): readonly Command[] {
  const { boards: actions } = ui;
  const rows: readonly TaskCommandRow[] = [
    [
      'set-status',
      'Change task status…',
      async (board, task) => {
        const words = STATUS_ORDER.map((value) => ({ text: STATUS_WORDS[value].word, value }));
        const status = await pick<Status>(app, words, `Status of ${task.title}`);
        if (status !== undefined) await actions.setStatus(board, task, status);
      },
    ],
    ['complete-task', 'Complete task', (...on) => actions.setStatus(...on, 'completed'), isOpen],
    [
      'rename-task',
      'Rename task',
      async (board, task) => {
        const initial = typedForm(task.title);
        const title = await askForText(app, {
          ...{ title: 'Rename task', placeholder: 'Title', yes: 'Rename', initial },
          check: (text) => typedProblem(board, text),
        });
        if (title !== undefined && title !== initial) await actions.rename(board, task, title);
      },
    ],
    [
      'add-subtask',
      'Add subtask…',
      async (board, task) => {
        const title = await askForTask(app, `Add subtask of ${task.title}`, board);
        if (title !== undefined) await actions.add(board, title, { parent: targetOf(task) });
      },
    ],
    ...moreRows(app, ui, showInAudit),
  ];
  return rows.map(([id, name, run, fits = () => true]) => {
    const onChosen = async () => {
      const chosen = await choose.task(`${name.replace('…', '')}: choose a task`, fits);
      if (chosen !== undefined) await run(chosen.board, chosen.task);
    };
    return when(id, name, () => choose.has(fits), onChosen);
  });
}

function moreRows(
  app: App,
  { boards: actions, pickers, reviews, taskSessions }: TaskUi,
  showInAudit: (task: string) => unknown,
): readonly TaskCommandRow[] {
  return [
    ['remove-task', 'Remove task…', (board, task) => actions.remove(board, [task])],
    ['move-task', 'Move task…', (board, task) => pickers.move(board, [task])],
    ['add-dependency', 'Add dependency…', (...on) => pickers.depend(...on)],
    [
      'remove-dependency',
      'Remove dependency…',
      (...on) => pickers.undepend(...on),
      (task) => task.dependsOn.length > 0,
    ],
    [
      'take-task',
      'Take over task',
      (...on) => actions.assign(...on, 'me'),
      ({ owner }) => owner !== 'me',
    ],
    ['edit-task', 'Edit task…', (...on) => editTask(app, actions, ...on)],
    [
      'have-it-done',
      'Have it done…',
      // In a view of ours it is about all that are selected.
      (board, task) => (activeActs(app)['have-it-done'] ?? taskSessions.starter(board, [task]))?.(),
      (task, board) => taskSessions.starter(board, [task]) !== undefined,
    ],
    ['assign-task', 'Assign task…', (...on) => pickers.assign(...on)],
    ['review-task', 'Review task…', (...on) => reviews.open(...on), underReview],
    ['accept-task', 'Accept task', (...on) => reviews.accept(...on), underReview],
    ['send-back-task', 'Send task back…', (...on) => reviews.sendBack(...on), underReview],
    [
      'require-approval',
      'Require my approval of task',
      (...on) => actions.approve(...on, true),
      (task) => isOpen(task) && task.approve !== 'me',
    ],
    [
      'drop-approval',
      'Require no approval of task',
      (...on) => actions.approve(...on, false),
      ({ approve }) => approve === 'me',
    ],
    [
      'show-task-in-audit',
      'Show task in audit',
      (_, { id }) => showInAudit(id ?? ''),
      ({ id }) => id !== null,
    ],
  ];
}

const isOpen = (task: Task) => !isFinished(task);

type TaskCommandRow = readonly [
  id: string,
  name: string,
  run: (board: Board, task: Task) => unknown,
  fits?: (task: Task, board: Board) => boolean,
];

/** Asks for the title of a new task; undefined where none was given. */
export function askForTask(app: App, title: string, board: Board): Promise<string | undefined> {
  return askForText(app, {
    ...{ title, placeholder: 'What is to be done', yes: 'Add' },
    check: (text) => typedProblem(board, text),
  });
}

/** Asks which task of a board's archive comes back, and brings it. */
export async function restoreArchived(
  app: App,
  manager: Pick<TodoManager, 'archived'>,
  actions: BoardActions,
  board: Board,
): Promise<void> {
  // Those at the top of the archive, the last one first: a task comes back with all under it.
  const tasks = await manager.archived(board.path);
  const tops = tasks.filter(({ parent }) => parent === null).reverse();
  if (tops.length === 0) return actions.writes.notify('Its archive is empty or can’t be read.');
  const choices = tops.map((task) => ({ text: task.title, value: task }));
  const task = await pick(app, choices, 'Restore which task?', true);
  if (task !== undefined) await actions.restore(board, task);
}

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
    return this.boards().filter(isWritable);
  }

  has(fits: (task: Task, board: Board) => boolean): boolean {
    return this.writable().some((board) => board.tasks.some((task) => fits(task, board)));
  }

  board(boards: readonly Board[]): Promise<Board | undefined> {
    const there = this.selected();
    const own = boards.find((board) => board.path === there?.board.path);
    if (own !== undefined) return Promise.resolve(own);
    return pick(this.app, boardsInView(this.app, boards).map(boardItem), 'Choose a plan');
  }

  task(
    placeholder: string,
    fits: (task: Task, board: Board) => boolean = () => true,
  ): Promise<ChosenTask | undefined> {
    const there = this.selected();
    if (there !== undefined && fits(there.task, there.board)) return Promise.resolve(there);
    const of = (board: Board) => board.tasks.filter((task) => fits(task, board));
    const boards = this.writable().filter((board) => of(board).length > 0);
    const choices = boardsInView(this.app, boards).flatMap((board) =>
      of(board).map((task) => ({
        text: `${task.title} · ${board.title}`,
        value: { board, task },
      })),
    );
    return pick(this.app, choices, placeholder);
  }
}

/** A board to pick. */
export function boardItem(board: Board): PickItem<Board> {
  return { text: `${board.title} (${board.agent})`, value: board };
}

/** Changes of a task that ask for a second thing: on what, to where, whose. */
export class TaskPickers {
  constructor(
    private readonly app: App,
    private readonly actions: BoardActions,
    private readonly boards: () => readonly Board[],
  ) {}

  /** A circle is refused when it is written, with the way that it would go. */
  async depend(board: Board, task: Task): Promise<void> {
    const own = new Set(familyOf(board, task).map(({ key }) => key));
    const choices = board.tasks
      .filter(({ id, key }) => !own.has(key) && !task.dependsOn.includes(id ?? ''))
      .map((one) => ({ text: label(one), value: one }));
    const on = await this.pick(
      choices,
      `${task.title} waits for…`,
      'There is no other task that it could wait for.',
    );
    if (on !== undefined) await this.actions.depend(board, task, on);
  }

  async undepend(board: Board, task: Task): Promise<void> {
    const choices = task.dependsOn.map((id): PickItem<TaskTarget> => {
      const on = board.tasks.find((one) => one.id === id);
      return { text: on ? label(on) : id, value: on ?? { id, line: 0, title: id } };
    });
    const none = `${task.title} waits for no task.`;
    const on = await this.pick(choices, `${task.title} no longer waits for…`, none);
    if (on !== undefined) await this.actions.undepend(board, task, on);
  }

  /** Asks for a title, and adds it at the end of a phase. */
  async addTo(board: Board, phase: string): Promise<void> {
    const title = await askForText(this.app, {
      ...{ title: `Add task to ${phase}`, placeholder: 'What is to be done', yes: 'Add' },
    });
    if (title !== undefined) await this.actions.add(board, title, { phase });
  }

  async move(board: Board, tasks: readonly Task[]): Promise<void> {
    const own = new Set(tasks.flatMap((task) => familyOf(board, task)));
    const others = board.tasks.filter((task) => !own.has(task));
    const phases = new Set(taskTree(board).flatMap(({ title }) => title ?? []));
    const choices: PickItem<TaskDestination>[] = [
      ...[...phases].map((phase) => ({ text: `To the end of ${phase}`, value: { phase } })),
      ...others.map((one) => ({ text: `After ${label(one)}`, value: { after: targetOf(one) } })),
      ...others.map((one) => ({ text: `Under ${label(one)}`, value: { parent: targetOf(one) } })),
    ];
    const place = await this.pick(
      choices,
      `Move ${whatOf(tasks)}`,
      'There is no other place that it could move to.',
    );
    if (place !== undefined) await this.actions.move(board, tasks, place);
  }

  /** Whether there is another plan that tasks could move to. */
  hasOther(board: Board): boolean {
    return this.others(board).length > 0;
  }

  /** Behind the last task of another plan. */
  async moveAway(board: Board, tasks: readonly Task[]): Promise<void> {
    const choices = this.others(board).map(boardItem);
    const to = await this.pick(choices, `Move ${whatOf(tasks)} to…`, 'There is no other plan.');
    if (to !== undefined) await this.actions.move(board, tasks, undefined, to);
  }

  private others({ path }: Board): readonly Board[] {
    return this.boards().filter((one) => one.path !== path && isWritable(one));
  }

  async priority(board: Board, tasks: readonly Task[]): Promise<void> {
    const choices = PRIORITIES.map((value) => ({ text: `Priority ${value}`, value }));
    const priority = await pick<Priority>(this.app, choices, `Priority of ${whatOf(tasks)}`);
    if (priority === undefined) return;
    await this.actions.update(board, tasks, { priority }, `priority ${priority}`);
  }

  async assign(board: Board, task: Task): Promise<void> {
    const owner = await this.owner(board, `Assign ${task.title} to…`, task.owner);
    if (owner !== undefined) await this.actions.assign(board, task, owner);
  }

  async assignAll(board: Board, tasks: readonly Task[]): Promise<void> {
    const owner = await this.owner(board, `Assign ${whatOf(tasks)} to…`);
    if (owner === undefined) return;
    const whose = owner === 'me' ? 'you' : (owner ?? 'nobody');
    await this.actions.update(board, tasks, { owner }, `assigned to ${whose}`);
  }

  private owner(board: Board, placeholder: string, now?: string | null) {
    const agents = new Set([board, ...this.boards()].map(({ agent }) => agent));
    const choices: PickItem<string | null>[] = [
      { text: 'You', value: 'me' },
      ...[...agents].map((agent) => ({ text: agent, value: agent })),
      { text: 'Nobody', value: null },
    ].filter(({ value }) => value !== now);
    return this.pick(choices, placeholder, '');
  }

  private async pick<T>(
    choices: readonly PickItem<T>[],
    placeholder: string,
    none: string,
  ): Promise<T | undefined> {
    if (choices.length === 0) this.actions.writes.notify(none);
    return pick(this.app, choices, placeholder, true);
  }
}

function whatOf(tasks: readonly Task[]): string {
  return tasks.length === 1 ? (tasks[0]?.title ?? '') : `${tasks.length} tasks`;
}

function label(task: Task): string {
  return task.n === null ? task.title : `${task.title} · ${nameOf(task)}`;
}
