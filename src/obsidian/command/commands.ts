import type { Command } from 'obsidian';
import type { BridgeFile } from '../model/overview';
import type { SessionActions } from '../desk/session-actions';
import type { BoardCommands } from './board-commands';

export interface CommandDeps {
  readonly boards: BoardCommands;
  readonly sessions: SessionActions;
  readonly desktop: boolean;
  readonly bridge: () => BridgeFile;
  readonly connected: () => boolean;
  readonly hasBoards: () => boolean;
  readonly hasSessions: () => boolean;
  readonly installBridge: () => Promise<void>;
  readonly connect: () => void;
  readonly disconnect: () => void;
  readonly openSidebar: () => Promise<void>;
  readonly moveBoards: () => Promise<void>;
  readonly canUndo: () => boolean;
  readonly undo: () => void;
  readonly hasChanges: () => boolean;
  readonly markSeen: () => void;
  readonly needsYou: () => boolean;
  readonly review: () => void;
}

/** Every command; one that can't be used now is not listed in the palette. */
export function commands(deps: CommandDeps): readonly Command[] {
  const { boards, sessions } = deps;
  const when = (id: string, name: string, can: () => boolean, run: () => unknown): Command => ({
    id,
    name,
    checkCallback: (checking) => {
      if (!can()) return false;
      if (!checking) void run();
      return true;
    },
  });
  const always = () => true;
  const online = deps.connected;
  return [
    when(
      'install-bridge',
      'Install bridge in this vault',
      () => deps.desktop && deps.bridge() === 'missing',
      deps.installBridge,
    ),
    when(
      'update-bridge',
      'Update bridge',
      () => deps.desktop && deps.bridge() === 'older',
      deps.installBridge,
    ),
    when('connect', 'Connect to OpenCode', () => deps.desktop && !online(), deps.connect),
    when('disconnect', 'Disconnect from OpenCode', online, deps.disconnect),
    when('open-sidebar', 'Open task sidebar', always, deps.openSidebar),
    when('open-note', 'Open plan as note…', deps.hasBoards, () => boards.open()),
    when('start-session', 'Start session', online, () => sessions.start()),
    when(
      'send-message',
      'Send message to session…',
      () => online() && deps.hasSessions(),
      () => sessions.send(),
    ),
    when(
      'add-task',
      'Add task…',
      () => boards.writable().length > 0,
      () => boards.addTask(),
    ),
    when(
      'set-status',
      'Change task status…',
      () => boards.hasTask(),
      () => boards.setStatus(),
    ),
    when(
      'complete-task',
      'Complete task',
      () => boards.hasTask(),
      () => boards.complete(),
    ),
    when(
      'rename-task',
      'Rename task',
      () => boards.hasTask(),
      () => boards.rename(),
    ),
    when('permission-review', 'Review permission request', deps.needsYou, deps.review),
    when('undo', 'Undo board change', deps.canUndo, deps.undo),
    when('move-boards', 'Move boards to another folder…', always, deps.moveBoards),
    when('mark-seen', 'Mark changes as seen', deps.hasChanges, deps.markSeen),
  ];
}
