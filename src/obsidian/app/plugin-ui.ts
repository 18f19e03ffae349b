import { MarkdownView, Platform } from 'obsidian';
import type { Board } from '../../core/board/task';
import { readBoardPath } from '../../core/board/board-path';
import type { Undo } from '../../core/ports';
import { isFeatureAvailable } from '../../core/session/connection';
import { Prompts } from '../ask/prompts';
import { isBusy } from '../ui/focus';
import { AskModal } from '../ask/ask-modal';
import { itemOrigin, itemQuestion } from '../model/attention';
import { itemTask } from '../session/state-line';
import { BoardBlocks } from '../embed/board-block';
import { registerCli } from '../link/cli-handlers';
import { LinkCopier, PlanLinks } from '../link/links';
import { NativeBars } from '../note/native-bars';
import { NativeFacts } from '../note/native-facts';
import { SidebarRequests } from '../sidebar/ui-state';
import { showStatusBar } from './status-bar';
import { allCommands, copyDiagnostics } from './commands';
import { registerBases } from '../bases/bases-views';
import { BoardActions, boardQuestions, BoardWrites, replacingNotify } from '../board/board-actions';
import type { Intents } from '../board/intents';
import { Reviews } from '../board/review-dialog';
import { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { Conversations } from '../conversation/conversations';
import type { MakeUi } from './services';
import { PERSON } from '../../core/board/history/actor';
import { followWindows } from '../adapter/disk-poller';
import { makeNotices, type SessionNotices } from '../session/session-notices';
import { makePrograms, type Programs } from '../program/programs';
import { followRuns, makeRunPanels } from '../run/run-panels';
import { exportGraph } from '../graph/graph-export';
import { SettingsTab } from '../settings/settings-tab';
import { copyText, notify, notifyOwnAction } from '../ui/notify';
import { canOpen, openConfigFile } from '../config/config-note-view';
import { AgentsPanel } from '../config/agents-panel';
import { NoteTasksPanel } from '../note-tasks/note-tasks';
import { boardOf } from '../board/repairs';
import {
  boardProblems,
  configProblems,
  faultProblems,
  Problems,
  settingsProblems,
  type ProblemEntry,
} from '../problems/problems';
import { MetricsPanel } from '../metrics/metrics-panel';
import { ProblemsPanel } from '../problems/problems-panel';
import { openBoard } from '../note/open-board';
import { makeIntents, type UiServices } from './plugin-intents';
import { openSidebar, registerViews, showNextAttentionItem, isAnyViewVisible } from './views';
import { HandOver } from '../session/hand-over';
import { SessionActions } from '../session/session-actions';
import type { TodoManager } from '../../core/board/todo-manager';
import { TaskSessions } from '../session/task-sessions';
import { SessionManagement } from '../session/session-management';
import { makeTimeline } from '../timeline/timeline-panel';
import { ToolUi } from './tool-ui';
import { TaskPickers } from '../board/task-commands';
import { agentChoices } from '../config/agent-rows';
import { t } from '../language/text';

/** The plugin's user interface: views, commands, settings, status bar, dialogs. */
export const pluginUi: MakeUi = (plugin, parts, services) => {
  const { app } = plugin;
  const { runtime } = parts;
  const pluginContext = { plugin, parts, services };
  const { overview } = services;
  const manager = () => services.manager.now;
  const isConnected = () => parts.connection.state.kind === 'connected';
  const canStart = () => isFeatureAvailable(parts.connection.state, 'start');
  const show = (sessionId: string, key?: string) => void conversations.open(sessionId, key);
  const writes = makeWrites(pluginContext, manager);
  const boards = new BoardActions(writes, boardQuestions(app), overview.pending);
  const agents = () => connectedAgents(pluginContext);
  const pickers = new TaskPickers(app, boards, () => overview.state.boards, agents);
  const checkpoints = new CheckpointDialogs({
    ...{ app, store: parts.store, manager, writes },
    runOn: (path) => services.runs.rollBackOn(path),
  });
  const sessions = new SessionActions({
    ...{ app, parts, show },
    typing: (sessionId, has) => services.continuation.auto.setTyping(sessionId, has),
  });
  const taskSessions = new TaskSessions({ app, parts, overview, writes, boards, show });
  const keeping = new SessionManagement(app, services, runtime, isConnected, canStart, show);
  const audit = services.tools.audit.store;
  const handOver = new HandOver({ app, parts, keeping, canStart, show, audit });
  const notices = makeNotices(plugin, parts, services, {
    review: (requestId) => prompts.review(requestId),
    openSession: show,
    openTask: ({ board, task, why }) =>
      why === 'review' ? intents.reviewTask(board, task) : intents.open(board, task, false),
  });
  const prompts = makePrompts(pluginContext, notices, isConnected);
  const tools = new ToolUi(plugin, parts, services, prompts);
  const noteTasks = new NoteTasksPanel(app, overview, tools.audit.source);
  const sessionParts = { ...pluginContext, prompts, sessions, writes, noteTasks };
  const conversations = new Conversations(sessionParts);
  const runParts = { ...pluginContext, boards, checkpoints, prompts, openSession: show };
  const runs = makeRunPanels(runParts);
  const reviews = makeReviews({ ...pluginContext, tools, boards });
  const requests = new SidebarRequests();
  const problems = makeProblems({ plugin, parts, services });
  const views = {
    ...{ plugin, parts, services, boards, pickers, checkpoints, sessions, taskSessions, keeping },
    ...{ prompts, tools, runs, reviews, conversations, requests, handOver },
    ...{ links: new LinkCopier(app), problems },
    metrics: new MetricsPanel({ app, parts, overview, writes, openSession: show }),
    agents: new AgentsPanel({ app, parts, config: services.config, problems }),
  };
  const ui: UiServices = { ...views, noteTasks, openTimeline: makeTimeline(views) };
  const intents = makeIntents(ui);
  const programs = makePrograms(plugin, parts, () => services.connect());
  const blocks = register(ui, intents, programs);
  const openLinks = new PlanLinks({
    ...{ app, overview, manager, boards, intents },
    ...{ openSidebar: () => void openSidebar(plugin), openConversation: show },
  });
  openLinks.register(plugin);
  registerCli(plugin, { overview, boards });
  const undos: Undo[] = [];
  return {
    start: () =>
      void undos.push(...subscribeToChanges(ui, intents, notices), showNativeNotes(ui, intents)),
    viewVisible: () => isAnyViewVisible(plugin) || blocks.isAnyVisible,
    recordChange: (change, told) => writes.recordChange(change, told),
    addOwnChange: (change) => writes.own.add({ change, by: PERSON }),
    /** After the first scan: finds the checkpoints, and earlier changes that can be undone. */
    loadUndoable: async () => {
      await writes.own.loadEarlier();
      await checkpoints.refresh();
    },
    close: () => {
      programs?.close();
      prompts.close();
      tools.close();
      for (const undo of undos) undo();
    },
  };
};

type PluginContext = Pick<UiServices, 'plugin' | 'parts' | 'services'>;

function makeWrites(
  { plugin: { app }, parts: { store }, services }: PluginContext,
  manager: () => TodoManager,
): BoardWrites {
  const notifyOwnChange = replacingNotify(notifyOwnAction);
  return new BoardWrites({
    manager,
    notify: (message, button, silent) => {
      if (silent !== true) services.announcePolitely(message);
      notifyOwnChange(message, button);
    },
    copy: (text) => void copyText(text, notify),
    open: (board, task) => void openBoard({ app, store }, board, task, false),
  });
}

async function connectedAgents({ parts, services }: PluginContext) {
  const catalog = await parts.runtime.catalog().catch(() => undefined);
  return catalog === undefined ? [] : agentChoices(catalog.agents, services.config);
}

function makeReviews({
  plugin,
  parts,
  services,
  tools,
  boards,
}: PluginContext & Pick<UiServices, 'tools' | 'boards'>): Reviews {
  const { source: audit, changes } = tools.audit;
  const records = (path: string) => services.manager.now.changes(path);
  const now = () => parts.clock.now();
  return new Reviews({ app: plugin.app, audit, changes, records, now }, boards);
}

function makeProblems({ plugin, parts, services }: PluginContext): ProblemsPanel {
  const { log } = parts;
  const boards = boardProblems(services.overview);
  return new ProblemsPanel(
    plugin.app,
    new Problems([
      faultProblems(log),
      settingsProblems(services.boardRoot),
      configProblems(services.config),
      boards,
    ]),
    log,
  );
}

/** A function that opens a problem's file; undefined if it has no file that can be opened. */
function problemOpener({ plugin, parts, services }: PluginContext, intents: Intents) {
  return ({ file: path, line, finding }: ProblemEntry): (() => void) | undefined => {
    const board = finding && boardOf(finding, services.overview.state.boards);
    if (finding !== undefined && board !== undefined) {
      return finding.kind === 'sync-copy'
        ? () => intents.compare(board, [finding.path])
        : () => intents.openFinding(board, finding);
    }
    if (path === undefined) return undefined;
    const file = parts.store.fileOf(path);
    return canOpen(file) ? () => void openConfigFile(plugin.app, file, line) : undefined;
  };
}

function makePrompts(
  { plugin, parts, services }: PluginContext,
  notices: SessionNotices,
  connected: () => boolean,
): Prompts {
  return new Prompts({
    ...{ clock: parts.clock, runtime: parts.runtime, connected, asks: services.tools.asks },
    sessions: () => parts.sessions.all(),
    task: (need) => itemTask(need, services.overview.state.boards),
    open: (queue, first, closed) => new AskModal(plugin.app, queue, first, closed).open(),
    busy: () => isBusy(activeDocument),
    tell: notify,
    announce: (need) => {
      services.announce(t('app.asks', { who: itemOrigin(need), question: itemQuestion(need) }));
      notices.notifyRequest(need, isBusy(activeDocument));
    },
  });
}

/** Updates prompts, notices, runs and the status bar when state changes. */
function subscribeToChanges(
  ui: UiServices,
  intents: Intents,
  notices: SessionNotices,
): readonly Undo[] {
  const { plugin, parts, services, prompts } = ui;
  const { overview } = services;
  const dialogs = new MutationObserver(() => prompts.openWaiting());
  followWindows(plugin, ({ document }) => {
    // The new focus is known only after the event.
    plugin.registerDomEvent(document, 'focusout', () => {
      window.setTimeout(() => prompts.openWaiting(), 0);
    });
    dialogs.observe(document.body, { childList: true });
  });
  return [
    () => dialogs.disconnect(),
    overview.onChange(() => prompts.update()),
    notices.follow(overview, parts.bus, prompts),
    followRuns(ui, notices, ui.runs),
    showStatusBar(plugin, overview, prompts, {
      openFirst: () =>
        prompts.needs().length > 0 ? prompts.review() : void showNextAttentionItem(ui),
      openSidebar: () => void openSidebar(plugin),
      connection: (event) => intents.moreMenu(event),
    }),
  ];
}

/** Adds the bar and the facts to boards in the app's own editor, for boards in visible folders. */
function showNativeNotes(
  { plugin, parts, services, problems }: UiServices,
  intents: Intents,
): Undo {
  const { app } = plugin;
  const { workspace } = app;
  const { overview } = services;
  const today = () => parts.clock.today();
  const { store } = parts;
  const bars = new NativeBars(workspace, overview, intents, today, store, problems);
  const isBoard = (file: string) =>
    readBoardPath(services.root, store.plainPath(file)) !== undefined;
  const facts = new NativeFacts({ app, store, isBoard, overview, intents, today });
  bars.start();
  plugin.registerMarkdownPostProcessor((element, context) => facts.process(element, context));
  // Redraws notes that the app drew before.
  for (const { view } of workspace.getLeavesOfType('markdown')) {
    if (view instanceof MarkdownView && isBoard(view.file?.path ?? '')) {
      view.previewMode.rerender(true);
    }
  }
  return () => bars.close();
}

function register(ui: UiServices, intents: Intents, programs: Programs | undefined): BoardBlocks {
  const { plugin, parts, services, requests } = ui;
  const { store, clock, settings } = parts;
  const deps = {
    ...{ overview: services.overview, store, clock, intents, needs: ui.prompts, requests },
    ...{ current: services.current, drafts: services.drafts, problems: ui.problems },
    today: () => clock.today(),
    since: clock.now(),
    foldDays: () => settings.current.foldDays,
    canInstall: parts.desktop,
    hasOpenCode: async () => (await programs?.hasOpenCode()) ?? true,
    phone: () => Platform.isPhone,
    shown: () => services.refresh(),
    tell: (sentence: string) => services.announcePolitely(sentence),
    exportGraph: (board: Board) => void exportGraph(ui, board),
  };
  registerViews(plugin, deps);
  const blocks = new BoardBlocks(plugin.app, deps);
  blocks.register(plugin);
  ui.noteTasks.register(plugin, deps);
  ui.problems.register(plugin, {
    ...{ clock, shown: deps.shown, open: problemOpener(ui, intents) },
    copyDiagnostics: () => copyDiagnostics(ui),
  });
  ui.metrics.register(plugin, deps.shown);
  ui.agents.register(plugin, deps.shown);
  registerBases(plugin, { ...deps, app: plugin.app });
  plugin.addRibbonIcon('list-checks', t('app.openTaskSidebar'), () => void openSidebar(plugin));
  plugin.addSettingTab(new SettingsTab(plugin, parts, services, programs, ui.tools));
  for (const command of allCommands(ui, intents)) plugin.addCommand(command);
  return blocks;
}
