import type { Plugin } from 'obsidian';
import { isUnderReview } from '../../core/board/facts';
import type { Board, Task } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import { canDo, hostTitle } from '../../core/session/session-host';
import type { Feature } from '../../protocol/handshake';
import type { Prompts } from '../ask/prompts';
import type { BoardActions } from '../board/board-actions';
import type { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { compareCopies } from '../board/compare-copies';
import type { Intents } from '../board/intents';
import { showRepairs } from '../board/repairs';
import type { Reviews } from '../board/review-dialog';
import {
  boardItem,
  finishedAmong,
  restoreArchived,
  type TaskPickers,
} from '../board/task-commands';
import { openAsBoard } from '../board-view/open-board-view';
import { canContinueBoard, isWritable } from '../board-view/shown-boards';
import type { Conversations } from '../conversation/conversations';
import { editTask } from '../board/task-form';
import { openGraph } from '../graph/graph-view';
import type { LinkCopier } from '../link/links';
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
import type { SessionManagement } from '../session/session-management';
import { TREE_KEYS } from '../sidebar/tree-command';
import type { SidebarRequests } from '../sidebar/ui-state';
import { pick, showKeyMap } from '../ui/dialog';
import { menuEntry, showMenu, type MenuEntry, type MenuLine } from '../ui/menu';
import { copyButton, copyText, notify } from '../ui/notify';
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
  readonly keeping: SessionManagement;
  readonly handOver: HandOver;
  readonly prompts: Prompts;
  readonly tools: ToolUi;
  readonly runs: RunPanels;
  readonly reviews: Reviews;
  readonly conversations: Conversations;
  readonly requests: SidebarRequests;
  readonly links: LinkCopier;
  readonly noteTasks: NoteTasksPanel;
  readonly problems: ProblemsPanel;
  readonly metrics: MetricsPanel;
  readonly agents: AgentsPanel;
  /** opens the timeline of a board */
  readonly openTimeline: (board: Board) => Promise<void>;
}

/** The command that starts OpenCode in the current folder. */
const START_COMMAND = 'opencode';

/** Carries out what the views request. */
export function makeIntents(ui: UiServices): Intents {
  const { plugin, services, boards, pickers, sessions, prompts, conversations } = ui;
  const { app } = plugin;
  const { store } = ui.parts;
  const { overview } = services;
  const { auto } = services.continuation;
  const { own } = boards.writes;
  const intents: Intents = {
    tick: (board, task) => void boards.tick(board, task),
    rename: (board, task, title) => void boards.rename(board, task, title),
    offerLostText,
    add: (board, title, place) => boards.add(board, title, place),
    tickAll: (board, tasks) => void boards.tickAll(board, tasks),
    remove: (board, tasks) => void boards.remove(board, tasks),
    step: (...step) => void boards.step(...step),
    move: (...move) => void boards.move(...move),
    arrange: (...move) => boards.arrange(...move),
    reviewTask: (board, task) => void ui.reviews.open(board, task),
    accept: (board, task) => void ui.reviews.accept(board, task),
    sendBack: (...task) => void ui.reviews.sendBack(...task),
    chooseReviews: async (boards) => {
      const board = await pick(app, boards.map(boardItem), t('app.reviewsOfWhichPlan'));
      if (board !== undefined) await ui.reviews.choose(board);
    },
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
    markSeen: (path, key) => overview.seen(path, key),
    startSession: () => void sessions.start(),
    connect: () => services.connect(),
    installBridge: () => void services.installBridge(),
    copyCommand: () => void copyText(START_COMMAND, notify, t('app.commandCopied')),
    review: (requestId, step) => prompts.review(requestId, step),
    allowOnce: (requestId) => prompts.allowOnce(requestId),
    choose: (requestId, label) => prompts.choose(requestId, label),
    checkAgain: () => services.refresh(),
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
      void compareCopies(app, store, board, copies, () => services.refresh()),
    openConversation: (sessionId) => void conversations.open(sessionId),
    stopTurn: (sessionId) => void sessions.stop(sessionId),
    continueNow: (sessionId) => auto.continueNow(sessionId),
    stopContinuing: (sessionId) => auto.stop(sessionId),
    sessionMenu: (sessionId, anchor) => showMenu(anchor, sessionLines(ui, intents, sessionId)),
    moreMenu: (anchor) => showMenu(anchor, moreLines(ui, intents)),
    openRun: (id) => void ui.runs.open(id),
    doRun: (id, intent) => ui.runs.do(id, intent),
    showKeys: (title, lines) => showKeyMap(app, title, lines),
    delegateAction: (board, tasks) => ui.taskSessions.starter(board, tasks),
    ...boardMenus(ui, () => intents),
  };
  return intents;
}

function offerLostText(title: string, typed: string): void {
  notify(t('app.notShownAnyMore', { title, typed }), copyButton(typed, notify));
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
        ...(isWritable(board)
          ? [...statuses(board, tasks), null, delegateLine(intents(), board, tasks), ...edits]
          : []),
        menuEntry('x', t('app.clearSelection'), view.clear),
      ];
      showMenu(anchor, lines, t('common.tasks', { count: tasks.length }));
    },
    taskMenu: (board, task, anchor, extras) => {
      const { id } = task;
      const approve = task.approve === 'me';
      const changeApproval = () => boards.approve(board, task, !approve);
      const waitsForMe = isUnderReview(task);
      const edits: readonly MenuLine[] = [
        waitsForMe && menuEntry('eye', t('app.review'), () => intents().reviewTask(board, task)),
        waitsForMe && menuEntry('check', t('common.accept'), () => intents().accept(board, task)),
        waitsForMe && menuEntry('undo-2', t('app.sendBack'), () => intents().sendBack(board, task)),
        waitsForMe && null,
        ...statuses(board, [task]),
        null,
        ...agentLines(intents(), board, task, services.overview.state),
        extras.rename !== undefined && menuEntry('pencil', t('common.rename'), extras.rename),
        menuEntry('square-pen', t('app.editTask'), () => editTask(plugin.app, boards, board, task)),
        extras.addAfter !== undefined && menuEntry('plus', t('app.addTaskAfter'), extras.addAfter),
        extras.addUnder !== undefined &&
          menuEntry('list-tree', t('app.addSubtask'), extras.addUnder),
        null,
        menuEntry('hourglass', t('common.addDependency'), () => pickers.depend(board, task)),
        task.dependsOn.length > 0 &&
          menuEntry('lock-open', t('app.removeDependency'), () => pickers.undepend(board, task)),
        extras.moveTo !== undefined && menuEntry('kanban', t('app.moveTo'), extras.moveTo),
        menuEntry('move', t('app.moveTask'), () => pickers.move(board, [task])),
        pickers.hasOtherPlan(board) &&
          menuEntry('file-output', t('app.moveToAnotherPlan'), () =>
            pickers.moveToOtherPlan(board, [task]),
          ),
        menuEntry('user-round', t('app.assignTask'), () => pickers.assign(board, task)),
        menuEntry('circle-check', t('app.requireMyApproval'), changeApproval, approve),
        null,
        menuEntry('trash-2', t('app.removeTask'), () => boards.remove(board, [task])),
        null,
      ];
      const lines: readonly MenuLine[] = [
        ...(isWritable(board) ? edits : []),
        menuEntry('file-text', t('app.openInNote'), () => intents().open(board, task, false)),
        menuEntry('file-check', t('app.openANoteOfTask'), () => noteTasks.openNote(board, task)),
        links.task(board, task),
        id !== null &&
          menuEntry('scroll-text', t('app.showInAudit'), () => tools.audit.open({ task: id })),
      ];
      showMenu(anchor, lines, task.title);
    },
    phaseMenu: (board, phase, anchor, { expanded, fold }) => {
      // "Open in note" goes to the first task of the phase.
      const first = board.tasks.find((task) => task.phase === phase);
      const add = () => pickers.addToPhase(board, phase);
      const lines: readonly MenuLine[] = [
        isWritable(board) && menuEntry('plus', t('app.addTaskTo', { phase }), add),
        expanded
          ? menuEntry('chevrons-down-up', t('app.fold'), fold)
          : menuEntry('chevrons-up-down', t('app.unfold'), fold),
        menuEntry('file-text', t('app.openInNote'), () => intents().open(board, first, false)),
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
  const start = delegateLine(intents, board, [task]);
  const work = taskWork(state, board, task);
  if (work === undefined) return [start];
  const { sessionId, works } = work;
  return [
    start,
    works && menuEntry('square', t('app.stopAgent'), () => intents.stopTurn(sessionId)),
    menuEntry('messages-square', t('common.openConversation'), () =>
      intents.openConversation(sessionId),
    ),
  ];
}

function delegateLine(intents: Intents, board: Board, tasks: readonly Task[]): MenuLine {
  const start = intents.delegateAction(board, tasks);
  return start !== undefined && menuEntry('bot', t('app.haveItDone'), start);
}

function statusLines(
  boards: BoardActions,
  board: Board,
  tasks: readonly Task[],
): readonly MenuLine[] {
  return STATUS_ORDER.map((status) => {
    const { icon, word } = STATUS_WORDS[status];
    const set = () => boards.setStatuses(board, tasks, status);
    return menuEntry(
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
  const finished = finishedAmong(board, tasks);
  return [
    moveTo !== undefined && menuEntry('kanban', t('app.moveTasksTo', many), moveTo),
    menuEntry('move', t('app.moveTasks', many), () => pickers.move(board, tasks)),
    pickers.hasOtherPlan(board) &&
      menuEntry('file-output', t('app.moveTasksAway', many), () =>
        pickers.moveToOtherPlan(board, tasks),
      ),
    menuEntry('signal', t('app.setPriorityOf', many), () => pickers.setPriority(board, tasks)),
    menuEntry('user-round', t('app.assignTasks', many), () => pickers.assignAll(board, tasks)),
    finished.length > 0 &&
      menuEntry('archive', t('app.archiveFinished', { count: finished.length }), () =>
        boards.archive(board, finished),
      ),
    null,
    menuEntry('trash-2', t('app.removeTasks', many), () => boards.remove(board, tasks)),
  ];
}

/** Menu lines for a session in its current state. */
function sessionLines(ui: UiServices, intents: Intents, id: string): readonly MenuLine[] {
  const { services, sessions, keeping, runs, links } = ui;
  const { auto } = services.continuation;
  const { state } = services.overview;
  const session = state.sessions.find((one) => one.id === id);
  const kind = session?.state.kind;
  const run = state.runs.find((one) => one.session === id);
  const boards = state.boards.filter((one) => one.session === id);
  const online = kind !== undefined && kind !== 'ended' && state.connection.kind === 'connected';
  const ifSupported = (feature: Feature, entry: MenuEntry): MenuEntry =>
    session === undefined || canDo(session, feature)
      ? entry
      : { ...entry, why: unsupportedReason(session) };
  return [
    menuEntry('messages-square', t('common.openConversation'), () => intents.openConversation(id)),
    boards.length > 0 &&
      menuEntry('kanban', t('app.openPlanAsBoard'), () => intents.openAsBoard(id)),
    ...(run === undefined
      ? []
      : [
          null,
          menuEntry('goal', t('common.openRunPanel'), () => intents.openRun(run.id)),
          ...runs.choices(run.id),
          null,
        ]),
    online &&
      ifSupported(
        'prompt',
        menuEntry('message-square', t('app.sendMessageToSession'), () => sessions.send(id)),
      ),
    online &&
      (kind === 'busy' || kind === 'retry') &&
      ifSupported(
        'interrupt',
        menuEntry('square', t('app.stopThisTurn'), () => sessions.stop(id)),
      ),
    online &&
      (kind === 'idle' || kind === 'error') &&
      ifSupported(
        'compact',
        menuEntry('fold-vertical', t('app.compactSession'), () =>
          services.compaction.compactManually(id),
        ),
      ),
    online &&
      auto.canContinue(id) &&
      menuEntry('play', t('app.continueWithNextTask'), () => auto.continueNow(id)),
    session?.parentId === null &&
      canDo(session, 'prompt') &&
      menuEntry(
        'repeat',
        t('app.continueByItself'),
        () => auto.switch(id, !auto.isOn(id)),
        auto.isOn(id),
      ),
    ...boards.flatMap((board) => planLines(ui, intents, board)),
    links.session(id),
    boards.some(({ shelved }) => shelved !== true) &&
      menuEntry('archive', t('app.archiveSession'), () => keeping.setHidden(true, id)),
    kind !== undefined &&
      ifSupported(
        'rename',
        menuEntry('pencil', t('app.renameSession'), () => keeping.rename(id)),
      ),
    kind !== undefined &&
      ifSupported(
        'remove',
        menuEntry('trash-2', t('app.deleteSession'), () => keeping.remove(id)),
      ),
  ];
}

/** Menu lines for a session's plan. */
function planLines(ui: UiServices, intents: Intents, board: Board): readonly MenuLine[] {
  const { keeping, links } = ui;
  const { agent } = board;
  return [
    menuEntry('file-text', t('app.openPlanAsNote', { agent }), () =>
      intents.open(board, undefined, false),
    ),
    menuEntry('history', t('app.openTimelineOf', { agent }), () => ui.openTimeline(board)),
    isWritable(board) &&
      menuEntry('eye', t('app.chooseReviews', { agent }), () => intents.chooseReviews([board])),
    menuEntry('workflow', t('app.openPlanAsGraph', { agent }), () => intents.openGraph(board)),
    links.board(board),
    keeping.canContinue(board) &&
      menuEntry('git-branch-plus', t('app.continuePlan', { agent }), () =>
        keeping.continuePlan(board),
      ),
    canContinueBoard(board) &&
      menuEntry('forward', t('app.handOverPlan', { agent }), () => intents.handOver(board)),
  ];
}

/** Why a line of a session's menu is disabled; shown after its title. */
function unsupportedReason({ host, agent }: Session): string | undefined {
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
      ? menuEntry('unplug', disconnectWords(connection), () => services.disconnect())
      : parts.connects() &&
        menuEntry('plug-zap', t('app.connectToAgents'), () => services.connect()),
    menuEntry('check', t('common.markChangesAsSeen'), () => intents.markSeen()),
    menuEntry('copy', t('app.copyConnectionDetails'), () =>
      copyText(connectionDetails(parts.connection), notify, t('app.detailsCopied')),
    ),
    own.canUndo && menuEntry('undo-2', t('app.undoBoardChange'), () => intents.undo()),
    own.canRedo && menuEntry('redo-2', t('app.redoBoardChange'), () => intents.redo()),
    findings.length > 0 && menuEntry('wrench', t('app.showRepairs'), () => intents.showRepairs()),
    menuEntry('circle-alert', t('problems.open'), () => problems.open()),
    menuEntry('chart-column', t('metrics.open'), metrics.open),
    menuEntry('bot', t('config.openAgents'), agents.open),
    menuEntry('keyboard', t('app.keysOfThisView'), () =>
      intents.showKeys(t('app.keysOfTheTaskSidebar'), TREE_KEYS),
    ),
  ];
}
