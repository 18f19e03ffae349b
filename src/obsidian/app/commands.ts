import { apiVersion, Platform, type Command } from 'obsidian';
import { boardFacts } from '../../core/board/facts';
import { askCommands } from '../ask/prompts';
import { importDialog } from '../board/import-export';
import { planCommands } from '../board/plan-commands';
import { Chooser, taskCommands } from '../board/task-commands';
import { waitingCount } from '../model/attention';
import { continueCommand } from '../session/auto-continue';
import { sessionCommands } from '../session/session-keeping';
import { when } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { diagnostics } from './diagnostics';
import type { PluginIntents, UiServices } from './plugin-intents';
import { openSidebar, sidebarShown } from './views';

/** Every command but those of the note view. */
export function allCommands(ui: UiServices, intents: PluginIntents): readonly Command[] {
  const { plugin, parts, desk, boards, requests } = ui;
  const { app } = plugin;
  const state = () => desk.overview.state;
  const selected = () => (sidebarShown(app, true) ? intents.chosen() : undefined);
  const choose = new Chooser(app, () => state().boards, selected);
  return [
    ...planCommands(ui, choose),
    ...taskCommands(app, choose, boards, ui.pickers),
    ...bridgeCommands(ui),
    ...viewCommands(ui, intents),
    ...askCommands({
      asker: ui.asker,
      needsMine: () => waitingCount(state()) > 0,
      showNext: async () => {
        await openSidebar(plugin);
        requests.ask('needs-you');
      },
    }),
    ...sessionCommands(ui.keeping, choose, () => desk.sessions.list().length > 0),
    continueCommand(app, parts.sessions, desk.continues.auto),
  ];
}

function bridgeCommands({ parts, desk, sessions }: UiServices): readonly Command[] {
  const { desktop } = parts;
  const online = () => parts.connection.state.kind === 'connected';
  const bridge = () => desk.overview.state.bridge;
  const hasSessions = () => parts.sessions.all().some(({ state }) => state.kind !== 'ended');
  return [
    when(
      'install-bridge',
      'Install bridge in this vault',
      () => desktop && bridge() === 'missing',
      () => desk.installBridge(),
    ),
    when(
      'update-bridge',
      'Update bridge',
      () => desktop && bridge() === 'older',
      () => desk.installBridge(),
    ),
    when(
      'connect',
      'Connect to OpenCode',
      () => desktop && !online(),
      () => desk.connect(),
    ),
    when('disconnect', 'Disconnect from OpenCode', online, () => desk.disconnect()),
    when('start-session', 'Start session', online, () => sessions.start()),
    when(
      'send-message',
      'Send message to session…',
      () => online() && hasSessions(),
      () => sessions.send(),
    ),
  ];
}

function viewCommands(ui: UiServices, intents: PluginIntents): readonly Command[] {
  const { plugin, parts, desk, boards, requests } = ui;
  const { own } = boards.writes;
  const state = () => desk.overview.state;
  const always = () => true;
  return [
    when('open-sidebar', 'Open task sidebar', always, () => openSidebar(plugin)),
    when(
      'next-ready',
      'Go to next ready task',
      () =>
        state().boards.some((board) => [...boardFacts(board).values()].some(({ ready }) => ready)),
      async () => {
        await openSidebar(plugin);
        requests.ask('next-ready');
      },
    ),
    when(
      'filter-board',
      'Filter tasks',
      () => sidebarShown(plugin.app, false),
      () => requests.ask('filter'),
    ),
    when(
      'undo',
      'Undo board change',
      () => own.canUndo,
      () => own.undo(),
    ),
    when(
      'redo',
      'Redo board change',
      () => own.canRedo,
      () => own.redo(),
    ),
    when(
      'mark-seen',
      'Mark changes as seen',
      () => state().changes.size > 0,
      () => desk.overview.seen(),
    ),
    when('import-board', 'Import tasks…', always, () =>
      importDialog(plugin.app, parts, desk.manager, boards.writes),
    ),
    when(
      'repair-notes',
      'Show notes that need repair',
      () => state().findings.length > 0,
      () => intents.showRepairs(),
    ),
    when('move-boards', 'Move boards to another folder…', always, () => desk.moves.ask()),
    when('copy-diagnostics', 'Copy diagnostics', always, () =>
      copyText(diagnosticsOf(ui), notify, DIAGNOSTICS_COPIED),
    ),
  ];
}

const DIAGNOSTICS_COPIED =
  'Diagnostics copied: versions, connections, counts and log lines. No titles and no text of notes.';

function diagnosticsOf({ plugin, parts }: UiServices): string {
  const { connection, logged: log, token } = parts;
  const device = Platform.isDesktop ? 'desktop' : 'mobile';
  const versions = { plugin: plugin.manifest.version, obsidian: apiVersion, device };
  return diagnostics({ versions, connection, log, secret: token.get() });
}
