import { MarkdownView, Platform, type Plugin } from 'obsidian';
import { readBoardPath } from '../../core/board/board-path';
import type { Board } from '../../core/board/task';
import type { Undo } from '../../core/ports';
import { connectionDetails } from './diagnostics';
import { Prompts } from '../ask/prompts';
import { isBusy } from '../ui/focus';
import { AskModal } from '../ask/ask-modal';
import { itemOrigin, itemQuestion } from '../model/attention';
import { itemTask } from '../session/state-line';
import { toTrash } from '../adapter/vault-notes';
import { NativeBars } from '../note/native-bars';
import { NativeFacts } from '../note/native-facts';
import { SidebarRequests } from '../sidebar/ui-state';
import { statusBar } from './status-bar';
import { allCommands } from './commands';
import { BoardActions, boardQuestions, BoardWrites, oneAtATime } from '../board/board-actions';
import { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { compareCopies } from '../board/compare-copies';
import { Conversations } from '../conversation/conversations';
import type { Services } from './services';
import type { CoreServices } from './core-services';
import {
  followSessions,
  makeNotices,
  type NoticeDeps,
  type SessionNotices,
} from '../session/session-notices';
import { makeOpenCode } from './opencode';
import { followRuns, makeRuns } from '../run/run-panels';
import { SettingsTab } from '../settings/settings-tab';
import { noteDrafts } from '../board/board-root';
import { copyText, notify, notifyOwn } from '../ui/notify';
import { openBoard } from '../note/open-board';
import { PluginIntents } from './plugin-intents';
import { openSidebar, registerViews } from './views';
import { SessionActions } from '../session/session-actions';
import { SessionKeeping } from '../session/session-keeping';
import { ToolUi } from './tool-ui';
import { TaskPickers } from '../board/task-commands';

/** Everything of the plugin that the person sees: views, commands, settings, status bar, dialogs. */
export class PluginUi {
  private readonly boards: BoardActions;
  private readonly pickers: TaskPickers;
  private readonly checkpoints: CheckpointDialogs;
  private readonly requests = new SidebarRequests();
  private readonly sessions: SessionActions;
  private readonly keeping: SessionKeeping;
  private readonly asker: Prompts;
  private readonly tools: ToolUi;
  private readonly intents: PluginIntents;
  private readonly conversations: Conversations;
  private readonly openCode: ReturnType<typeof makeOpenCode>;
  private readonly notices: SessionNotices;
  private readonly runs: ReturnType<typeof makeRuns>;
  private readonly undos: Undo[] = [];

  constructor(
    readonly plugin: Plugin,
    private readonly parts: CoreServices,
    readonly desk: Services,
  ) {
    const { app } = plugin;
    const manager = () => desk.manager.now;
    const writes = new BoardWrites({
      manager,
      notify: oneAtATime(notifyOwn),
      copy: (text) => void copyText(text, notify),
      open: (board, task) => void openBoard(app, board, task, false),
    });
    this.boards = new BoardActions(writes, boardQuestions(app));
    this.pickers = new TaskPickers(app, this.boards, () => [
      ...desk.overview.state.boards.map(({ agent }) => agent),
    ]);
    this.checkpoints = new CheckpointDialogs({
      ...{ app, store: parts.store, manager, writes },
      runOn: (path) => desk.runs.rollBackOn(path),
    });
    this.sessions = new SessionActions({
      app,
      runtime: parts.runtime,
      sessions: () => parts.sessions.all(),
      connected: () => this.connected(),
      defaultAgent: () => parts.settings.current.defaultAgent,
      enterSends: () => parts.settings.current.enterSends,
      show: (sessionId) => void this.conversations.open(sessionId),
      typing: (sessionId, has) => desk.continues.auto.typing(sessionId, has),
      notify,
    });
    this.keeping = new SessionKeeping({
      ...{ app, manager, notify, desk: desk.sessions, runtime: parts.runtime },
      boards: () => desk.overview.state.boards,
      connected: () => this.connected(),
      show: (sessionId, key) => void this.conversations.open(sessionId, key),
    });
    this.notices = makeNotices(this.noticeMeans());
    this.asker = this.makeAsker();
    this.tools = new ToolUi(plugin, parts, desk, this.asker);
    const { asker, sessions } = this;
    const { auto } = desk.continues;
    this.conversations = new Conversations({ plugin, parts, desk, asker, sessions });
    this.intents = new PluginIntents({
      ...{ app, asker, sessions, auto, notify, overview: desk.overview },
      ...{ boards: this.boards, pickers: this.pickers, keeping: this.keeping },
      openConversation: (sessionId) => void this.conversations.open(sessionId),
      openAudit: (task) => void this.tools.audit.open({ task }),
      runs: () => this.runs,
      connect: () => desk.connect(),
      disconnect: () => desk.disconnect(),
      connectionDetails: () => connectionDetails(parts.connection),
      installBridge: () => desk.installBridge(),
      checkAgain: () => desk.look(),
      compare: (board, copies) => void this.compare(board, copies),
    });
    const { boards, checkpoints } = this;
    const openSession = (sessionId: string) => void this.conversations.open(sessionId);
    this.runs = makeRuns({ plugin, parts, desk, boards, checkpoints, asker, openSession });
    this.openCode = makeOpenCode(plugin, parts, () => desk.connect());
    this.register();
  }

  start(): void {
    const { overview } = this.desk;
    // Where the focus goes is known only after the event.
    this.plugin.registerDomEvent(activeDocument, 'focusout', () => {
      window.setTimeout(() => this.asker.freed(), 0);
    });
    const dialogs = new MutationObserver(() => this.asker.freed());
    dialogs.observe(activeDocument.body, { childList: true });
    this.undos.push(() => dialogs.disconnect());
    this.showNativeNotes();
    this.undos.push(
      overview.onChange(() => this.asker.look()),
      followSessions(this.notices, this.noticeMeans()),
      followRuns(this, this.notices, this.runs),
      statusBar(this.plugin, overview, this.asker, {
        review: () => this.asker.review(),
        openSidebar: () => void openSidebar(this.plugin),
        connection: (event) => this.intents.moreMenu(event),
      }),
    );
  }

  /** After the first look at the boards: what an earlier start left to undo and to go back to. */
  async recall(): Promise<void> {
    await this.boards.writes.own.recall();
    await this.checkpoints.look();
  }

  close(): void {
    this.openCode?.openCode.close();
    this.asker.close();
    this.tools.close();
    for (const undo of this.undos) undo();
  }

  /** Boards in a visible folder open in the app's own editor: the bar and the facts come to them. */
  private showNativeNotes(): void {
    const { plugin, parts, desk, intents } = this;
    const { workspace } = plugin.app;
    const today = () => parts.clock.today();
    const bars = new NativeBars({ workspace, overview: desk.overview, intents, today });
    const isBoard = (path: string) => readBoardPath(desk.root, path) !== undefined;
    const { app } = plugin;
    const facts = new NativeFacts({ app, isBoard, overview: desk.overview, intents, today });
    bars.start();
    this.undos.push(() => bars.close());
    plugin.registerMarkdownPostProcessor((element, context) => facts.process(element, context));
    // What the app drew before we came is drawn once more.
    for (const { view } of workspace.getLeavesOfType('markdown')) {
      if (view instanceof MarkdownView && isBoard(view.file?.path ?? '')) {
        view.previewMode.rerender(true);
      }
    }
  }

  private compare(board: Board, copies: readonly string[]): Promise<void> {
    const { app } = this.plugin;
    return compareCopies(
      {
        ...{ app, store: this.parts.store, notify, trash: toTrash(app) },
        open: (one) => void openBoard(app, one, undefined, false),
        changed: () => this.desk.look(),
      },
      board,
      copies,
    );
  }

  private connected(): boolean {
    return this.parts.connection.state.kind === 'connected';
  }

  private noticeMeans(): NoticeDeps {
    const { plugin, parts, desk } = this;
    const openSession = (sessionId: string) => void this.conversations.open(sessionId);
    const { overview, runs } = desk;
    return { plugin, parts, overview, runs: runs.runs, asker: () => this.asker, openSession };
  }

  private makeAsker(): Prompts {
    const { plugin, parts, desk } = this;
    return new Prompts({
      clock: parts.clock,
      runtime: parts.runtime,
      sessions: () => parts.sessions.all(),
      asks: desk.tools.asks,
      connected: () => this.connected(),
      task: (need) => itemTask(need, desk.overview.state.boards),
      open: (queue, first, closed) => new AskModal(plugin.app, queue, first, closed).open(),
      busy: () => isBusy(activeDocument),
      tell: notify,
      announce: (need) => {
        this.desk.announce(`${itemOrigin(need)} asks: ${itemQuestion(need)}`);
        this.notices.need(need, isBusy(activeDocument));
      },
    });
  }

  private register(): void {
    const { plugin, parts, desk } = this;
    registerViews(plugin, {
      overview: desk.overview,
      store: parts.store,
      drafts: noteDrafts(parts.store, desk.manager, desk.sessions.typing, () => desk.root),
      clock: parts.clock,
      intents: this.intents,
      needs: this.asker,
      requests: this.requests,
      today: () => parts.clock.today(),
      since: parts.clock.now(),
      foldDays: () => parts.settings.current.foldDays,
      canInstall: parts.desktop,
      hasOpenCode: async () => (await this.openCode?.openCode.has()) ?? true,
      phone: () => Platform.isPhone,
      shown: () => desk.look(),
    });
    plugin.addRibbonIcon('list-checks', 'Open task sidebar', () => void openSidebar(plugin));
    plugin.addSettingTab(new SettingsTab(plugin, parts, desk, this.openCode, this.tools));
    const { asker, intents, boards, sessions, keeping, pickers, checkpoints, requests } = this;
    const given = {
      ...{ plugin, parts, desk, asker, intents, boards, sessions },
      ...{ keeping, pickers, checkpoints, requests },
    };
    for (const command of allCommands({ ...given, connected: () => this.connected() })) {
      plugin.addCommand(command);
    }
  }
}
