import type { Plugin } from 'obsidian';
import { isFinished, underReview } from '../../core/board/facts';
import { familyOf } from '../../core/board/find-task';
import type { Board, Task } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import { canDo, hostTitle } from '../../core/session/session-host';
import type { Feature } from '../../protocol/handshake';
import type { Prompts } from '../ask/prompts';
import type { BoardActions } from '../board/board-actions';
import { topsOf } from '../board/task-moves';
import type { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { compareCopies } from '../board/compare-copies';
import type { Intents } from '../board/intents';
import { showRepairs } from '../board/repairs';
import type { Reviews } from '../board/review-dialog';
import { restoreArchived, type ChosenTask, type TaskPickers } from '../board/task-commands';
import { openAsBoard } from '../board-view/open-board-view';
import { canGoOn } from '../board-view/shown-boards';
import type { Conversations } from '../conversation/conversations';
import { editTask } from '../board/task-form';
import { openGraph } from '../graph/graph-view';
import type { LinkCopies } from '../link/links';
import type { NoteTasksPanel } from '../note-tasks/note-tasks';
import { openAsText, openAtLine, openBoard } from '../note/open-board';
import type { OverviewState } from '../model/overview';
import type { RunPanels } from '../run/run-panels';
import type { HandOver } from '../session/hand-over';
import type { MetricsPanel } from '../metrics/metrics-panel';
import type { ProblemsPanel } from '../problems/problems-panel';
import type { AgentsPanel } from '../config/agents-panel';
import type { SessionActions } from '../session/session-actions';
import type { TaskSessions } from '../session/task-sessions';
import { taskWork } from '../session/task-work';
import type { SessionKeeping } from '../session/session-keeping';
import { TREE_KEYS } from '../sidebar/tree-command';
import type { SidebarRequests } from '../sidebar/ui-state';
import { showKeyMap } from '../ui/dialog';
import { line, showMenu, type MenuEntry, type MenuLine } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { disconnectWords, STATUS_ORDER, STATUS_WORDS } from '../ui/text';
import type { CoreServices } from './core-services';
import { connectionDetails } from './diagnostics';
import type { Services } from './services';
import type { ToolUi } from './tool-ui';
import { t } from '../language/text';

/** The objects that the person's actions need; created once, by `pluginUi`. */
export interface UiServices {
  readonly plugin: Plugin;
  readonly parts: CoreServices;
  readonly services: Services;
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly checkpoints: CheckpointDialogs;
  readonly sessions: SessionActions;
  readonly taskSessions: TaskSessions;
  readonly keeping: SessionKeeping;
  readonly handOver: HandOver;
  readonly prompts: Prompts;
  readonly tools: ToolUi;
  readonly runs: RunPanels;
  readonly reviews: Reviews;
  readonly conversations: Conversations;
  readonly requests: SidebarRequests;
  readonly links: LinkCopies;
  readonly noteTasks: NoteTasksPanel;
  readonly problems: ProblemsPanel;
  readonly metrics: MetricsPanel;
  readonly agents: AgentsPanel;
  /** opens the timeline of a board */
  readonly openTimeline: (board: Board) => Promise<void>;
}

export interface PluginIntents extends Intents {
  /** The focused task of one of our views, as the boards are now. */
  chosen(): ChosenTask | undefined;
}

/** The command that starts OpenCode in the current folder. */
const START_COMMAND = 'opencode';

/** Carries out what the views request. */
export function makeIntents(ui: UiServices): PluginIntents {
  const { plugin, services, boards, pickers, sessions, prompts, conversations } = ui;
  const { app } = plugin;
  const { store } = ui.parts;
  const { overview } = services;
  const { auto } = services.continues;
  const { own } = boards.writes;
  let on: { readonly path: string; readonly key: string } | undefined;
  const intents: PluginIntents = {
    tick: (board, task) => void boards.tick(board, task),
    rename: (board, task, title) => void boards.rename(board, task, title),
    tellLost,
    add: (board, title, place) => boards.add(board, title, place),
    tickAll: (board, tasks) => void boards.tickAll(board, tasks),
    remove: (board, tasks) => void boards.remove(board, tasks),
    step: (...step) => void boards.step(...step),
    move: (...move) => void boards.move(...move),
    arrange: (...move) => boards.arrange(...move),
    reviewTask: (board, task) => void ui.reviews.open(board, task),
    accept: (board, task) => void ui.reviews.accept(board, task),
    sendBack: (board, task) => void ui.reviews.sendBack(board, task),
    chooseReviews: (board) => void ui.reviews.choose(board),
    archive: (board) => void boards.archive(board),
    restore: (board) => void restoreArchived(app, services.manager.now, boards, board),
    openAsBoard: (session) => void openAsBoard(app, session),
    depend: (board, task) => void pickers.depend(board, task),
    undepend: (board, task) => void pickers.undepend(board, task),
    dependOn: (...on) => void boards.depend(...on),
    undependOn: (...on) => void boards.undepend(...on),
    openGraph: (board) => void openGraph(app, board),
    handOver: (board) => void ui.handOver.ask(board),
    undo: () => void own.undo(),
    redo: () => void own.redo(),
    open: (board, task, newTab) => void openBoard({ app, store }, board, task, newTab),
    seen: (path, key) => overview.seen(path, key),
    startSession: () => void sessions.start(),
    connect: () => services.connect(),
    installBridge: () => void services.installBridge(),
    copyCommand: () => void copyText(START_COMMAND, notify, t('app.commandCopied')),
    review: (requestId, step) => prompts.review(requestId, step),
    allowOnce: (requestId) => prompts.allowOnce(requestId),
    choose: (requestId, label) => prompts.choose(requestId, label),
    checkAgain: () => services.look(),
    repair: (board, { fix }) => {
      if (fix?.type === 'renumber') void boards.renumber(board, fix.target);
    },
    openFinding: (board, { kind, path, line }) =>
      void (kind === 'two-versions' && path === board.path
        ? openAsText(app, path, line)
        : openAtLine({ app, store }, path, line, board)),
    chooseVersion: (...choice) => void boards.chooseVersion(...choice),
    showRepairs: () => showRepairs(app, overview, intents),
    compare: (board, copies) =>
      void compareCopies(app, store, board, copies, () => services.look()),
    openConversation: (sessionId) => void conversations.open(sessionId),
    stopTurn: (sessionId) => void sessions.stop(sessionId),
    continueNow: (sessionId) => auto.continueNow(sessionId),
    stopContinuing: (sessionId) => auto.stop(sessionId),
    sessionMenu: (sessionId, anchor) => showMenu(anchor, sessionLines(ui, intents, sessionId)),
    moreMenu: (anchor) => showMenu(anchor, moreLines(ui, intents)),
    openRun: (id) => void ui.runs.open(id),
    doRun: (id, intent) => ui.runs.do(id, intent),
    showKeys: (title, lines) => showKeyMap(app, title, lines),
    haveDone: (board, tasks) => ui.taskSessions.starter(board, tasks),
    ...boardMenus(ui, () => intents),
    selected: (board, task) => {
      on = board && task && { path: board.path, key: task.key };
    },
    chosen: () => {
      const board = overview.state.boards.find(({ path }) => path === on?.path);
      const task = board?.tasks.find(({ key }) => key === on?.key);
      return board && task && { board, task };
    },
  };
  return intents;
}

function tellLost(title: string, typed: string): void {
  const copy = () => void copyText(typed, notify);
  const words = t('app.notShownAnyMore', { title, typed });
  notify(words, { label: t('common.copy'), onClick: copy, stays: true });
}

type BoardMenus = Pick<Intents, 'statusMenu' | 'taskMenu' | 'manyMenu' | 'phaseMenu'>;

function boardMenus(
  { plugin, services, boards, pickers, tools, links, noteTasks }: UiServices,
  intents: () => Intents,
): BoardMenus {
  const statuses = (board: Board, tasks: readonly Task[]) => statusLines(boards, board, tasks);
  return {
    statusMenu: (board, tasks, anchor) => {
      const title = tasks.length > 1 ? t('app.statusOfTasks', { count: tasks.length }) : undefined;
      showMenu(anchor, statuses(board, tasks), title);
    },
    manyMenu: (board, tasks, anchor, view) => {
      const edits = manyLines({ boards, pickers }, board, tasks, view.moveTo);
      const lines = [
        ...statuses(board, tasks),
        null,
        haveDoneLine(intents(), board, tasks),
        ...edits,
        line('x', t('app.clearSelection'), view.clear),
      ];
      showMenu(anchor, lines, t('common.tasks', { count: tasks.length }));
    },
    taskMenu: (board, task, anchor, extras) => {
      const { id } = task;
      const approve = task.approve === 'me';
      const changeApproval = () => boards.approve(board, task, !approve);
      const waits = task.dependsOn.length > 0;
      const waitsForMe = underReview(task);
      const edits: readonly MenuLine[] = [
        waitsForMe && line('eye', t('app.review'), () => intents().reviewTask(board, task)),
        waitsForMe && line('check', t('common.accept'), () => intents().accept(board, task)),
        waitsForMe && line('undo-2', t('app.sendBack'), () => intents().sendBack(board, task)),
        waitsForMe && null,
        ...statuses(board, [task]),
        null,
        ...agentLines(intents(), board, task, services.overview.state),
        extras.rename !== undefined && line('pencil', t('common.rename'), extras.rename),
        line('square-pen', t('app.editTask'), () => editTask(plugin.app, boards, board, task)),
        extras.addAfter !== undefined && line('plus', t('app.addTaskAfter'), extras.addAfter),
        extras.addUnder !== undefined && line('list-tree', t('app.addSubtask'), extras.addUnder),
        null,
        line('hourglass', t('common.addDependency'), () => pickers.depend(board, task)),
        waits && line('lock-open', t('app.removeDependency'), () => pickers.undepend(board, task)),
        extras.moveTo !== undefined && line('kanban', t('app.moveTo'), extras.moveTo),
        line('move', t('app.moveTask'), () => pickers.move(board, [task])),
        pickers.hasOther(board) &&
          line('file-output', t('app.moveToAnotherPlan'), () => pickers.moveAway(board, [task])),
        line('user-round', t('app.assignTask'), () => pickers.assign(board, task)),
        line('circle-check', t('app.requireMyApproval'), changeApproval, approve),
        null,
        line('trash-2', t('app.removeTask'), () => boards.remove(board, [task])),
        null,
      ];
      const lines: readonly MenuLine[] = [
        ...(board.broken === null ? edits : []),
        line('file-text', t('app.openInNote'), () => intents().open(board, task, false)),
        line('file-check', t('app.openANoteOfTask'), () => noteTasks.openNote(board, task)),
        links.task(board, task),
        id !== null &&
          line('scroll-text', t('app.showInAudit'), () => tools.audit.open({ task: id })),
      ];
      showMenu(anchor, lines, task.title);
    },
    phaseMenu: (board, phase, anchor, { expanded, fold }) => {
      // "Open in note" goes to the first task of the phase.
      const first = board.tasks.find((task) => task.phase === phase);
      const add = () => pickers.addTo(board, phase);
      const lines: readonly MenuLine[] = [
        board.broken === null && line('plus', t('app.addTaskTo', { phase }), add),
        expanded
          ? line('chevrons-down-up', t('app.fold'), fold)
          : line('chevrons-up-down', t('app.unfold'), fold),
        line('file-text', t('app.openInNote'), () => intents().open(board, first, false)),
      ];
      showMenu(anchor, lines, phase);
    },
  };
}

/** Menu lines about agents for a task. */
function agentLines(
  intents: Intents,
  board: Board,
  task: Task,
  state: OverviewState,
): readonly MenuLine[] {
  const start = haveDoneLine(intents, board, [task]);
  const work = taskWork(state, board, task);
  if (work === undefined) return [start];
  const { sessionId, works } = work;
  return [
    start,
    works && line('square', t('app.stopAgent'), () => intents.stopTurn(sessionId)),
    line('messages-square', t('common.openConversation'), () =>
      intents.openConversation(sessionId),
    ),
  ];
}

function haveDoneLine(intents: Intents, board: Board, tasks: readonly Task[]): MenuLine {
  const start = intents.haveDone(board, tasks);
  return start !== undefined && line('bot', t('app.haveItDone'), start);
}

function statusLines(
  boards: BoardActions,
  board: Board,
  tasks: readonly Task[],
): readonly MenuLine[] {
  return STATUS_ORDER.map((status) => {
    const { icon, word } = STATUS_WORDS[status];
    const set = () => boards.setStatuses(board, tasks, status);
    return line(
      icon,
      word,
      set,
      tasks.every((task) => task.status === status),
    );
  });
}

/** Menu lines for several tasks, except their status. */
function manyLines(
  { boards, pickers }: Pick<UiServices, 'boards' | 'pickers'>,
  board: Board,
  tasks: readonly Task[],
  moveTo: (() => void) | undefined,
): readonly MenuLine[] {
  const many = { count: tasks.length };
  const finished = tasks.filter((task) => familyOf(board, task).every(isFinished));
  return [
    moveTo !== undefined && line('kanban', t('app.moveTasksTo', many), moveTo),
    line('move', t('app.moveTasks', many), () => pickers.move(board, tasks)),
    pickers.hasOther(board) &&
      line('file-output', t('app.moveTasksAway', many), () => pickers.moveAway(board, tasks)),
    line('signal', t('app.setPriorityOf', many), () => pickers.priority(board, tasks)),
    line('user-round', t('app.assignTasks', many), () => pickers.assignAll(board, tasks)),
    finished.length > 0 &&
      line('archive', t('app.archiveFinished', { count: finished.length }), () =>
        boards.archive(board, topsOf(board, finished)),
      ),
    null,
    line('trash-2', t('app.removeTasks', many), () => boards.remove(board, tasks)),
  ];
}

/** Menu lines for a session in its current state. */
function sessionLines(ui: UiServices, intents: Intents, id: string): readonly MenuLine[] {
  const { services, sessions, keeping, runs, links } = ui;
  const { auto } = services.continues;
  const { state } = services.overview;
  const session = state.sessions.find((one) => one.id === id);
  const kind = session?.state.kind;
  const run = state.runs.find((one) => one.session === id);
  const boards = state.boards.filter((one) => one.session === id);
  const online = kind !== undefined && kind !== 'ended' && state.connection.kind === 'connected';
  const able = (feature: Feature, entry: MenuEntry): MenuEntry =>
    session === undefined || canDo(session, feature)
      ? entry
      : { ...entry, why: elsewhere(session) };
  return [
    line('messages-square', t('common.openConversation'), () => intents.openConversation(id)),
    boards.length > 0 && line('kanban', t('app.openPlanAsBoard'), () => intents.openAsBoard(id)),
    ...(run === undefined
      ? []
      : [
          null,
          line('goal', t('common.openRunPanel'), () => intents.openRun(run.id)),
          ...runs.choices(run.id),
          null,
        ]),
    online &&
      able(
        'prompt',
        line('message-square', t('app.sendMessageToSession'), () => sessions.send(id)),
      ),
    online &&
      (kind === 'busy' || kind === 'retry') &&
      able(
        'interrupt',
        line('square', t('app.stopThisTurn'), () => sessions.stop(id)),
      ),
    online &&
      (kind === 'idle' || kind === 'error') &&
      able(
        'compact',
        line('fold-vertical', t('app.compactSession'), () => services.compacting.byHand(id)),
      ),
    online &&
      auto.canContinue(id) &&
      line('play', t('app.continueWithNextTask'), () => auto.continueNow(id)),
    session?.parentId === null &&
      canDo(session, 'prompt') &&
      line(
        'repeat',
        t('app.continueByItself'),
        () => auto.switch(id, !auto.isOn(id)),
        auto.isOn(id),
      ),
    ...boards.flatMap((board) => planLines(ui, intents, board)),
    links.session(id),
    boards.some(({ shelved }) => shelved !== true) &&
      line('archive', t('app.archiveSession'), () => keeping.shelve(true, id)),
    kind !== undefined &&
      able(
        'rename',
        line('pencil', t('app.renameSession'), () => keeping.rename(id)),
      ),
    kind !== undefined &&
      able(
        'remove',
        line('trash-2', t('app.deleteSession'), () => keeping.remove(id)),
      ),
  ];
}

/** Menu lines for a session's plan. */
function planLines(ui: UiServices, intents: Intents, board: Board): readonly MenuLine[] {
  const { keeping, links } = ui;
  const { agent } = board;
  return [
    line('file-text', t('app.openPlanAsNote', { agent }), () =>
      intents.open(board, undefined, false),
    ),
    line('history', t('app.openTimelineOf', { agent }), () => ui.openTimeline(board)),
    board.broken === null &&
      line('eye', t('app.chooseReviews', { agent }), () => intents.chooseReviews(board)),
    line('workflow', t('app.openPlanAsGraph', { agent }), () => intents.openGraph(board)),
    links.board(board),
    keeping.canContinue(board) &&
      line('git-branch-plus', t('app.continuePlan', { agent }), () => keeping.continuePlan(board)),
    canGoOn(board) &&
      line('forward', t('app.handOverPlan', { agent }), () => intents.handOver(board)),
  ];
}

/** Why a line of a session's menu is disabled; shown after its title. */
function elsewhere({ host, agent }: Session): string | undefined {
  return host && t('app.notInHost', { host: hostTitle(host, agent) });
}

function moreLines(
  { services, parts, boards, problems, metrics, agents }: UiServices,
  intents: Intents,
): readonly MenuLine[] {
  const { connection, findings } = services.overview.state;
  const { own } = boards.writes;
  return [
    connection.kind === 'connected'
      ? line('unplug', disconnectWords(connection), () => services.disconnect())
      : line('plug-zap', t('app.connectToAgents'), () => services.connect()),
    line('check', t('common.markChangesAsSeen'), () => intents.seen()),
    line('copy', t('app.copyConnectionDetails'), () =>
      copyText(connectionDetails(parts.connection), notify, t('app.detailsCopied')),
    ),
    own.canUndo && line('undo-2', t('app.undoBoardChange'), () => intents.undo()),
    own.canRedo && line('redo-2', t('app.redoBoardChange'), () => intents.redo()),
    findings.length > 0 && line('wrench', t('app.showRepairs'), () => intents.showRepairs()),
    line('circle-alert', t('problems.open'), () => problems.open()),
    line('chart-column', t('metrics.open'), metrics.open),
    line('bot', t('config.openAgents'), agents.open),
    line('keyboard', t('app.keysOfThisView'), () =>
      intents.showKeys(t('app.keysOfTheTaskSidebar'), TREE_KEYS),
    ),
  ];
}
