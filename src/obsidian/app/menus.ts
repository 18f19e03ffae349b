import { Menu, Platform } from 'obsidian';
import type { Board, Status, Task } from '../../core/board/task';
import { STATUS_ORDER, STATUS_WORDS } from '../ui/text';
import type { PhaseMenuExtras, TaskMenuExtras } from '../board/intents';
import type { OverviewState } from '../model/overview';
import type { RunChoice } from '../run/run-panels';

interface TaskMenuChoices {
  readonly setStatus: (status: Status) => void;
  readonly depend: () => void;
  readonly undepend: () => void;
  readonly move: () => void;
  readonly assign: () => void;
  /** sets or clears that it is done only when the person says so */
  readonly approve: () => void;
  readonly remove: () => void;
  readonly open: () => void;
  readonly copyLink: () => void;
  /** what agents did while they were at it */
  readonly audit: () => void;
}

/** The six statuses, the present one ticked. */
export function statusMenu(task: Task, setStatus: (status: Status) => void): Menu {
  const menu = new Menu();
  addStatuses(menu, task, setStatus);
  return menu;
}

/** What can be done with a phase. */
export function phaseMenu(
  { broken }: Board,
  phase: string,
  choices: { readonly add: () => void; readonly open: () => void },
  { expanded, fold }: PhaseMenuExtras,
): Menu {
  const menu = new Menu();
  if (Platform.isPhone) menu.addItem((item) => item.setTitle(phase).setIsLabel(true));
  const add = (title: string, icon: string, run: () => void): void =>
    void menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
  if (broken === null) add(`Add task to ${phase}…`, 'plus', choices.add);
  if (expanded) add('Fold', 'chevrons-down-up', fold);
  else add('Unfold', 'chevrons-up-down', fold);
  add('Open in note', 'file-text', choices.open);
  return menu;
}

/** The first task of a phase: there its note opens. */
export function firstIn({ tasks }: Board, phase: string): Task | undefined {
  return tasks.find((task) => task.phase === phase);
}

/** Everything that can be done with a task. */
export function taskMenu(
  board: Board,
  task: Task,
  choices: TaskMenuChoices,
  extras: TaskMenuExtras,
): Menu {
  const menu = new Menu();
  // A sheet comes up far from the row that it is about.
  if (Platform.isPhone) menu.addItem((item) => item.setTitle(task.title).setIsLabel(true));
  if (board.broken === null) {
    addStatuses(menu, task, choices.setStatus);
    menu.addSeparator();
    const add = (title: string, icon: string, run: () => void): void =>
      void menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
    add('Rename', 'pencil', extras.rename);
    add('Add task after', 'plus', extras.addAfter);
    add('Add subtask', 'list-tree', extras.addUnder);
    menu.addSeparator();
    add('Add dependency…', 'hourglass', choices.depend);
    if (task.dependsOn.length > 0) add('Remove dependency…', 'lock-open', choices.undepend);
    add('Move task…', 'move', choices.move);
    add('Assign task…', 'user-round', choices.assign);
    menu.addItem((item) =>
      item
        .setTitle('Require my approval')
        .setIcon('circle-check')
        .setChecked(task.approve === 'me')
        .onClick(choices.approve),
    );
    menu.addSeparator();
    add('Remove task…', 'trash-2', choices.remove);
    menu.addSeparator();
  }
  menu.addItem((item) => item.setTitle('Open in note').setIcon('file-text').onClick(choices.open));
  if (task.id !== null) {
    menu.addItem((item) => item.setTitle('Copy link').setIcon('link').onClick(choices.copyLink));
    menu.addItem((item) =>
      item.setTitle('Show in audit').setIcon('scroll-text').onClick(choices.audit),
    );
  }
  return menu;
}

function addStatuses(menu: Menu, task: Task, setStatus: (status: Status) => void): void {
  for (const status of STATUS_ORDER) {
    const { word, icon } = STATUS_WORDS[status];
    menu.addItem((item) =>
      item
        .setTitle(word)
        .setIcon(icon)
        .setChecked(status === task.status)
        .onClick(() => setStatus(status)),
    );
  }
}

interface SessionMenuChoices {
  readonly openConversation: () => void;
  /** opens a run by its id */
  readonly openRun: (id: string) => void;
  /** what can be done to a run, by its id */
  readonly runChoices: (id: string) => readonly RunChoice[];
  readonly send: () => void;
  readonly stop: () => void;
  /** goes on with the plan; undefined where it can't */
  readonly goOn: (() => void) | undefined;
  /** whether it goes on by itself; undefined for sessions of sub-agents */
  readonly byItself: { readonly on: boolean; readonly set: (on: boolean) => void } | undefined;
  readonly openPlan: (board: Board) => void;
  readonly rename: () => void;
  readonly remove: () => void;
  readonly shelve: () => void;
  /** whether its plan can go on in a new session */
  readonly canContinue: (board: Board) => boolean;
  readonly continuePlan: (board: Board) => void;
}

/** What can be done with a session, as things stand. */
export function sessionMenu(
  { sessions, boards, connection, runs }: OverviewState,
  sessionId: string,
  choices: SessionMenuChoices,
): Menu {
  const menu = new Menu();
  const add = (title: string, icon: string, run: () => void) =>
    menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
  add('Open conversation', 'messages-square', choices.openConversation);
  const run = runs.find(({ session }) => session === sessionId);
  if (run !== undefined) {
    menu.addSeparator();
    add('Open run panel', 'goal', () => choices.openRun(run.id));
    for (const { label, icon, act } of choices.runChoices(run.id)) add(label, icon, act);
    menu.addSeparator();
  }
  const state = sessions.find((session) => session.id === sessionId)?.state.kind;
  if (state !== undefined && state !== 'ended' && connection.kind === 'connected') {
    add('Send message to session…', 'message-square', choices.send);
    if (state === 'busy' || state === 'retry') add('Stop this turn', 'square', choices.stop);
    if (choices.goOn !== undefined) add('Continue with next task', 'play', choices.goOn);
  }
  const { byItself } = choices;
  if (byItself !== undefined) {
    menu.addItem((item) =>
      item
        .setTitle('Continue by itself')
        .setIcon('repeat')
        .setChecked(byItself.on)
        .onClick(() => byItself.set(!byItself.on)),
    );
  }
  for (const board of boards.filter((one) => one.session === sessionId)) {
    add(`Open plan of ${board.agent} as note`, 'file-text', () => choices.openPlan(board));
    if (!choices.canContinue(board)) continue;
    const which = `Continue plan of ${board.agent} in a new session`;
    add(which, 'git-branch-plus', () => choices.continuePlan(board));
  }
  if (boards.some((one) => one.session === sessionId && one.shelved !== true)) {
    add('Archive session', 'archive', choices.shelve);
  }
  if (state !== undefined) {
    add('Rename session…', 'pencil', choices.rename);
    add('Delete session…', 'trash-2', choices.remove);
  }
  return menu;
}
