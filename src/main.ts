import { FileSystemAdapter, Platform, Plugin, type Events } from 'obsidian';
import { AppFileList, fileListAwareStore } from './obsidian/adapter/listed-store';
import {
  AuditMarks,
  confirmedRules,
  deviceId,
  DeviceStore,
  knownFolders,
  KnownSecrets,
  PluginConsents,
  Secret,
} from './obsidian/adapter/device-storage';
import {
  insideCheck,
  ConfinedFiles,
  vaultFolderReader,
  type InsideCheck,
  type VaultFiles,
} from './obsidian/adapter/vault-files';
import { lazyLock, lazyRealPaths, randomIds, windowClock } from './obsidian/adapter/platform';
import { logUncaughtErrors } from './obsidian/adapter/uncaught-errors';
import { t, translated } from './obsidian/language/text';
import { PROBLEMS_VIEW } from './obsidian/problems/problems-view';
import { openView } from './obsidian/ui/open-view';
import { ErrorHandler, watchedStore, type LoggedFault } from './core/error-handler';
import { Redactor } from './core/permission/audit/redact';
import { inProcessLock, VaultStore } from './obsidian/adapter/vault-store';
import { openSocket, withFallbackTransport } from './obsidian/adapter/socket-transport';
import { renameInApp, toTrash, vaultNotes } from './obsidian/adapter/vault-notes';
import { VaultMove } from './obsidian/adapter/vault-move';
import { ModelSessions } from './obsidian/provider/model-sessions';
import { agentSecrets } from './obsidian/program/agents';
import { ModelSettings } from './obsidian/provider/model-settings';
import { SettingsStore } from './obsidian/settings/settings-store';
import { AUDIT_FOLDER, noteAuditStore } from './core/permission/audit/audit-store';
import type { Runs } from './core/orchestrator/runs';
import { PathResolver, type RealPathLookup } from './core/permission/path-resolver';
import { Bridges } from './core/session/bridges';
import { Discovery } from './core/session/discovery';
import { NamedStore } from './core/board/names/named-store';
import { Hooks } from './core/hook/hooks';
import { cutLongAnswers } from './core/tool/long-answers';
import { followFaults, followSessions } from './core/session/session-hooks';
import { SessionEventBus } from './core/session/session-event-bus';
import { Sessions } from './core/session/sessions';
import { BridgeRuntime } from './core/session/bridge-runtime';
import type { SessionRuntime } from './core/session/bridge-runtime';
import { API_READY, type TaskBoardsApi } from './obsidian/api/api';
import { pluginUi } from './obsidian/app/plugin-ui';
import { Services } from './obsidian/app/services';
import type { CoreServices, ToolAdapters } from './obsidian/app/core-services';
import { type OwnAuditPlace } from './obsidian/audit/own-audit';
import type { ConfigPlaces } from './obsidian/config/config-source';
import { notify, notifyKeptVersion } from './obsidian/ui/notify';
import { StoreError, type NoteLock, type NoteStore, type OpenTransport } from './core/ports';
import { storeRefusal } from './core/fault/store-faults';
import { readSharedSettings, SHARED_SETTINGS_PATH, unreadSettings } from './core/shared-settings';

/** The composition root of the plugin: makes the adapters and the core, and connects them. */
export default class AgentTaskBoardsPlugin extends Plugin {
  /** Sessions in OpenCode, for commands, views and code that drives the plugin from outside. */
  runtime!: SessionRuntime;
  /** Runs, for the same users as `runtime`. */
  runs!: Runs;
  /** The API for other plugins; undefined until the boards are ready. */
  api: TaskBoardsApi | undefined;

  /** Reads two small files; work that grows with the vault waits until the layout is ready. */
  override async onload(): Promise<void> {
    const token = new Secret(this.app, 'agent-task-boards-token');
    const device = new DeviceStore(this.app);
    const modelSettings = new ModelSettings(this.app, device);
    const stored = () => [token.get(), ...modelSettings.secrets, ...agentSecrets(this.app, device)];
    const secrets = new KnownSecrets(stored);
    const log = this.makeErrorHandler(secrets);
    const { adapter } = this.app.vault;
    const lock = this.lock() ?? inProcessLock();
    const files = await this.openStore(lock, log);
    const check = this.insideCheck();
    const moveFiles = new VaultMove(adapter, { lock, trash: toTrash(this.app), check });
    const settings = await SettingsStore.load(this);
    const shared = await readSharedSettings(files, this.app.vault.configDir).catch(unreadSettings);
    const store = new NamedStore(files, shared.root, shared.nameByTitle);
    const model = this.modelSessions(modelSettings, store, log);
    const discovery = new Discovery(
      store,
      () => ({ address: settings.current.address, token: token.get() }),
      Platform.isDesktopApp
        ? async (run) => (await import('./node/may-be-alive')).mayBeAlive(run)
        : undefined,
    );
    const bus = new SessionEventBus();
    noteBusFaults(bus, log);
    const clock = windowClock;
    const ids = randomIds;
    const { bridges } = model;
    const connection = new Bridges({
      open: bridges.wrapOpen(
        Platform.isDesktopApp ? withFallbackTransport(openSocket, throughNode) : openSocket,
      ),
      discover: async () => {
        const others = Platform.isDesktop ? await secrets.rememberTokens(discovery.all()) : [];
        return [...bridges.endpoints, ...others];
      },
      hello: () => ({
        client: 'obsidian',
        version: this.manifest.version,
        vault: this.app.vault.getName(),
        capabilities: ['tools', 'permissions', 'questions'],
      }),
      ...{ clock, ids, bus, log },
    });
    const sessions = new Sessions(bus, connection);
    const hooks = new Hooks({ clock, log });
    cutLongAnswers(hooks);
    const runtime = new BridgeRuntime(connection, ids, hooks);
    this.runtime = runtime;
    const services = new Services(
      this,
      {
        ...{ store, moveFiles, settings, token, log, bus, clock, ids },
        ...{ connection, sessions, runtime, hooks },
        program: () => this.program(),
        ...{ device, model, shared },
        consents: new PluginConsents(this.app),
        programs: this.programs(),
        agents: this.agents(),
        configPlaces: () => this.configPlaces(store),
        runLock: this.lock(HELD_FOR) ?? inProcessLock(),
        tools: this.tools(store, secrets),
        desktop: Platform.isDesktop,
        connects: () => Platform.isDesktop || model.settings.current !== undefined,
      },
      pluginUi,
    );
    this.runs = services.runs.runs;
    const unfollow = [followFaults(hooks, log), followSessions(hooks, bus)];
    this.register(() => {
      for (const undo of unfollow) undo();
      services.close();
      connection.close();
      void bridges.close();
    });
    this.startWhenReady(services, log);
  }

  /**
   * On the desktop, Node reaches every provider and streams answers; elsewhere the app makes the
   * requests.
   */
  private modelSessions(settings: ModelSettings, store: NoteStore, log: ErrorHandler) {
    const streams = Platform.isDesktopApp;
    return new ModelSessions({
      ...{ settings, store, log, clock: windowClock, ids: randomIds, streams },
      version: this.manifest.version,
      device: deviceId(this.app, randomIds),
      directory: this.folder() ?? '/',
      places: new PathResolver(this.realPaths()),
      http: async () => {
        if (!streams) return (await import('./obsidian/adapter/request-http')).requestHttp;
        return (await import('./node/http-client')).nodeHttp();
      },
      makeBridge: async (services) =>
        (await import('./bridge/model-bridge')).openModelBridge(services),
    });
  }

  /** The text of `main.js`, which is the bridge too: installing the bridge copies it. */
  private async program(): Promise<string> {
    const path = `${this.manifest.dir ?? ''}/main.js`;
    try {
      return await this.app.vault.adapter.read(path);
    } catch {
      throw storeRefusal('io', 'noProgram', { path });
    }
  }

  private makeErrorHandler(secrets: KnownSecrets): ErrorHandler {
    const log = new ErrorHandler({
      now: () => windowClock.now(),
      redactor: new Redactor(() => secrets.all()),
      notify: (fault) => this.showFault(fault),
    });
    logUncaughtErrors(this, log);
    return log;
  }

  /** Starts the services when the app's layout is ready; a failure is shown to the person. */
  private startWhenReady(services: Services, log: ErrorHandler): void {
    const touched = log.wrap(
      'A change of a file was not followed.',
      { at: 'app.fileTouched' },
      (path: unknown) => services.fileTouched(path),
    );
    this.registerEvent((this.app.vault as Events).on('raw', touched));
    const start = log.wrap(
      'The plugin did not start as a whole.',
      { at: 'app.start', severity: 'critical', hint: t('app.failedHint') },
      async () => {
        await services.start();
        this.api = services.api.shared;
        this.app.workspace.trigger(API_READY);
      },
    );
    this.app.workspace.onLayoutReady(() => void start());
  }

  /** Shows a notice for a fault. Called once per fault, however often it happens. */
  private showFault({ message, hint }: LoggedFault): void {
    const text = [message, ...(hint === undefined ? [] : [hint])]
      .map((one) => translated(one))
      .join(' ');
    const show = () => void openView(this.app, PROBLEMS_VIEW, 'tab');
    notify(text, { label: t('problems.show'), onClick: show });
  }

  /**
   * Opens the store of notes. First repairs writes that a crash interrupted, so that all later
   * reads, of the settings too, see whole files.
   */
  private async openStore(lock: NoteLock, log: ErrorHandler): Promise<NoteStore> {
    const { vault } = this.app;
    const held = await this.heldFiles();
    const rename = renameInApp(this.app);
    const store = new VaultStore(held ?? this.insideFiles(), {
      lock,
      onKept: notifyKeptVersion,
      rename,
    });
    for (const fault of await store.recover().catch(storeErrorMessages)) {
      log.note('A write that was interrupted is not finished.', {
        at: 'store.recover',
        severity: 'critical',
        hint: t('app.recoverHint'),
        why: fault,
      });
    }
    if (held === undefined) return watchedStore(store, log, SHARED_SETTINGS_PATH);
    const list = new AppFileList(vault, windowClock);
    this.register(() => list.close());
    return watchedStore(fileListAwareStore(store, list), log, SHARED_SETTINGS_PATH);
  }

  private insideFiles(): VaultFiles {
    const { adapter } = this.app.vault;
    const check = this.insideCheck();
    return check === undefined ? adapter : new ConfinedFiles(adapter, check);
  }

  private insideCheck(): InsideCheck | undefined {
    const places = this.realPaths();
    return places && insideCheck(places);
  }

  /**
   * On Linux, files are reached through open folders, so that a link created meanwhile can't
   * redirect a path.
   */
  private async heldFiles(): Promise<VaultFiles | undefined> {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    return (await import('./node/handle-files')).handleFiles(folder);
  }

  private tools(store: NoteStore, secrets: KnownSecrets): ToolAdapters {
    const { app } = this;
    const id = deviceId(app, randomIds);
    const folder = this.folder();
    return {
      realPaths: this.realPaths(),
      confirmed: confirmedRules(app),
      boardFolders: knownFolders(app),
      notes: vaultNotes(app, store),
      pause: () => new Promise((resolve) => window.setTimeout(resolve, 0)),
      audit: {
        ...{ device: id, marks: new AuditMarks(app), secrets: () => secrets.all() },
        open: folder === undefined ? () => auditPlace(store, id) : () => auditOnDisk(folder),
      },
    };
  }

  /** Path of the vault on disk; undefined if plugins can't access it. */
  private folder(): string | undefined {
    const { adapter } = this.app.vault;
    if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter)) return undefined;
    return adapter.getBasePath();
  }

  /** Resolves links in paths; undefined where there can be none. */
  private realPaths(): RealPathLookup | undefined {
    const folder = this.folder();
    return folder === undefined ? undefined : lazyRealPaths(() => realPathsOf(folder));
  }

  /** Programs run on the desktop only; the module that runs them is loaded on first use. */
  private programs(): CoreServices['programs'] {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    const host = async () => (await import('./node/programs/program-host')).nodeProgramHost();
    return { folder, host };
  }

  /** Which other programs are configured for the vault; their files are outside of it. */
  private agents(): CoreServices['agents'] {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    const states = async () => (await import('./node/client-states')).clientStates(folder);
    return { folder, states };
  }

  /**
   * Reads configuration files: hidden ones in the vault and, on the desktop, the person's own ones
   * outside of it. Links are followed only within these folders.
   */
  private async configPlaces(store: NoteStore): Promise<ConfigPlaces> {
    const folder = this.folder();
    if (folder === undefined) {
      const vault = vaultFolderReader(store, this.app.vault.adapter);
      return { vault, home: undefined, reachesHome: false };
    }
    const { configFiles, personalFiles } = await import('./node/config-files');
    return { vault: configFiles(folder), home: await personalFiles(), reachesHome: true };
  }

  /** The bridge and the command line write the same notes; on a phone no other program does. */
  private lock(waitMs?: number): NoteLock | undefined {
    const root = this.folder();
    if (root === undefined) return undefined;
    return lazyLock(async () => (await import('./node/vault-lock')).vaultLock(root, waitMs));
  }
}

function noteBusFaults(bus: SessionEventBus, log: ErrorHandler): void {
  bus.onFault((error) =>
    log.note('A listener of session events threw.', {
      ...{ at: 'bus.listener', severity: 'error', error: String(error) },
    }),
  );
  bus.onDrop(({ type }) =>
    log.note('An event of an unknown session was dropped.', {
      ...{ at: 'bus.drop', severity: 'info', type },
    }),
  );
}

/** The reasons why the journal can't be read. @throws any error but a StoreError */
function storeErrorMessages(error: unknown): readonly string[] {
  if (!(error instanceof StoreError)) throw error;
  return [error.message];
}

/** How long to wait for the lock of a run that another program carries out, ms. */
const HELD_FOR = 500;

/** If the app refuses to open a socket to this machine from its window, Node can still open one. */
async function throughNode(): Promise<OpenTransport> {
  return (await import('./node/ws-transport')).openWebSocket;
}

async function realPathsOf(folder: string): Promise<RealPathLookup> {
  return (await import('./node/real-paths')).realPaths(folder);
}

async function auditOnDisk(vault: string): Promise<OwnAuditPlace> {
  const { auditFolder } = await import('./node/audit/audit-folder');
  const { reserveWriter: holdWriter } = await import('./node/audit/audit-folder');
  const { AuditFiles } = await import('./node/audit/audit-folder');
  const files = new AuditFiles(vault);
  return { store: auditFolder(files), ...(await holdWriter(files, 'obsidian')) };
}

/** On a phone, no other program writes to the vault, so nothing has to be released. */
function auditPlace(store: NoteStore, device: string): Promise<OwnAuditPlace> {
  const release = () => undefined;
  return Promise.resolve({
    ...{ store: noteAuditStore(store, AUDIT_FOLDER), writer: `obsidian-${device}`, release },
  });
}
