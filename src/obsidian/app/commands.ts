import { apiVersion, Platform, type Command } from 'obsidian';
import { boardFacts } from '../../core/board/facts';
import type { NamedBy } from '../../core/board/names/name-boards';
import { isAble } from '../../core/session/connection';
import { canDo } from '../../core/session/session-host';
import { askCommands } from '../ask/prompts';
import { importDialog } from '../board/import-export';
import { nameBoards } from '../board/name-boards';
import { planCommands } from '../board/plan-commands';
import { Chooser, taskCommands } from '../board/task-commands';
import { waitingCount } from '../model/attention';
import { showAgents } from '../connect/agents-dialog';
import { GraphView } from '../graph/graph-view';
import { continueCommands } from '../session/auto-continue';
import { sessionCommands } from '../session/session-keeping';
import { commands } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { activeActs, viewActionCommands } from '../ui/view-actions';
import { connectionDetails, diagnostics } from './diagnostics';
import type { PluginIntents, UiServices } from './plugin-intents';
import { activeBoard, openSidebar, showNextNeed, sidebarShown } from './views';

/** Every command but those of the note view. */
export function allCommands(ui: UiServices, intents: PluginIntents): readonly Command[] {
  const { plugin, parts, services } = ui;
  const { app } = plugin;
  const state = () => services.overview.state;
  const selected = () => {
    const graph = app.workspace.getActiveViewOfType(GraphView);
    if (graph !== null) return graph.chosen;
    return sidebarShown(app, true) || activeBoard(app) !== null ? intents.chosen() : undefined;
  };
  const choose = new Chooser(app, () => state().boards, selected);
  return [
    ...planCommands(ui, choose),
    ...taskCommands(app, choose, ui, (task) => ui.tools.audit.open({ task })),
    ...bridgeCommands(ui),
    ...viewCommands(ui, intents),
    ...askCommands(
      ui.prompts,
      () => waitingCount(state()) > 0,
      () => showNextNeed(ui),
    ),
    ...sessionCommands(ui.keeping, choose, () => services.sessions.list().length > 0),
    ...viewActionCommands(app),
    ...ui.links.commands(choose),
    ...ui.noteTasks.commands(choose),
    ...continueCommands(app, parts.sessions, services.continues.auto),
  ];
}

function bridgeCommands({ plugin, parts, services, sessions }: UiServices): readonly Command[] {
  const { agents, desktop } = parts;
  const online = () => parts.connection.state.kind === 'connected';
  const bridge = () => services.overview.state.bridge;
  const starts = () => isAble(parts.connection.state, 'start');
  const takesWords = () =>
    parts.sessions.all().some((one) => one.state.kind !== 'ended' && canDo(one, 'prompt'));
  const install = () => services.installBridge();
  return commands(
    [
      'install-bridge',
      'Install bridge in this vault',
      install,
      () => desktop && bridge() === 'missing',
    ],
    ['update-bridge', 'Update bridge', install, () => desktop && bridge() === 'older'],
    [
      'connect-agent',
      'Connect an agent…',
      () => agents && showAgents(plugin.app, agents, services.overview),
      () => agents !== undefined,
    ],
    ['connect', 'Connect to agents', () => services.connect(), () => desktop && !online()],
    ['disconnect', 'Disconnect from agents', () => services.disconnect(), online],
    ['start-session', 'Start session', () => sessions.start(), starts],
    [
      'send-message',
      'Send message to session…',
      () => sessions.send(),
      () => online() && takesWords(),
    ],
  );
}

function viewCommands(ui: UiServices, intents: PluginIntents): readonly Command[] {
  const { plugin, parts, services, boards, requests } = ui;
  const { own } = boards.writes;
  const state = () => services.overview.state;
  const hasReady = () =>
    state().boards.some((board) => [...boardFacts(board).values()].some(({ ready }) => ready));
  const nextReady = async () => {
    await openSidebar(plugin);
    requests.ask('next-ready');
  };
  const importTasks = () => importDialog(plugin.app, parts, services.manager, boards.writes);
  const here = () => activeActs(plugin.app)['filter-board'];
  const naming = () => services.manager.now.naming;
  const around = { app: plugin.app, naming, look: () => services.look() };
  const name = (by: NamedBy) => nameBoards(around, by);
  const copyDiagnostics = () => copyText(diagnosticsOf(ui), notify, DIAGNOSTICS_COPIED);
  return commands(
    ['open-sidebar', 'Open task sidebar', () => openSidebar(plugin)],
    ['next-ready', 'Go to next ready task', nextReady, hasReady],
    [
      'filter-board',
      'Filter tasks',
      () => (here() ?? (() => requests.ask('filter')))(),
      () => here() !== undefined || sidebarShown(plugin.app, false),
    ],
    ['undo', 'Undo board change', () => own.undo(), () => own.canUndo],
    ['redo', 'Redo board change', () => own.redo(), () => own.canRedo],
    [
      'mark-seen',
      'Mark changes as seen',
      () => services.overview.seen(),
      () => state().changes.size > 0,
    ],
    ['import-board', 'Import tasks…', importTasks],
    [
      'repair-notes',
      'Show notes that need repair',
      () => intents.showRepairs(),
      () => state().findings.length > 0,
    ],
    ['move-boards', 'Move boards to another folder…', () => services.moves.ask()],
    ['check-again', 'Look at all boards again', () => services.look()],
    ['copy-connection-details', 'Copy connection details', () => copyDetails(ui)],
    ['name-by-title', 'Name board files by title', () => name('title')],
    ['name-by-session', 'Name board files by session', () => name('session')],
    ['copy-diagnostics', 'Copy diagnostics', copyDiagnostics],
  );
}

const DIAGNOSTICS_COPIED =
  'Diagnostics copied: versions, connections, counts and log lines. No titles and no text of notes.';

function copyDetails({ parts }: UiServices): unknown {
  return copyText(connectionDetails(parts.connection), notify, 'Details copied.');
}

function diagnosticsOf({ plugin, parts }: UiServices): string {
  const { connection, logged: log, token } = parts;
  const device = Platform.isDesktop ? 'desktop' : 'mobile';
  const versions = { plugin: plugin.manifest.version, obsidian: apiVersion, device };
  return diagnostics({ versions, connection, log, secret: token.get() });
}
