import { Platform, type Plugin } from 'obsidian';
import { boardRootFault } from '../../core/shared-settings';
import type { Undo } from '../../core/ports';
import { Asker } from '../ask/asker';
import { AskModal } from '../ask/ask-modal';
import { needOrigin, needQuestion } from '../ask/need';
import { BoardCommands } from '../command/board-commands';
import { commands } from '../command/commands';
import { NativeBars } from '../native/native-bars';
import { NativeFacts } from '../native/native-facts';
import { SettingsTab } from '../settings/settings-tab';
import { statusBar } from '../status-bar';
import { BoardActions } from './board-actions';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { confirm } from './dialog';
import { noteDrafts } from './note-drafts';
import { notify } from './notify';
import { openBoard } from './open-board';
import { PluginIntents } from './plugin-intents';
import { openSidebar, registerViews } from './register-views';
import { SessionActions } from './session-actions';

/** Everything of the plugin that the person sees: views, commands, settings, status bar, dialogs. */
export class DeskUi {
  private readonly boards: BoardActions;
  private readonly sessions: SessionActions;
  private readonly asker: Asker;
  private readonly intents: PluginIntents;
  private readonly undos: Undo[] = [];

  constructor(
    private readonly plugin: Plugin,
    private readonly parts: DeskParts,
    private readonly desk: Desk,
  ) {
    const { app } = plugin;
    this.boards = new BoardActions({
      manager: () => desk.manager.now,
      notify,
      confirmDone: (text) => confirm(app, { title: 'Mark it done?', text, yes: 'Mark done' }),
      open: (board, task) => void openBoard(app, board, task, false),
    });
    this.sessions = new SessionActions({
      app,
      runtime: parts.runtime,
      sessions: () => parts.sessions.all(),
      connected: () => this.connected(),
      defaultAgent: () => parts.settings.current.defaultAgent,
      notify,
    });
    this.asker = this.makeAsker();
    this.intents = new PluginIntents({
      app,
      overview: desk.overview,
      boards: this.boards,
      sessions: this.sessions,
      asker: this.asker,
      connect: () => desk.connect(),
      disconnect: () => desk.disconnect(),
      installBridge: () => desk.installBridge(),
      checkAgain: () => desk.look(),
      notify,
    });
    this.register();
  }

  start(): void {
    const { overview } = this.desk;
    // Where the focus goes is known only after the event.
    this.plugin.registerDomEvent(activeDocument, 'focusout', () => {
      window.setTimeout(() => this.asker.typingEnded(), 0);
    });
    this.showNativeNotes();
    this.undos.push(
      overview.onChange(() => this.asker.look()),
      statusBar(this.plugin, overview, this.asker, {
        review: () => this.asker.review(),
        openSidebar: () => void openSidebar(this.plugin),
        connection: (event) => this.intents.moreMenu(event),
      }),
    );
  }

  close(): void {
    this.asker.close();
    for (const undo of this.undos) undo();
  }

  /** Boards in a visible folder open in the app's own editor: the bar and the facts come to them. */
  private showNativeNotes(): void {
    const { plugin, parts, desk, intents } = this;
    const { workspace } = plugin.app;
    const today = () => parts.clock.today();
    const bars = new NativeBars({ workspace, overview: desk.overview, intents, today });
    const facts = new NativeFacts({ app: plugin.app, overview: desk.overview, intents, today });
    bars.start();
    this.undos.push(() => bars.close());
    plugin.registerMarkdownPostProcessor((element, context) => facts.process(element, context));
  }

  private connected(): boolean {
    return this.parts.connection.state.kind === 'connected';
  }

  private makeAsker(): Asker {
    const { plugin, parts } = this;
    return new Asker({
      clock: parts.clock,
      runtime: parts.runtime,
      sessions: () => parts.sessions.all(),
      connected: () => this.connected(),
      open: (queue, first, closed) => new AskModal(plugin.app, queue, first, closed).open(),
      typing: () => isField(activeDocument.activeElement),
      tell: notify,
      announce: (need) => this.desk.announce(`${needOrigin(need)} asks: ${needQuestion(need)}`),
    });
  }

  private register(): void {
    const { plugin, parts, desk } = this;
    registerViews(plugin, {
      overview: desk.overview,
      store: parts.store,
      drafts: noteDrafts(parts.store, desk.manager, () => desk.root),
      clock: parts.clock,
      intents: this.intents,
      needs: this.asker,
      today: () => parts.clock.today(),
      since: parts.clock.now(),
      canInstall: parts.desktop,
      phone: () => Platform.isPhone,
      shown: () => desk.look(),
    });
    plugin.addRibbonIcon('list-checks', 'Open task sidebar', () => void openSidebar(plugin));
    plugin.addSettingTab(
      new SettingsTab(plugin.app, plugin, {
        settings: parts.settings,
        token: parts.token,
        root: () => desk.root,
        rootProblem: (root) =>
          root === '' ? undefined : boardRootFault(root, plugin.app.vault.configDir),
        setRoot: (root) => desk.setRoot(root),
        moveBoards: () => void desk.moves.ask(),
        reconnect: () => desk.reconnect(),
      }),
    );
    for (const command of this.commands()) plugin.addCommand(command);
  }

  private commands() {
    const { plugin, parts, desk } = this;
    const { overview } = desk;
    return commands({
      boards: new BoardCommands(plugin.app, () => overview.state.boards, this.boards),
      sessions: this.sessions,
      desktop: parts.desktop,
      bridge: () => overview.state.bridge,
      connected: () => this.connected(),
      hasBoards: () => overview.state.boards.length > 0,
      hasSessions: () => parts.sessions.all().some((one) => one.state.kind !== 'ended'),
      installBridge: () => desk.installBridge(),
      connect: () => desk.connect(),
      disconnect: () => desk.disconnect(),
      openSidebar: () => openSidebar(plugin),
      moveBoards: () => desk.moves.ask(),
      canUndo: () => this.boards.canUndo,
      undo: () => void this.boards.undo(),
      hasChanges: () => overview.state.changes.size > 0,
      markSeen: () => overview.seen(),
      needsYou: () => this.asker.needs().length > 0,
      review: () => this.asker.review(),
    });
  }
}

function isField(element: Element | null): boolean {
  return element?.matches('input:not([type=checkbox]), textarea, [contenteditable=true]') ?? false;
}
