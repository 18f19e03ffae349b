import type { Command } from 'obsidian';
import type { BridgeFile } from '../model/overview';
import type { SessionActions } from '../desk/session-actions';
import { when } from './when';

export interface CommandDeps {
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
export function commands(deps: CommandDeps): readonly Command[] {
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
  ];
}
