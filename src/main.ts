import { FileSystemAdapter, Platform, Plugin, type Events } from 'obsidian';
import { AppList, listedStore } from './obsidian/adapter/listed-store';
import {
  AuditMarks,
  confirmedRules,
  deviceId,
  DeviceStore,
  keptFolders,
  KnownSecrets,
  Secret,
} from './obsidian/adapter/device-storage';
import {
  insideCheck,
  InsideFiles,
  type InsideCheck,
  type VaultFiles,
} from './obsidian/adapter/vault-files';
import { lazyLock, lazyRealPaths, randomIds, windowClock } from './obsidian/adapter/platform';
import { MemoryLog } from './obsidian/app/diagnostics';
import { ownLock, VaultStore } from './obsidian/adapter/vault-store';
import { openSocket, withSecondTransport } from './obsidian/adapter/socket-transport';
import { renameInApp, toTrash, vaultNotes } from './obsidian/adapter/vault-notes';
import { VaultMove } from './obsidian/adapter/vault-move';
import { SettingsStore } from './obsidian/settings/settings-store';
import { AUDIT_FOLDER, noteAuditStore } from './core/permission/audit/audit-store';
import type { Runs } from './core/orchestrator/runs';
import type { RealPaths } from './core/permission/path-resolver';
import { Bridges } from './core/session/bridges';
import { Discovery } from './core/session/discovery';
import { NamedStore } from './core/board/names/named-store';
import { SessionEventBus } from './core/session/session-event-bus';
import { Sessions } from './core/session/sessions';
import { BridgeRuntime } from './core/session/bridge-runtime';
import type { SessionRuntime } from './core/session/bridge-runtime';
import { pluginUi } from './obsidian/app/plugin-ui';
import { Services } from './obsidian/app/services';
import type { CoreServices, ToolAdapters } from './obsidian/app/core-services';
import { type OwnAuditPlace } from './obsidian/audit/own-audit';
import { tellKept } from './obsidian/ui/notify';
import { StoreError, type NoteLock, type NoteStore, type OpenTransport } from './core/ports';
import { readSharedSettings, unreadSettings } from './core/shared-settings';

/** The composition root of the plugin: makes the adapters and the core, and hands them on. */
export default class AgentTaskBoardsPlugin extends Plugin {
  /** Sessions in OpenCode, for commands, views and whoever drives the plugin from outside. */
  runtime!: SessionRuntime;
  /** Runs from a goal to done, for the same. */
  runs!: Runs;

  /** Reads two small files; what grows with the vault waits until the layout is ready. */
  override async onload(): Promise<void> {
    const log = new MemoryLog(() => windowClock.now());
    const { adapter } = this.app.vault;
    const lock = this.lock() ?? ownLock();
    const files = await this.store(lock, log);
    const check = this.insideCheck();
    const moveFiles = new VaultMove(adapter, { lock, trash: toTrash(this.app), check });
    const settings = await SettingsStore.load(this);
    const shared = await readSharedSettings(files, this.app.vault.configDir).catch(unreadSettings);
    const store = new NamedStore(files, shared.root, shared.nameByTitle);
    const token = new Secret(this.app, 'agent-task-boards-token');
    const discovery = new Discovery(
      store,
      () => ({ address: settings.current.address, token: token.get() }),
      Platform.isDesktopApp
        ? async (run) => (await import('./node/may-live')).mayLive(run)
        : undefined,
    );
    const secrets = new KnownSecrets(() => token.get());
    const bus = new SessionEventBus();
    bus.onFault((error) =>
      log.note('A listener of session events threw.', { error: String(error) }),
    );
    const clock = windowClock;
    const ids = randomIds;
    const connection = new Bridges({
      open: Platform.isDesktopApp ? withSecondTransport(openSocket, throughNode) : openSocket,
      discover: () => secrets.learned(discovery.all()),
      hello: () => ({
        client: 'obsidian',
        version: this.manifest.version,
        vault: this.app.vault.getName(),
        capabilities: ['tools', 'permissions', 'questions'],
      }),
      clock,
      ids,
      bus,
      log,
    });
    const sessions = new Sessions(bus, connection);
    const runtime = new BridgeRuntime(connection, ids);
    this.runtime = runtime;
    const services = new Services(
      this,
      {
        ...{ store, moveFiles, settings, token, log, logged: log, bus, clock, ids },
        ...{ connection, sessions, runtime },
        program: () => this.program(),
        device: new DeviceStore(this.app),
        shared,
        openCode: this.openCode(),
        agents: this.agents(),
        runLock: this.lock(HELD_FOR) ?? ownLock(),
        tools: this.tools(store, secrets),
        desktop: Platform.isDesktop,
      },
      pluginUi,
    );
    this.runs = services.runs.runs;
    this.register(() => {
      services.close();
      connection.close();
    });
    this.registerEvent((this.app.vault as Events).on('raw', (path) => services.fileTouched(path)));
    this.app.workspace.onLayoutReady(() => void services.start());
  }

  /** Also the bridge: installing it copies this file. */
  private async program(): Promise<string> {
    const path = `${this.manifest.dir ?? ''}/main.js`;
    try {
      return await this.app.vault.adapter.read(path);
    } catch {
      throw new StoreError(
        'io',
        `${path} can't be read. Install the plugin again, then try again.`,
      );
    }
  }

  /** The notes. What a crash cut is whole again before anything is read, the settings too. */
  private async store(lock: NoteLock, log: MemoryLog): Promise<NoteStore> {
    const { vault } = this.app;
    const held = await this.heldFiles();
    const rename = renameInApp(this.app);
    const store = new VaultStore(held ?? this.insideFiles(), { lock, onKept: tellKept, rename });
    for (const fault of await store.recover().catch(inWords)) {
      log.note('A write stays broken off.', { fault });
    }
    if (held === undefined) return store;
    const list = new AppList(vault, windowClock);
    this.register(() => list.close());
    return listedStore(store, list);
  }

  private insideFiles(): VaultFiles {
    const { adapter } = this.app.vault;
    const check = this.insideCheck();
    return check === undefined ? adapter : new InsideFiles(adapter, check);
  }

  private insideCheck(): InsideCheck | undefined {
    const places = this.realPaths();
    return places && insideCheck(places);
  }

  /** Linux has paths through open folders, which no link that is made meanwhile leads astray. */
  private async heldFiles(): Promise<VaultFiles | undefined> {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    return (await import('./node/held-files')).heldFiles(folder);
  }

  private tools(store: NoteStore, secrets: KnownSecrets): ToolAdapters {
    const { app } = this;
    const id = deviceId(app, randomIds);
    const folder = this.folder();
    return {
      realPaths: this.realPaths(),
      confirmed: confirmedRules(app),
      boardFolders: keptFolders(app),
      notes: vaultNotes(app, store),
      pause: () => new Promise((resolve) => window.setTimeout(resolve, 0)),
      audit: {
        ...{ device: id, marks: new AuditMarks(app), secrets: () => secrets.all() },
        open: folder === undefined ? () => auditPlace(store, id) : () => auditOnDisk(folder),
      },
    };
  }

  /** Of the vault on the disk; undefined where plugins don't reach it. */
  private folder(): string | undefined {
    const { adapter } = this.app.vault;
    if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter)) return undefined;
    return adapter.getBasePath();
  }

  /** Where there can be links. */
  private realPaths(): RealPaths | undefined {
    const folder = this.folder();
    return folder === undefined ? undefined : lazyRealPaths(() => realPathsOf(folder));
  }

  /** Programs are run on desktop only, and what runs them is loaded when it is wanted. */
  private openCode(): CoreServices['openCode'] {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    const host = async () =>
      (await import('./node/opencode/node-opencode-host')).nodeOpenCodeHost();
    return { folder, host };
  }

  /** Configurations of other programs are outside of the vault. */
  private agents(): CoreServices['agents'] {
    const folder = this.folder();
    if (folder === undefined) return undefined;
    const states = async () => (await import('./node/client-states')).clientStates(folder);
    return { folder, states };
  }

  /** The bridge and the command line write the same notes; on a phone no other program does. */
  private lock(waitMs?: number): NoteLock | undefined {
    const root = this.folder();
    if (root === undefined) return undefined;
    return lazyLock(async () => (await import('./node/vault-lock')).vaultLock(root, waitMs));
  }
}

/** Why a journal can't be looked at. */
function inWords(error: unknown): readonly string[] {
  if (!(error instanceof StoreError)) throw error;
  return [error.message];
}

/** How long to wait for a run that another program carries out, ms. */
const HELD_FOR = 500;

/** Where the app refuses its window a socket on this machine, Node still has one. */
async function throughNode(): Promise<OpenTransport> {
  return (await import('./node/ws-transport')).openWebSocket;
}

async function realPathsOf(folder: string): Promise<RealPaths> {
  return (await import('./node/real-paths')).realPaths(folder);
}

async function auditOnDisk(vault: string): Promise<OwnAuditPlace> {
  const { auditFolder } = await import('./node/audit/audit-folder');
  const { holdWriter } = await import('./node/audit/audit-folder');
  const { AuditFiles } = await import('./node/audit/audit-folder');
  const files = new AuditFiles(vault);
  return { store: auditFolder(files), ...(await holdWriter(files, 'obsidian')) };
}

/** A phone is alone with its vault. */
function auditPlace(store: NoteStore, device: string): Promise<OwnAuditPlace> {
  const release = () => undefined;
  return Promise.resolve({
    ...{ store: noteAuditStore(store, AUDIT_FOLDER), writer: `obsidian-${device}`, release },
  });
}
