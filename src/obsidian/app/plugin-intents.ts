import type { Plugin } from 'obsidian';
import { isFinished, underReview } from '../../core/board/facts';
import { familyOf } from '../../core/board/find-task';
import type { Board, Task } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import { canDo, hostTitle } from '../../core/session/session-host';
import type { Feature } from '../../protocol/handshake';
import type { Prompts } from '../ask/prompts';
import { countOf, type BoardActions } from '../board/board-actions';
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

/** What the person does things with; made once, by `pluginUi`. */
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
  /** brings the timeline of a board up */
  readonly openTimeline: (board: Board) => Promise<void>;
}

export interface PluginIntents extends Intents {
  /** The task that has the focus in a view of ours, as the boards are now. */
  chosen(): ChosenTask | undefined;
}

/** The command that starts OpenCode in the folder it is typed in. */
const START_COMMAND = 'opencode';

/** What the views ask for, carried out with the app's means. */
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
    tellLost: (title, typed) => {
      const words = `${title} is not shown here any more. You were typing “${typed}”.`;
      notify(words, { label: 'Copy', onClick: () => void copyText(typed, notify), stays: true });
    },
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
    copyCommand: () =>
      void copyText(START_COMMAND, notify, 'Command copied. Run it in the folder of this vault.'),
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

type BoardMenus = Pick<Intents, 'statusMenu' | 'taskMenu' | 'manyMenu' | 'phaseMenu'>;

function boardMenus(
  { plugin, services, boards, pickers, tools, links, noteTasks }: UiServices,
  intents: () => Intents,
): BoardMenus {
  const statuses = (board: Board, tasks: readonly Task[]) => statusLines(boards, board, tasks);
  return {
    statusMenu: (board, tasks, anchor) => {
      const title = tasks.length > 1 ? `Status of ${tasks.length} tasks` : undefined;
      showMenu(anchor, statuses(board, tasks), title);
    },
    manyMenu: (board, tasks, anchor, view) => {
      const edits = manyLines({ boards, pickers }, board, tasks, view.moveTo);
      const lines = [
        ...statuses(board, tasks),
        null,
        haveDoneLine(intents(), board, tasks),
        ...edits,
        line('x', 'Clear selection', view.clear),
      ];
      showMenu(anchor, lines, `${tasks.length} tasks`);
    },
    taskMenu: (board, task, anchor, extras) => {
      const { id } = task;
      const approve = task.approve === 'me';
      const waits = task.dependsOn.length > 0;
      const waitsForMe = underReview(task);
      const edits: readonly MenuLine[] = [
        waitsForMe && line('eye', 'Review…', () => intents().reviewTask(board, task)),
        waitsForMe && line('check', 'Accept', () => intents().accept(board, task)),
        waitsForMe && line('undo-2', 'Send back…', () => intents().sendBack(board, task)),
        waitsForMe && null,
        ...statuses(board, [task]),
        null,
        ...agentLines(intents(), board, task, services.overview.state),
        extras.rename !== undefined && line('pencil', 'Rename', extras.rename),
        line('square-pen', 'Edit task…', () => editTask(plugin.app, boards, board, task)),
        extras.addAfter !== undefined && line('plus', 'Add task after', extras.addAfter),
        extras.addUnder !== undefined && line('list-tree', 'Add subtask', extras.addUnder),
        null,
        line('hourglass', 'Add dependency…', () => pickers.depend(board, task)),
        waits && line('lock-open', 'Remove dependency…', () => pickers.undepend(board, task)),
        extras.moveTo !== undefined && line('kanban', 'Move to…', extras.moveTo),
        line('move', 'Move task…', () => pickers.move(board, [task])),
        pickers.hasOther(board) &&
          line('file-output', 'Move to another plan…', () => pickers.moveAway(board, [task])),
        line('user-round', 'Assign task…', () => pickers.assign(board, task)),
        line(
          'circle-check',
          'Require my approval',
          () => boards.approve(board, task, !approve),
          approve,
        ),
        null,
        line('trash-2', 'Remove task…', () => boards.remove(board, [task])),
        null,
      ];
      const lines: readonly MenuLine[] = [
        ...(board.broken === null ? edits : []),
        line('file-text', 'Open in note', () => intents().open(board, task, false)),
        line('file-check', 'Open a note of this task…', () => noteTasks.openNote(board, task)),
        links.task(board, task),
        id !== null && line('scroll-text', 'Show in audit', () => tools.audit.open({ task: id })),
      ];
      showMenu(anchor, lines, task.title);
    },
    phaseMenu: (board, phase, anchor, { expanded, fold }) => {
      // The first task of the phase: there its note opens.
      const first = board.tasks.find((task) => task.phase === phase);
      const lines: readonly MenuLine[] = [
        board.broken === null &&
          line('plus', `Add task to ${phase}…`, () => pickers.addTo(board, phase)),
        expanded
          ? line('chevrons-down-up', 'Fold', fold)
          : line('chevrons-up-down', 'Unfold', fold),
        line('file-text', 'Open in note', () => intents().open(board, first, false)),
      ];
      showMenu(anchor, lines, phase);
    },
  };
}

/** What an agent can be asked about a task, or does there. */
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
    works && line('square', 'Stop agent', () => intents.stopTurn(sessionId)),
    line('messages-square', 'Open conversation', () => intents.openConversation(sessionId)),
  ];
}

function haveDoneLine(intents: Intents, board: Board, tasks: readonly Task[]): MenuLine {
  const start = intents.haveDone(board, tasks);
  return start !== undefined && line('bot', 'Have it done…', start);
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

/** What is done with several tasks, but for their status. */
function manyLines(
  { boards, pickers }: Pick<UiServices, 'boards' | 'pickers'>,
  board: Board,
  tasks: readonly Task[],
  moveTo: (() => void) | undefined,
): readonly MenuLine[] {
  const many = `${tasks.length} tasks`;
  const finished = tasks.filter((task) => familyOf(board, task).every(isFinished));
  return [
    moveTo !== undefined && line('kanban', `Move ${many} to…`, moveTo),
    line('move', `Move ${many}…`, () => pickers.move(board, tasks)),
    pickers.hasOther(board) &&
      line('file-output', `Move ${many} to another plan…`, () => pickers.moveAway(board, tasks)),
    line('signal', `Set priority of ${many}…`, () => pickers.priority(board, tasks)),
    line('user-round', `Assign ${many}…`, () => pickers.assignAll(board, tasks)),
    finished.length > 0 &&
      line('archive', `Archive ${countOf(finished.length, 'finished task')}`, () =>
        boards.archive(board, topsOf(board, finished)),
      ),
    null,
    line('trash-2', `Remove ${many}…`, () => boards.remove(board, tasks)),
  ];
}

/** What can be done with a session, as things stand. */
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
    line('messages-square', 'Open conversation', () => intents.openConversation(id)),
    boards.length > 0 && line('kanban', 'Open plan as board', () => intents.openAsBoard(id)),
    ...(run === undefined
      ? []
      : [
          null,
          line('goal', 'Open run panel', () => intents.openRun(run.id)),
          ...runs.choices(run.id),
          null,
        ]),
    online &&
      able(
        'prompt',
        line('message-square', 'Send message to session…', () => sessions.send(id)),
      ),
    online &&
      (kind === 'busy' || kind === 'retry') &&
      able(
        'interrupt',
        line('square', 'Stop this turn', () => sessions.stop(id)),
      ),
    online &&
      auto.canContinue(id) &&
      line('play', 'Continue with next task', () => auto.continueNow(id)),
    session?.parentId === null &&
      canDo(session, 'prompt') &&
      line('repeat', 'Continue by itself', () => auto.switch(id, !auto.isOn(id)), auto.isOn(id)),
    ...boards.flatMap((board): readonly MenuLine[] => [
      line('file-text', `Open plan of ${board.agent} as note`, () =>
        intents.open(board, undefined, false),
      ),
      line('history', `Open timeline of ${board.agent}`, () => ui.openTimeline(board)),
      board.broken === null &&
        line('eye', `Choose what I review of ${board.agent}…`, () => intents.chooseReviews(board)),
      line('workflow', `Open plan of ${board.agent} as graph`, () => intents.openGraph(board)),
      links.board(board),
      keeping.canContinue(board) &&
        line('git-branch-plus', `Continue plan of ${board.agent} in a new session`, () =>
          keeping.continuePlan(board),
        ),
      canGoOn(board) &&
        line('forward', `Hand over plan of ${board.agent}…`, () => intents.handOver(board)),
    ]),
    links.session(id),
    boards.some(({ shelved }) => shelved !== true) &&
      line('archive', 'Archive session', () => keeping.shelve(true, id)),
    kind !== undefined &&
      able(
        'rename',
        line('pencil', 'Rename session…', () => keeping.rename(id)),
      ),
    kind !== undefined &&
      able(
        'remove',
        line('trash-2', 'Delete session…', () => keeping.remove(id)),
      ),
  ];
}

/** Why a line of a session's menu can't be used, behind its title. */
function elsewhere({ host, agent }: Session): string | undefined {
  return host && `(not in ${hostTitle(host, agent)})`;
}

function moreLines({ services, parts, boards }: UiServices, intents: Intents): readonly MenuLine[] {
  const { connection, findings } = services.overview.state;
  const { own } = boards.writes;
  return [
    connection.kind === 'connected'
      ? line('unplug', disconnectWords(connection), () => services.disconnect())
      : line('plug-zap', 'Connect to agents', () => services.connect()),
    line('check', 'Mark changes as seen', () => intents.seen()),
    line('copy', 'Copy connection details', () =>
      copyText(connectionDetails(parts.connection), notify, 'Details copied.'),
    ),
    own.canUndo && line('undo-2', 'Undo board change', () => intents.undo()),
    own.canRedo && line('redo-2', 'Redo board change', () => intents.redo()),
    findings.length > 0 &&
      line('wrench', 'Show notes that need repair', () => intents.showRepairs()),
    line('keyboard', 'Keys of this view', () =>
      intents.showKeys('Keys of the task sidebar', TREE_KEYS),
    ),
  ];
}
