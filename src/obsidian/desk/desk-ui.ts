import { MarkdownView, Platform, type Plugin } from 'obsidian';
import { readBoardPath } from '../../core/board/board-path';
import type { Board } from '../../core/board/task';
import type { Undo } from '../../core/ports';
import { connectionDetails } from '../part/connection-details';
import { Asker } from '../ask/asker';
import { isBusy } from '../ask/is-busy';
import { AskModal } from '../ask/ask-modal';
import { needOrigin, needQuestion } from '../ask/need';
import { needTask } from '../ask/need-task';
import { toTrash } from '../adapter/to-trash';
import { NativeBars } from '../native/native-bars';
import { NativeFacts } from '../native/native-facts';
import { SidebarRequests } from '../sidebar/sidebar-requests';
import { statusBar } from '../status-bar';
import { allCommands } from './all-commands';
import { BoardActions } from './board-actions';
import { boardQuestions } from './board-questions';
import { BoardWrites } from './board-writes';
import { CheckpointDialogs } from './checkpoint-dialogs';
import { compareCopies } from './compare-copies';
import { Conversations } from './conversations';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { followSessions, makeNotices, type NoticeMeans } from './make-notices';
import { makeOpenCode } from './make-opencode';
import { followRuns, makeRuns } from './make-runs';
import { makeSettingsTab } from './make-settings-tab';
import { noteDrafts } from './note-drafts';
import { notify } from './notify';
import { openBoard } from './open-board';
import { PluginIntents } from './plugin-intents';
import { openSidebar, registerViews } from './register-views';
import { SessionActions } from './session-actions';
import type { SessionNotices } from './session-notices';
import { SessionKeeping } from './session-keeping';
import { ToolUi } from './tool-ui';
import { TaskPickers } from './task-pickers';

/** Everything of the plugin that the person sees: views, commands, settings, status bar, dialogs. */
export class DeskUi {
  private readonly boards: BoardActions;
  private readonly pickers: TaskPickers;
  private readonly checkpoints: CheckpointDialogs;
  private readonly requests = new SidebarRequests();
  private readonly sessions: SessionActions;
  private readonly keeping: SessionKeeping;
  private readonly asker: Asker;
  private readonly tools: ToolUi;
  private readonly intents: PluginIntents;
  private readonly conversations: Conversations;
  private readonly openCode: ReturnType<typeof makeOpenCode>;
  private readonly notices: SessionNotices;
  private readonly runs: ReturnType<typeof makeRuns>;
  private readonly undos: Undo[] = [];

  constructor(
    readonly plugin: Plugin,
    private readonly parts: DeskParts,
    readonly desk: Desk,
  ) {
    const { app } = plugin;
    const manager = () => desk.manager.now;
    const writes = new BoardWrites({
      manager,
      notify,
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

  private noticeMeans(): NoticeMeans {
    const { plugin, parts, desk } = this;
    const openSession = (sessionId: string) => void this.conversations.open(sessionId);
    return { plugin, parts, overview: desk.overview, asker: () => this.asker, openSession };
  }

  private makeAsker(): Asker {
    const { plugin, parts, desk } = this;
    return new Asker({
      clock: parts.clock,
      runtime: parts.runtime,
      sessions: () => parts.sessions.all(),
      asks: desk.tools.asks,
      connected: () => this.connected(),
      task: (need) => needTask(need, desk.overview.state.boards),
      open: (queue, first, closed) => new AskModal(plugin.app, queue, first, closed).open(),
      busy: () => isBusy(activeDocument),
      tell: notify,
      announce: (need) => {
        this.desk.announce(`${needOrigin(need)} asks: ${needQuestion(need)}`);
        this.notices.need(need, isBusy(activeDocument));
      },
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
      requests: this.requests,
      today: () => parts.clock.today(),
      since: parts.clock.now(),
      foldDays: () => parts.settings.current.foldDays,
      canInstall: parts.desktop,
      phone: () => Platform.isPhone,
      shown: () => desk.look(),
    });
    plugin.addRibbonIcon('list-checks', 'Open task sidebar', () => void openSidebar(plugin));
    const { openCode, tools } = this;
    plugin.addSettingTab(makeSettingsTab(plugin, parts, desk, { openCode, tools }));
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
