import type { Command, Plugin } from 'obsidian';
import { boardFacts } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { Asker } from '../ask/asker';
import { askCommands } from '../command/ask-commands';
import { Chooser } from '../command/chooser';
import { continueCommand } from '../command/continue-command';
import { commands, type CommandDeps } from '../command/commands';
import { PlanCommands } from '../command/plan-commands';
import { sessionCommands } from '../command/session-commands';
import { TaskCommands } from '../command/task-commands';
import type { SidebarRequests } from '../sidebar/sidebar-requests';
import type { BoardActions } from './board-actions';
import type { CheckpointDialogs } from './checkpoint-dialogs';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { exportDialog } from './export-dialog';
import { importDialog } from './import-dialog';
import type { PluginIntents } from './plugin-intents';
import { mineOf } from '../model/mine';
import { openSidebar, sidebarShown } from './register-views';
import type { SessionActions } from './session-actions';
import type { SessionKeeping } from './session-keeping';
import { suggestDialog } from './suggest-dialog';
import type { TaskPickers } from './task-pickers';

export interface AllCommandsDeps {
  readonly plugin: Plugin;
  readonly parts: DeskParts;
  readonly desk: Desk;
  readonly asker: Asker;
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
    suggest: (board) => suggestDialog({ app, manager, writes }, board),
  });
  const importTasks = () => importDialog({ app, store, clock, manager, writes, boards: all });
  return [
    ...plans.list(),
    ...new TaskCommands(app, choose, boards, deps.pickers).list(),
    ...commands({ ...deskCommands(deps), importTasks }),
    ...askCommands({
      asker: deps.asker,
      needsMine: () => mineOf(desk.overview.state).length > 0,
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

function hasReady(board: Board): boolean {
  return [...boardFacts(board).values()].some(({ ready }) => ready);
}
