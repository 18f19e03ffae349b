import { apiVersion, Platform, type Command, type Plugin } from 'obsidian';
import { boardFacts } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import { askCommands, type Prompts } from '../ask/prompts';
import { Chooser, TaskCommands, type TaskPickers } from '../board/task-commands';
import { continueCommand } from '../session/auto-continue';
import { PlanCommands, suggestDialog } from '../board/plan-commands';
import { sessionCommands, type SessionKeeping } from '../session/session-keeping';
import type { SidebarRequests } from '../sidebar/ui-state';
import type { BoardActions } from '../board/board-actions';
import type { CheckpointDialogs } from '../board/checkpoint-dialogs';
import type { Services } from './services';
import type { CoreServices } from './core-services';
import { exportDialog, importDialog } from '../board/import-export';
import type { PluginIntents } from './plugin-intents';
import { waitingCount } from '../model/attention';
import { diagnostics } from './diagnostics';
import { copyText, notify } from '../ui/notify';
import { openSidebar, sidebarShown } from './views';
import type { SessionActions } from '../session/session-actions';
import type { BridgeFile } from '../model/overview';
import { when } from '../ui/menu';

interface AllCommandsDeps {
  readonly plugin: Plugin;
  readonly parts: CoreServices;
  readonly desk: Services;
  readonly asker: Prompts;
  readonly intents: PluginIntents;
  readonly boards: BoardActions;
  readonly sessions: SessionActions;
  readonly keeping: SessionKeeping;
  readonly pickers: TaskPickers;
  readonly checkpoints: CheckpointDialogs;
  readonly requests: SidebarRequests;
  readonly connected: () => boolean;
}

/** Every command but those of the note view. */
export function allCommands(deps: AllCommandsDeps): readonly Command[] {
  const { plugin, parts, desk, checkpoints, boards } = deps;
  const { app } = plugin;
  const { store, clock } = parts;
  const { writes } = boards;
  const manager = () => desk.manager.now;
  const all = () => desk.overview.state.boards;
  const selected = () => (sidebarShown(app, true) ? deps.intents.chosen : undefined);
  const choose = new Chooser(app, all, selected);
  const plans = new PlanCommands(app, choose, boards, manager, {
    hasArchive: ({ path, archived }) => (archived?.size ?? 0) > 0 || desk.repairs.hasArchive(path),
    createCheckpoint: (board) => checkpoints.create(board),
    rollBack: (board) => checkpoints.rollBack(board),
    hasCheckpoints: () => checkpoints.any,
    exportBoard: (board) => exportDialog({ app, store, writes }, board),
    suggest: (board) => suggestDialog({ app, clock, manager, writes }, board),
  });
  const importTasks = () => importDialog({ app, store, clock, manager, writes, boards: all });
  return [
    ...plans.list(),
    ...new TaskCommands(app, choose, boards, deps.pickers).list(),
    ...commands({ ...deskCommands(deps), importTasks }),
    ...askCommands({
      asker: deps.asker,
      needsMine: () => waitingCount(desk.overview.state) > 0,
      showNext: async () => {
        await openSidebar(plugin);
        deps.requests.ask('needs-you');
      },
    }),
    ...sessionCommands(deps.keeping, choose, () => desk.sessions.list().length > 0),
    continueCommand({
      app,
      sessions: () => parts.sessions.all(),
      can: (id) => desk.continues.auto.canContinue(id),
      goOn: (id) => desk.continues.auto.continueNow(id),
    }),
  ];
}

function deskCommands(deps: AllCommandsDeps): Omit<CommandDeps, 'importTasks'> {
  const { plugin, parts, desk, requests, connected } = deps;
  const { overview } = desk;
  const { own } = deps.boards.writes;
  return {
    sessions: deps.sessions,
    desktop: parts.desktop,
    bridge: () => overview.state.bridge,
    connected,
    hasSessions: () => parts.sessions.all().some((one) => one.state.kind !== 'ended'),
    installBridge: () => desk.installBridge(),
    connect: () => desk.connect(),
    disconnect: () => desk.disconnect(),
    openSidebar: () => openSidebar(plugin),
    moveBoards: () => desk.moves.ask(),
    copyDiagnostics: () => copyText(diagnosticsOf(deps), notify, DIAGNOSTICS_COPIED),
    hasRepairs: () => overview.state.findings.length > 0,
    showRepairs: () => deps.intents.showRepairs(),
    canUndo: () => own.canUndo,
    undo: () => own.undo(),
    canRedo: () => own.canRedo,
    redo: () => own.redo(),
    hasReady: () => overview.state.boards.some(hasReady),
    nextReady: async () => {
      await openSidebar(plugin);
      requests.ask('next-ready');
    },
    sidebarShown: () => sidebarShown(plugin.app, false),
    filter: () => requests.ask('filter'),
    hasChanges: () => overview.state.changes.size > 0,
    markSeen: () => overview.seen(),
  };
}

const DIAGNOSTICS_COPIED =
  'Diagnostics copied: versions, connections, counts and log lines. No titles and no text of notes.';

function diagnosticsOf({ plugin, parts }: AllCommandsDeps): string {
  const { connection, logged: log, token } = parts;
  const device = Platform.isDesktop ? 'desktop' : 'mobile';
  const versions = { plugin: plugin.manifest.version, obsidian: apiVersion, device };
  return diagnostics({ versions, connection, log, secret: token.get() });
}

function hasReady(board: Board): boolean {
  return [...boardFacts(board).values()].some(({ ready }) => ready);
}

interface CommandDeps {
  readonly sessions: SessionActions;
  readonly desktop: boolean;
  readonly bridge: () => BridgeFile;
  readonly connected: () => boolean;
  readonly hasSessions: () => boolean;
  readonly installBridge: () => Promise<void>;
  readonly connect: () => void;
  readonly disconnect: () => void;
  readonly openSidebar: () => Promise<void>;
  readonly moveBoards: () => Promise<void>;
  readonly copyDiagnostics: () => Promise<void>;
  readonly importTasks: () => Promise<void>;
  readonly hasRepairs: () => boolean;
  readonly showRepairs: () => void;
  readonly canUndo: () => boolean;
  readonly undo: () => Promise<void>;
  readonly canRedo: () => boolean;
  readonly redo: () => Promise<void>;
  readonly hasReady: () => boolean;
  readonly nextReady: () => Promise<void>;
  readonly sidebarShown: () => boolean;
  readonly filter: () => void;
  readonly hasChanges: () => boolean;
  readonly markSeen: () => void;
}

/** The commands that are about neither one plan nor one task. */
function commands(deps: CommandDeps): readonly Command[] {
  return [...bridgeCommands(deps), ...viewCommands(deps)];
}

function bridgeCommands(deps: CommandDeps): readonly Command[] {
  const { sessions, connected: online, desktop, bridge } = deps;
  return [
    when(
      'install-bridge',
      'Install bridge in this vault',
      () => desktop && bridge() === 'missing',
      deps.installBridge,
    ),
    when(
      'update-bridge',
      'Update bridge',
      () => desktop && bridge() === 'older',
      deps.installBridge,
    ),
    when('connect', 'Connect to OpenCode', () => desktop && !online(), deps.connect),
    when('disconnect', 'Disconnect from OpenCode', online, deps.disconnect),
    when('start-session', 'Start session', online, () => sessions.start()),
    when(
      'send-message',
      'Send message to session…',
      () => online() && deps.hasSessions(),
      () => sessions.send(),
    ),
  ];
}

function viewCommands(deps: CommandDeps): readonly Command[] {
  const always = () => true;
  return [
    when('open-sidebar', 'Open task sidebar', always, deps.openSidebar),
    when('next-ready', 'Go to next ready task', deps.hasReady, deps.nextReady),
    when('filter-board', 'Filter tasks', deps.sidebarShown, deps.filter),
    when('undo', 'Undo board change', deps.canUndo, deps.undo),
    when('redo', 'Redo board change', deps.canRedo, deps.redo),
    when('mark-seen', 'Mark changes as seen', deps.hasChanges, deps.markSeen),
    when('import-board', 'Import tasks…', always, deps.importTasks),
    when('repair-notes', 'Show notes that need repair', deps.hasRepairs, deps.showRepairs),
    when('move-boards', 'Move boards to another folder…', always, deps.moveBoards),
    when('copy-diagnostics', 'Copy diagnostics', always, deps.copyDiagnostics),
  ];
}
