import type { Plugin } from 'obsidian';
import { BridgeInstaller } from '../../core/bridge-file';
import type { BoardChange } from '../../core/board/board-change';
import type { Drafts } from '../../core/board/merge/note-draft';
import { readSharedSettings, SHARED_SETTINGS_PATH } from '../../core/shared-settings';
import { StoreError, type Undo } from '../../core/ports';
import { DiskPoller, followWindows, registerVaultHints } from '../adapter/disk-poller';
import { CurrentTask } from '../model/current-task';
import { Overview } from '../model/overview';
import { Announcer, boardAnnouncement, LiveRegion } from '../ui/announcer';
import { PluginApi } from '../api/plugin-api';
import { BoardMoves } from '../board/move-boards';
import {
  BoardRoot,
  changeRoot,
  CurrentManager,
  makeManager,
  noteDrafts,
} from '../board/board-root';
import { ConfigSource } from '../config/config-source';
import { SessionContinuation } from '../session/auto-continue';
import { SessionCompaction } from '../session/session-compaction';
import type { CoreServices } from './core-services';
import { notify } from '../ui/notify';
import { RunServices } from '../run/run-services';
import { SessionHistory } from '../session/session-history';
import { RepairScanner } from '../board/repairs';
import { watchRules } from '../permission/external-changes';
import { ToolServices } from '../tool/tool-services';
import { faultText, said, t, translated } from '../language/text';

/** The plugin's user interface, as `Services` uses it. */
export interface UserInterface {
  start(): void;
  /** Whether one of our views is visible. */
  viewVisible(): boolean;
  /** Finds the changes that can be undone and the checkpoints, once the boards are read. */
  loadUndoable(): Promise<void>;
  /** notifies the person of a change of a board, with a button to undo it */
  recordChange(change: string, told: string): void;
  /** makes a change of the person, of which the view tells, undoable */
  addOwnChange(change: string): void;
  close(): void;
}

export type MakeUi = (plugin: Plugin, parts: CoreServices, services: Services) => UserInterface;

/** The running plugin: connects core and views, starts and closes them. */
export class Services {
  readonly manager: CurrentManager;
  readonly overview: Overview;
  /** shared by all open views */
  readonly current = new CurrentTask();
  readonly moves: BoardMoves;
  readonly continuation: SessionContinuation;
  readonly compaction: SessionCompaction;
  /** the rules, requests and audit of agents' tools */
  readonly tools: ToolServices;
  /** the runs */
  readonly runs: RunServices;
  /** transcripts, live and stored */
  readonly sessions: SessionHistory;
  /** agents, skills and instructions of OpenCode in this vault */
  readonly config: ConfigSource;
  /** the API for other plugins */
  readonly api: PluginApi;
  private readonly watch: DiskPoller;
  private readonly installer: BridgeInstaller;
  private readonly announcer: Announcer;
  private readonly ui: UserInterface;
  readonly repairs: RepairScanner;
  readonly drafts: Drafts;
  private readonly undos: Undo[] = [];
  readonly boardRoot: BoardRoot;

  constructor(
    private readonly plugin: Plugin,
    private readonly parts: CoreServices,
    makeUi: MakeUi,
  ) {
    const { connection, clock, store } = parts;
    const { configDir } = plugin.app.vault;
    this.boardRoot = new BoardRoot(store, configDir, parts.shared.root, parts.shared);
    this.moves = new BoardMoves({
      ...{ plugin, store, notify, log: parts.log, files: parts.moveFiles },
      ...{ root: () => this.root, look: () => this.scan() },
      onFolderEmptied: (root) => this.tools.boardFolders.release([root]),
    });
    this.manager = new CurrentManager(
      (root) => makeManager(parts, root, this.boardRoot.settings, () => this.overview.state.runs),
      this.root,
      (change) => this.boardChanged(change),
    );
    const manager = () => this.manager.now;
    const shared = () => this.boardRoot.settings;
    this.tools = new ToolServices(parts, configDir, () => this.root, manager, shared);
    this.runs = new RunServices(parts, manager, this.tools.asks, shared, (reader) =>
      this.tools.notesFor(reader),
    );
    this.sessions = new SessionHistory(parts, notify, () => this.overview.sessionsChanged());
    this.overview = new Overview({
      boards: () => this.manager.now.boards(),
      sessions: () => this.sessions.list(),
      asks: () => this.tools.asks.all(),
      ...{ connection: () => connection.state, bus: parts.bus },
    });
    this.continuation = new SessionContinuation(
      parts,
      () => this.manager.now.boards(),
      (sessionId) => this.runs.runs.usesSession(sessionId),
      (sessionId, state) => this.overview.setContinueState(sessionId, state),
    );
    this.drafts = noteDrafts(store, this.manager, this.sessions.typing, this);
    this.repairs = new RepairScanner({
      ...{ store, clock },
      root: () => this.root,
      boards: () => this.manager.now.boards(),
      found: (findings) => this.overview.setFindings(findings),
      kept: (paths) => this.drafts.allKept(paths),
    });
    this.config = new ConfigSource(parts.configPlaces, clock, (error) =>
      parts.log.note('Reading the configuration failed.', {
        at: 'app.config',
        severity: 'error',
        error: String(error),
      }),
    );
    this.compaction = new SessionCompaction(
      parts,
      this.sessions.transcripts,
      () => this.manager.now.boards(),
      this.config,
    );
    this.api = new PluginApi({
      ...{ ...parts, app: plugin.app, manager, root: () => this.root, sessions: this.sessions },
      recordChange: (...change) => this.ui.recordChange(...change),
    });
    this.installer = new BridgeInstaller(store, parts.program);
    const region = new LiveRegion(plugin.app.workspace.containerEl);
    this.announcer = new Announcer(clock, region);
    this.watch = new DiskPoller({
      clock,
      scan: () => this.scan(),
      viewVisible: () => this.ui.viewVisible(),
      windowVisible: () => !activeDocument.hidden,
      onFault: (error) =>
        parts.log.note('Reading the boards failed.', {
          at: 'board.scan',
          severity: 'error',
          error: String(error),
        }),
    });
    this.ui = makeUi(plugin, parts, this);
    this.undos.push(() => region.close());
  }

  get root(): string {
    return this.boardRoot.now;
  }

  /** Called when the person's text of a board was saved. */
  textSaved(change: string): void {
    this.ui.addOwnChange(change);
  }

  /** Called when the app's layout is ready: scans the boards, then connects. */
  async start(): Promise<void> {
    const { connection, sessions, bus, settings, shared, model } = this.parts;
    this.undos.push(
      connection.onState(() => this.connectionChanged()),
      sessions.onChange(() => this.overview.sessionsChanged()),
      this.tools.asks.onChange(() => this.overview.asksChanged()),
      this.runs.follow((runs, planners) => this.overview.setRuns(runs, planners)),
      bus.onAll((event) => {
        if (event.type === 'turn.end' || event.type === 'tool.update') this.watch.hint();
      }),
    );
    this.ui.start();
    followWindows(this.plugin, (win) => {
      this.plugin.registerDomEvent(win, 'focus', () => this.onFocus());
      this.plugin.registerDomEvent(win.document, 'visibilitychange', () => this.onFocus());
    });
    registerVaultHints(
      this.plugin,
      (path) => this.fileTouched(path),
      (file, before) => void this.moves.followRename(file, before),
    );
    this.watch.start();
    await this.tools.start();
    this.undos.push(watchRules(this.plugin.app, this.tools.policy));
    await this.sessions.start(this.plugin);
    if (shared.problem !== undefined) notify(translated(shared.problem));
    await this.moves.finish();
    await this.runs.start();
    await this.updateBridgeState();
    this.undos.push(model.settings.onChange(() => void this.startModelSessions(true)));
    await this.startModelSessions(settings.current.connectAutomatically);
    if (this.parts.connects() && settings.current.connectAutomatically) this.connect();
  }

  /**
   * Runs sessions on the currently set model.
   * @param connect whether to connect to them
   */
  private async startModelSessions(connect: boolean): Promise<void> {
    const { log, model, store } = this.parts;
    const address = model.settings.unconfirmed;
    if (address !== undefined) {
      notify(t('provider.unconfirmed', { address }), {
        ...{ label: t('provider.confirm'), stays: true },
        onClick: () => model.settings.confirm(),
      });
    }
    const boards = {
      manager: () => Promise.resolve(this.manager.now),
      settings: () => readSharedSettings(store, this.plugin.app.vault.configDir),
    };
    try {
      const isNew = await model.follow({ boards, config: () => this.config.read() });
      if (isNew && connect && model.settings.current !== undefined) this.connect();
    } catch (error) {
      const at = 'session.model';
      log.note('Sessions on a model could not be opened.', {
        ...{ at, severity: 'error', error: String(error) },
      });
    }
  }

  /** A file of the vault was touched, by anyone. The app calls this for hidden files too. */
  fileTouched(path: unknown): void {
    if (typeof path !== 'string') return;
    this.tools.fileChanged(path);
    this.config.touched(path);
    if (path === SHARED_SETTINGS_PATH || this.boardRoot.contains(path)) this.watch.hint();
  }

  /** A view was shown, or the person asks to refresh. */
  refresh(): void {
    this.repairs.invalidate();
    this.watch.focus();
  }

  /** Announces to screen readers what waits for the person. */
  announce(text: string): void {
    this.announcer.announceNow(text);
  }

  /** Announces to screen readers what has finished, at a suitable moment. */
  announcePolitely(sentence: string): void {
    this.announcer.announce({ who: '', sentence, tasks: 0 });
  }

  connect(): void {
    const { connection } = this.parts;
    if (connection.state.kind === 'reconnecting') connection.retryNow();
    else connection.connect();
  }

  disconnect(): void {
    this.parts.connection.disconnect();
  }

  /** Called when the address or the token has changed. */
  reconnect(): void {
    if (this.parts.connection.state.kind === 'disconnected') return;
    this.disconnect();
    this.connect();
  }

  async installBridge(): Promise<void> {
    if (!(await this.installer.install(([, told]) => notify(said(told))))) return;
    await this.updateBridgeState();
    if (this.parts.settings.current.connectAutomatically) this.connect();
  }

  setRoot(root: string): Promise<void> {
    const at = { now: () => this.root, look: () => this.scan(), held: this.runs.whyBoardsFixed };
    return changeRoot(this.parts.store, root, at, notify);
  }

  close(): void {
    // First, so that no run mistakes what closes afterwards for an event.
    this.runs.close();
    this.api.close();
    this.watch.close();
    this.announcer.close();
    this.manager.close();
    this.continuation.close();
    this.compaction.close();
    this.tools.close();
    this.sessions.close();
    this.config.close();
    this.ui.close();
    for (const undo of this.undos) undo();
  }

  private async scan(): Promise<void> {
    const moved = await this.boardRoot.reload();
    this.parts.store.configure(this.root, this.boardRoot.settings.nameByTitle);
    if (moved) {
      this.manager.useRoot(this.root);
      this.tools.rootChanged();
      this.repairs.invalidate();
      this.overview.boardsReplaced();
    }
    this.config.onScan();
    await Promise.all([this.tools.settingsChanged(), this.runs.readChanges()]);
    await this.manager.now.scan();
    const first = !this.overview.state.loaded;
    this.overview.scanned();
    await this.repairs.scan();
    if (!first) return;
    await this.ui.loadUndoable();
    // Completes moves of plans to another session that a crash interrupted.
    for (const one of await this.manager.now.successions.finish()) notify(faultText(one));
    for (const message of await this.manager.now.moves.finish()) notify(message);
    const named = await this.manager.now.naming.finish();
    if (named > 0) notify(t('app.renamingFinished', { count: named }));
  }

  private boardChanged(change: BoardChange): void {
    const news = this.overview.state.loaded ? boardAnnouncement(change) : undefined;
    this.overview.boardChanged(change);
    this.continuation.boardChanged(change);
    this.sessions.boardChanged(change);
    this.runs.boardChanged(change);
    if (this.overview.state.loaded) this.api.boardChanged(change);
    if (news !== undefined) this.announcer.announce(news);
    // Scans soon, so that a board's problems appear and disappear as soon as it is written.
    if (this.overview.state.loaded && change.by !== 'disk') this.watch.hint();
  }

  private connectionChanged(): void {
    if (this.parts.connection.state.kind === 'connected') this.watch.hint();
    this.overview.connectionChanged();
  }

  private onFocus(): void {
    if (activeDocument.hidden) return;
    this.watch.focus();
    this.parts.connection.retryNow();
    void this.updateBridgeState();
  }

  private async updateBridgeState(): Promise<void> {
    try {
      this.overview.setBridge(await this.installer.state());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.parts.log.note('The state of the bridge is not known.', {
        at: 'bridge.state',
        why: error.message,
      });
    }
  }
}
