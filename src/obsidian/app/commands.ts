import { apiVersion, Platform, type Command } from 'obsidian';
import { boardFacts } from '../../core/board/facts';
import type { NamedBy } from '../../core/board/names/name-boards';
import { isFeatureAvailable } from '../../core/session/connection';
import { canDo } from '../../core/session/session-host';
import { defaultSettings } from '../../core/shared-settings';
import { askCommands } from '../ask/prompts';
import { importDialog } from '../board/import-export';
import type { Intents } from '../board/intents';
import { nameBoards } from '../board/name-boards';
import { planCommands } from '../board/plan-commands';
import { Chooser, taskCommands } from '../board/task-commands';
import { waitingCount } from '../model/attention';
import { showAgents } from '../connect/agents-dialog';
import { continueCommands } from '../session/auto-continue';
import { sessionCommands } from '../session/session-management';
import { readOwnSettings } from '../settings/settings-store';
import { commands } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { activeViewActions, chosenInView, viewActionCommands } from '../ui/view-actions';
import { connectionDetails, diagnosticsText } from './diagnostics';
import type { UiServices } from './plugin-intents';
import { openSidebar, showNextAttentionItem, isSidebarVisible } from './views';
import { t } from '../language/text';

/** All commands except those of the note view. */
export function allCommands(ui: UiServices, intents: Intents): readonly Command[] {
  const { plugin, parts, services } = ui;
  const { app } = plugin;
  const state = () => services.overview.state;
  const boards = () => state().boards;
  const choose = new Chooser(app, boards, () => chosenInView(app, boards()));
  return [
    ...planCommands(ui, choose),
    ...taskCommands(app, choose, ui, (task) => ui.tools.audit.open({ task }), intents),
    ...bridgeCommands(ui),
    ...viewCommands(ui, intents),
    ...askCommands(
      ui.prompts,
      () => waitingCount(state()) > 0,
      () => showNextAttentionItem(ui),
    ),
    ...sessionCommands(ui.keeping, choose, () => services.sessions.list().length > 0),
    ...viewActionCommands(app),
    ...ui.links.commands(choose),
    ...ui.noteTasks.commands(choose),
    ...ui.problems.commands(),
    ...ui.metrics.commands(),
    ...ui.agents.commands(),
    ...continueCommands(app, parts.sessions, services.continuation.auto),
  ];
}

function bridgeCommands({ plugin, parts, services, sessions }: UiServices): readonly Command[] {
  const { agents, desktop } = parts;
  const online = () => parts.connection.state.kind === 'connected';
  const bridge = () => services.overview.state.bridge;
  const starts = () => isFeatureAvailable(parts.connection.state, 'start');
  const acceptsPrompt = () =>
    parts.sessions.all().some((one) => one.state.kind !== 'ended' && canDo(one, 'prompt'));
  const install = () => services.installBridge();
  return commands(
    [
      'install-bridge',
      t('app.installBridgeInThisVault'),
      install,
      () => desktop && bridge() === 'missing',
    ],
    ['update-bridge', t('app.updateBridge'), install, () => desktop && bridge() === 'older'],
    [
      'connect-agent',
      t('app.connectAnAgent'),
      () => agents && showAgents(plugin.app, agents, services.overview),
      () => agents !== undefined,
    ],
    [
      'connect',
      t('app.connectToAgents'),
      () => services.connect(),
      () => parts.connects() && !online(),
    ],
    ['disconnect', t('app.disconnectFromAgents'), () => services.disconnect(), online],
    ['start-session', t('common.startSession'), () => sessions.start(), starts],
    [
      'send-message',
      t('app.sendMessageToSession'),
      () => sessions.send(),
      () => online() && acceptsPrompt(),
    ],
  );
}

function viewCommands(ui: UiServices, intents: Intents): readonly Command[] {
  const { plugin, parts, services, boards, requests } = ui;
  const { own } = boards.writes;
  const state = () => services.overview.state;
  const hasReady = () =>
    state().boards.some((board) => [...boardFacts(board).values()].some(({ ready }) => ready));
  const nextReady = async () => {
    await openSidebar(plugin);
    requests.send('next-ready');
  };
  const importTasks = () => importDialog(plugin.app, parts, services.manager, boards.writes);
  const here = () => activeViewActions(plugin.app)['filter-board'];
  const naming = () => services.manager.now.naming;
  const namingDeps = { app: plugin.app, naming, look: () => services.refresh() };
  const name = (by: NamedBy) => nameBoards(namingDeps, by);
  return commands(
    ['open-sidebar', t('app.openTaskSidebar'), () => openSidebar(plugin)],
    ['next-ready', t('app.nextReady'), nextReady, hasReady],
    [
      'filter-board',
      t('common.filterTasks'),
      () => (here() ?? (() => requests.send('filter')))(),
      () => here() !== undefined || isSidebarVisible(plugin.app),
    ],
    ['undo', t('app.undoBoardChange'), () => own.undo(), () => own.canUndo],
    ['redo', t('app.redoBoardChange'), () => own.redo(), () => own.canRedo],
    [
      'mark-seen',
      t('common.markChangesAsSeen'),
      () => services.overview.seen(),
      () => state().changes.size > 0,
    ],
    ['import-board', t('app.importTasksFrom'), importTasks],
    [
      'repair-notes',
      t('app.showRepairs'),
      () => intents.showRepairs(),
      () => state().findings.length > 0,
    ],
    ['move-boards', t('app.moveBoards'), () => services.moves.openDialog()],
    ['check-again', t('app.lookAtAllBoardsAgain'), () => services.refresh()],
    ['copy-connection-details', t('app.copyConnectionDetails'), () => copyDetails(ui)],
    ['name-by-title', t('app.nameByTitle'), () => name('title')],
    ['name-by-session', t('app.nameBySession'), () => name('session')],
    ['copy-diagnostics', t('app.copyDiagnostics'), () => copyDiagnostics(ui)],
  );
}

const DIAGNOSTICS_COPIED = t('app.diagnosticsCopied');

function copyDetails({ parts }: UiServices): unknown {
  return copyText(connectionDetails(parts.connection), notify, t('app.detailsCopied'));
}

export function copyDiagnostics(ui: UiServices): unknown {
  return copyText(diagnosticsOf(ui), notify, DIAGNOSTICS_COPIED);
}

function diagnosticsOf({ plugin, parts, services }: UiServices): string {
  const { bus, connection, log, model, settings, tools } = parts;
  const device = Platform.isDesktop ? 'desktop' : 'mobile';
  const versions = { plugin: plugin.manifest.version, obsidian: apiVersion, device };
  return diagnosticsText({
    ...{ versions, connection, bus: bus.counters, faults: log.faults() },
    caches: [
      services.manager.now.meter,
      services.tools.index.meter,
      ...(model.meter === undefined ? [] : [model.meter]),
    ],
    settings: [
      [settings.current, readOwnSettings(null)],
      [services.boardRoot.settings, defaultSettings()],
    ],
    secrets: tools.audit.secrets(),
  });
}
