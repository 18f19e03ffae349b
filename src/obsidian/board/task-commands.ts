import type { App, Command } from 'obsidian';
import { isFinished, isUnderReview } from '../../core/board/facts';
import { titleForEditing } from '../../core/board/note/typed-task';
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
import { taskWork, type TaskWork } from '../session/task-work';
import type { Overview } from '../model/overview';
import { askForText, pick, type PickItem } from '../ui/dialog';
import { STATUS_ORDER, STATUS_WORDS, typedProblem } from '../ui/text';
import { conditionalCommand } from '../ui/menu';
import { activeViewActions, boardsInView, type ChosenTask } from '../ui/view-actions';
import { subtreeOf, nameOf } from '../../core/board/find-task';
import { taskTree } from '../model/outline';
import { isWritable } from '../board-view/shown-boards';
import { t } from '../language/text';

interface TaskUi {
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly reviews: Reviews;
  readonly taskSessions: Pick<TaskSessions, 'starter'>;
  readonly services: { readonly overview: Pick<Overview, 'state'> };
}

/** Actions on the agent of a task, shared with views and menus. */
interface AgentActions {
  readonly stopTurn: (sessionId: string) => void;
  readonly openConversation: (sessionId: string) => void;
}

/** Commands about one task: the focused one, else a picker asks which. */
export function taskCommands(
  app: App,
  choose: Chooser,
  ui: TaskUi,
  showInAudit: (task: string) => unknown,
  agentActs: AgentActions,
): readonly Command[] {
  const { boards: actions } = ui;
  const pickStatus = (title: string) => {
    const words = STATUS_ORDER.map((value) => ({ text: STATUS_WORDS[value].word, value }));
    return pick<Status>(app, words, title);
  };
  const rows: readonly TaskCommandRow[] = [
    [
      'set-status',
      t('board.changeTaskStatus'),
      async (board, task) => {
        const status = await pickStatus(t('board.statusOfTitle', { title: task.title }));
        if (status !== undefined) await actions.setStatus(board, task, status);
      },
      () => true,
      async (board, tasks) => {
        const status = await pickStatus(t('app.statusOfTasks', { count: tasks.length }));
        if (status !== undefined) await actions.setStatuses(board, tasks, status);
      },
    ],
    [
      'complete-task',
      t('board.completeTask'),
      (...on) => actions.setStatus(...on, 'completed'),
      isOpen,
      (board, tasks) => actions.setStatuses(board, tasks.filter(isOpen), 'completed'),
    ],
    [
      'rename-task',
      t('board.renameTask'),
      async (board, task) => {
        const initial = titleForEditing(task.title);
        const title = await askForText(app, {
          ...{
            title: t('board.renameTask'),
            placeholder: t('board.titleHint'),
            yes: t('common.rename'),
            initial,
          },
          check: (text) => typedProblem(board, text),
        });
        if (title !== undefined && title !== initial) await actions.rename(board, task, title);
      },
    ],
    [
      'add-subtask',
      t('board.addSubtask'),
      async (board, task) => {
        const title = await askForTaskTitle(
          app,
          t('board.addSubtaskOfTitle', { title: task.title }),
          board,
        );
        if (title !== undefined) await actions.add(board, title, { parent: targetOf(task) });
      },
    ],
    ...moreRows(app, ui, showInAudit),
    ...agentRows(ui, agentActs),
  ];
  return rows.map(([id, name, run, fits = () => true, runAll]) => {
    const onChosen = async () => {
      const words = t('board.chooseATask', { command: name.replace('…', '') });
      const chosen = await choose.task(words, fits, runAll !== undefined);
      if (chosen === undefined) return;
      const { board, task, tasks = [task] } = chosen;
      await (tasks.length > 1 && runAll ? runAll(board, tasks) : run(board, task));
    };
    return conditionalCommand(id, name, () => choose.has(fits), onChosen);
  });
}

function moreRows(
  app: App,
  ui: TaskUi,
  showInAudit: (task: string) => unknown,
): readonly TaskCommandRow[] {
  const { boards: actions, pickers, reviews, taskSessions } = ui;
  return [
    ...manyRows(ui),
    ['add-dependency', t('common.addDependency'), (...on) => pickers.depend(...on)],
    [
      'remove-dependency',
      t('app.removeDependency'),
      (...on) => pickers.undepend(...on),
      (task) => task.dependsOn.length > 0,
    ],
    [
      'take-task',
      t('board.takeOverTask'),
      (...on) => actions.assign(...on, 'me'),
      ({ owner }) => owner !== 'me',
    ],
    ['edit-task', t('app.editTask'), (...on) => editTask(app, actions, ...on)],
    [
      'have-it-done',
      t('app.haveItDone'),
      // In the plugin's views this applies to all selected tasks.
      (board, task) =>
        (activeViewActions(app)['have-it-done'] ?? taskSessions.starter(board, [task]))?.(),
      (task, board) => taskSessions.starter(board, [task]) !== undefined,
    ],
    ['review-task', t('board.reviewTask'), (...on) => reviews.open(...on), isUnderReview],
    ['accept-task', t('board.acceptTask'), (...on) => reviews.accept(...on), isUnderReview],
    ['send-back-task', t('board.sendTaskBack'), (...on) => reviews.sendBack(...on), isUnderReview],
    [
      'require-approval',
      t('board.requireMyApprovalOfTask'),
      (...on) => actions.approve(...on, true),
      (task) => isOpen(task) && task.approve !== 'me',
    ],
    [
      'drop-approval',
      t('board.requireNoApprovalOfTask'),
      (...on) => actions.approve(...on, false),
      ({ approve }) => approve === 'me',
    ],
    [
      'show-task-in-audit',
      t('board.showTaskInAudit'),
      (_, { id }) => showInAudit(id ?? ''),
      ({ id }) => id !== null,
    ],
  ];
}

/** Commands that apply to all selected tasks. */
function manyRows({ boards: actions, pickers }: TaskUi): readonly TaskCommandRow[] {
  return [
    [
      'remove-task',
      t('app.removeTask'),
      (board, task) => actions.remove(board, [task]),
      () => true,
      (...on) => actions.remove(...on),
    ],
    [
      'move-task',
      t('app.moveTask'),
      (board, task) => pickers.move(board, [task]),
      () => true,
      (...on) => pickers.move(...on),
    ],
    [
      'move-to-plan',
      t('app.moveToAnotherPlan'),
      (board, task) => pickers.moveToOtherPlan(board, [task]),
      (_, board) => pickers.hasOtherPlan(board),
      (...on) => pickers.moveToOtherPlan(...on),
    ],
    [
      'set-priority',
      t('board.setPriority'),
      (board, task) => pickers.setPriority(board, [task]),
      () => true,
      (...on) => pickers.setPriority(...on),
    ],
    [
      'archive-task',
      t('board.archiveTask'),
      (board, task) => actions.archive(board, [task]),
      (task, board) => finishedAmong(board, [task]).length > 0,
      (board, tasks) => actions.archive(board, finishedAmong(board, tasks)),
    ],
    [
      'assign-task',
      t('board.assignTask'),
      (...on) => pickers.assign(...on),
      () => true,
      (...on) => pickers.assignAll(...on),
    ],
  ];
}

/** Commands about the agent that was started for a task. */
function agentRows(
  { services, taskSessions }: TaskUi,
  { stopTurn, openConversation }: AgentActions,
): readonly TaskCommandRow[] {
  const workOn = (task: Task, board: Board) => taskWork(services.overview.state, board, task);
  const on = (act: (sessionId: string) => void) => (board: Board, task: Task) => {
    const work = workOn(task, board);
    if (work !== undefined) act(work.sessionId);
  };
  const fits = (also: (work: TaskWork) => boolean) => (task: Task, board: Board) => {
    const work = workOn(task, board);
    return work !== undefined && also(work);
  };
  return [
    ['stop-task-agent', t('board.stopAgentOnTask'), on(stopTurn), fits(({ works }) => works)],
    [
      'open-task-conversation',
      t('board.openConversationAboutTask'),
      on(openConversation),
      fits(() => true),
    ],
    [
      'try-task-again',
      t('board.haveItDoneAgain'),
      (board, task) => taskSessions.starter(board, [task])?.(),
      (task, board) =>
        fits(({ failed }) => failed)(task, board) &&
        taskSessions.starter(board, [task]) !== undefined,
    ],
  ];
}

const isOpen = (task: Task) => !isFinished(task);

/** Those of the tasks that can be archived: they are finished, with all under them. */
export function finishedAmong(board: Board, tasks: readonly Task[]): readonly Task[] {
  return tasks.filter((task) => subtreeOf(board, task).every(isFinished));
}

type TaskCommandRow = readonly [
  id: string,
  name: string,
  run: (board: Board, task: Task) => unknown,
  fits?: (task: Task, board: Board) => boolean,
  /** Applies to several selected tasks; if absent, the command is about the focused one alone. */
  runAll?: (board: Board, tasks: readonly Task[]) => unknown,
];

/** Asks for the title of a new task; resolves to undefined if none was given. */
export function askForTaskTitle(
  app: App,
  title: string,
  board: Board,
): Promise<string | undefined> {
  return askForText(app, {
    ...{ title, placeholder: t('board.whatIsToBeDone'), yes: t('board.add') },
    check: (text) => typedProblem(board, text),
  });
}

/** Asks which archived task of a board to restore, and restores it. */
export async function restoreArchived(
  app: App,
  manager: Pick<TodoManager, 'archived'>,
  actions: BoardActions,
  board: Board,
): Promise<void> {
  // Top-level tasks of the archive, latest first; a task is restored with everything under it.
  const tasks = await actions.writes.read(() => manager.archived(board.path));
  if (tasks === undefined) return;
  const tops = tasks.filter(({ parent }) => parent === null).reverse();
  if (tops.length === 0) return actions.writes.notify(t('board.archiveIsEmpty'));
  const choices = tops.map((task) => ({ text: task.title, value: task }));
  const task = await pick(app, choices, t('board.restoreWhichTask'), true);
  if (task !== undefined) await actions.restore(board, task);
}

/** Finds the board or task that a command is about: the focused one, else asks. */
export class Chooser {
  constructor(
    private readonly app: App,
    readonly boards: () => readonly Board[],
    /** the focused task, if a view of the plugin is active */
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
    return pick(this.app, boardsInView(this.app, boards).map(boardItem), t('board.chooseAPlan'));
  }

  /** @param many whether one of several selected tasks has to fit, not the focused one */
  task(
    placeholder: string,
    fits: (task: Task, board: Board) => boolean = () => true,
    many = false,
  ): Promise<ChosenTask | undefined> {
    const there = this.selected();
    const { board: plan, task: focused, tasks: selected = [] } = there ?? {};
    const own = many && selected.length > 1 ? selected : [focused];
    if (plan && own.some((task) => task && fits(task, plan))) return Promise.resolve(there);
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

/** A board as an item of a picker. */
export function boardItem(board: Board): PickItem<Board> {
  return { text: `${board.title} (${board.agent})`, value: board };
}

/** Changes of a task that need a second choice: a dependency, a destination, an owner. */
export class TaskPickers {
  constructor(
    private readonly app: App,
    private readonly actions: BoardActions,
    private readonly boards: () => readonly Board[],
    /** agents of the connected program; empty if none is connected */
    private readonly agents: () => Promise<readonly PickItem<string>[]>,
  ) {}

  /** Asks on which task it should depend. A cycle is refused on writing, with its path. */
  async depend(board: Board, task: Task): Promise<void> {
    const own = new Set(subtreeOf(board, task).map(({ key }) => key));
    const choices = board.tasks
      .filter(({ id, key }) => !own.has(key) && !task.dependsOn.includes(id ?? ''))
      .map((one) => ({ text: taskLabel(one), value: one }));
    const on = await this.pick(
      choices,
      t('board.waitsForWhat', { title: task.title }),
      t('board.noOtherTask'),
    );
    if (on !== undefined) await this.actions.depend(board, task, on);
  }

  async undepend(board: Board, task: Task): Promise<void> {
    const choices = task.dependsOn.map((id): PickItem<TaskTarget> => {
      const on = board.tasks.find((one) => one.id === id);
      return { text: on ? taskLabel(on) : id, value: on ?? { id, line: 0, title: id } };
    });
    const none = t('board.waitsForNoTask', { title: task.title });
    const on = await this.pick(
      choices,
      t('board.noLongerWaitsForWhat', { title: task.title }),
      none,
    );
    if (on !== undefined) await this.actions.undepend(board, task, on);
  }

  /** Asks for a title, and adds the task at the end of a phase. */
  async addToPhase(board: Board, phase: string): Promise<void> {
    const title = await askForText(this.app, {
      ...{
        title: t('board.addTaskToPhase', { phase }),
        placeholder: t('board.whatIsToBeDone'),
        yes: t('board.add'),
      },
    });
    if (title !== undefined) await this.actions.add(board, title, { phase });
  }

  async move(board: Board, tasks: readonly Task[]): Promise<void> {
    const own = new Set(tasks.flatMap((task) => subtreeOf(board, task)));
    const others = board.tasks.filter((task) => !own.has(task));
    const used = taskTree(board).flatMap(({ title }) => title ?? []);
    const phases = new Set([...used, ...(board.emptyPhases ?? [])]);
    const choices: PickItem<TaskDestination>[] = [
      ...[...phases].map((phase) => ({
        text: t('board.toTheEndOfPhase', { phase }),
        value: { phase },
      })),
      ...others.map((one) => ({
        text: t('board.afterTask', { task: taskLabel(one) }),
        value: { after: targetOf(one) },
      })),
      ...others.map((one) => ({
        text: t('board.underTask', { task: taskLabel(one) }),
        value: { parent: targetOf(one) },
      })),
    ];
    const place = await this.pick(
      choices,
      t('board.moveTasks', { tasks: tasksLabel(tasks) }),
      t('board.noOtherPlace'),
    );
    if (place !== undefined) await this.actions.move(board, tasks, place);
  }

  /** Whether there is another plan to move tasks to. */
  hasOtherPlan(board: Board): boolean {
    return this.others(board).length > 0;
  }

  /** Moves tasks after the last task of another plan, which the person picks. */
  async moveToOtherPlan(board: Board, tasks: readonly Task[]): Promise<void> {
    const choices = this.others(board).map(boardItem);
    const to = await this.pick(
      choices,
      t('board.moveTasksTo', { tasks: tasksLabel(tasks) }),
      t('board.noOtherPlan'),
    );
    if (to !== undefined) await this.actions.move(board, tasks, undefined, to);
  }

  private others({ path }: Board): readonly Board[] {
    return this.boards().filter((one) => one.path !== path && isWritable(one));
  }

  async setPriority(board: Board, tasks: readonly Task[]): Promise<void> {
    const choices = PRIORITIES.map((value) => ({
      text: t('board.priorityIs', { priority: t(`priorityInside.${value}`) }),
      value,
    }));
    const priority = await pick<Priority>(
      this.app,
      choices,
      t('board.priorityOfTasks', { tasks: tasksLabel(tasks) }),
    );
    if (priority === undefined) return;
    const notice = t('board.tasksHavePriority', {
      count: tasks.length,
      priority: t(`priorityInside.${priority}`),
    });
    await this.actions.update(board, tasks, { priority }, notice);
  }

  async assign(board: Board, task: Task): Promise<void> {
    const owner = await this.pickOwner(
      board,
      t('board.assignTitleTo', { title: task.title }),
      task.owner,
    );
    if (owner !== undefined) await this.actions.assign(board, task, owner);
  }

  async assignAll(board: Board, tasks: readonly Task[]): Promise<void> {
    const owner = await this.pickOwner(
      board,
      t('board.assignTasksTo', { tasks: tasksLabel(tasks) }),
    );
    if (owner === undefined) return;
    const count = tasks.length;
    const notice =
      owner === null
        ? t('board.assignedToNobody', { count })
        : owner === 'me'
          ? t('board.assignedToYou', { count })
          : t('board.assignedTo', { count, owner });
    await this.actions.update(board, tasks, { owner }, notice);
  }

  private async pickOwner(board: Board, placeholder: string, now?: string | null) {
    const agents = await this.agents();
    const others = new Set([board, ...this.boards()].map(({ agent }) => agent));
    for (const { value } of agents) others.delete(value);
    const choices: PickItem<string | null>[] = [
      { text: t('common.you'), value: 'me' },
      ...agents,
      ...[...others].map((agent) => ({ text: agent, value: agent })),
      { text: t('board.nobody'), value: null },
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

function tasksLabel(tasks: readonly Task[]): string {
  return tasks.length === 1 ? (tasks[0]?.title ?? '') : t('common.tasks', { count: tasks.length });
}

function taskLabel(task: Task): string {
  return task.n === null ? task.title : `${task.title} · ${nameOf(task)}`;
}
