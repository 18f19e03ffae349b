import { MarkdownView, Platform, type Plugin } from 'obsidian';
import { readBoardPath } from '../../core/board/board-path';
import type { Undo } from '../../core/ports';
import { Prompts } from '../ask/prompts';
import { isBusy } from '../ui/focus';
import { AskModal } from '../ask/ask-modal';
import { itemOrigin, itemQuestion } from '../model/attention';
import { itemTask } from '../session/state-line';
import { NativeBars } from '../note/native-bars';
import { NativeFacts } from '../note/native-facts';
import { SidebarRequests } from '../sidebar/ui-state';
import { statusBar } from './status-bar';
import { allCommands } from './commands';
import { BoardActions, boardQuestions, BoardWrites, oneAtATime } from '../board/board-actions';
import { CheckpointDialogs } from '../board/checkpoint-dialogs';
import { Conversations } from '../conversation/conversations';
import type { Services } from './services';
import type { CoreServices } from './core-services';
import { makeNotices, type SessionNotices } from '../session/session-notices';
import { makeOpenCode } from './opencode';
import { followRuns, makeRuns, type RunPanels } from '../run/run-panels';
import { SettingsTab } from '../settings/settings-tab';
import { noteDrafts } from '../board/board-root';
import { copyText, notify, notifyOwn } from '../ui/notify';
import { openBoard } from '../note/open-board';
import { makeIntents, type PluginIntents, type UiServices } from './plugin-intents';
import { openSidebar, registerViews } from './views';
import { SessionActions } from '../session/session-actions';
import { SessionKeeping } from '../session/session-keeping';
import { ToolUi } from './tool-ui';
import { TaskPickers } from '../board/task-commands';

/** Everything of the plugin that the person sees: views, commands, settings, status bar, dialogs. */
export class PluginUi implements UiServices {
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly checkpoints: CheckpointDialogs;
  readonly requests = new SidebarRequests();
  readonly sessions: SessionActions;
  readonly keeping: SessionKeeping;
  readonly asker: Prompts;
  readonly tools: ToolUi;
  readonly conversations: Conversations;
  readonly runs: RunPanels;
  private readonly intents: PluginIntents;
  private readonly openCode: ReturnType<typeof makeOpenCode>;
  private readonly notices: SessionNotices;
  private readonly undos: Undo[] = [];

  constructor(
    readonly plugin: Plugin,
    readonly parts: CoreServices,
    readonly desk: Services,
  ) {
    const { app } = plugin;
    const { runtime, settings } = parts;
    const manager = () => desk.manager.now;
    const show = (sessionId: string, key?: string) => void this.conversations.open(sessionId, key);
    const writes = new BoardWrites({
      manager,
      notify: oneAtATime(notifyOwn),
      copy: (text) => void copyText(text, notify),
      open: (board, task) => void openBoard(app, board, task, false),
    });
    this.boards = new BoardActions(writes, boardQuestions(app));
    this.pickers = new TaskPickers(app, this.boards, () =>
      desk.overview.state.boards.map(({ agent }) => agent),
    );
    this.checkpoints = new CheckpointDialogs({
      ...{ app, store: parts.store, manager, writes },
      runOn: (path) => desk.runs.rollBackOn(path),
    });
    const connected = () => this.connected();
    this.sessions = new SessionActions({
      ...{ app, runtime, connected, show, notify },
      sessions: () => parts.sessions.all(),
      defaultAgent: () => settings.current.defaultAgent,
      enterSends: () => settings.current.enterSends,
      typing: (sessionId, has) => desk.continues.auto.typing(sessionId, has),
    });
    this.keeping = new SessionKeeping(app, desk, runtime, connected, show);
    this.notices = makeNotices(plugin, parts, desk, {
      review: (requestId) => this.asker.review(requestId),
      openSession: show,
    });
    this.asker = this.makeAsker();
    this.tools = new ToolUi(plugin, parts, desk, this.asker);
    const { asker, sessions, boards, checkpoints } = this;
    this.conversations = new Conversations({ plugin, parts, desk, asker, sessions });
    this.runs = makeRuns({ plugin, parts, desk, boards, checkpoints, asker, openSession: show });
    this.intents = makeIntents(this);
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
      this.notices.follow(overview, this.parts.bus),
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
    const bars = new NativeBars(workspace, desk.overview, intents, today);
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

  private connected(): boolean {
    return this.parts.connection.state.kind === 'connected';
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
    for (const command of allCommands(this, this.intents)) plugin.addCommand(command);
  }
}
