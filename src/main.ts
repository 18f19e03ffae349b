import { FileSystemAdapter, Platform, Plugin, type Events } from 'obsidian';
import bridgeText from 'virtual:bridge';
import { Discovery } from './obsidian/adapter/discovery';
import { DeviceStore } from './obsidian/adapter/device-settings';
import { lazyLock } from './obsidian/adapter/lazy-lock';
import { MemoryLog } from './obsidian/adapter/memory-log';
import { ownLock } from './obsidian/adapter/own-lock';
import { randomIds } from './obsidian/adapter/random-ids';
import { Secret } from './obsidian/adapter/secret';
import { withSecondTransport } from './obsidian/adapter/second-transport';
import { openSocket } from './obsidian/adapter/socket-transport';
import { toTrash } from './obsidian/adapter/to-trash';
import { VaultMove } from './obsidian/adapter/vault-move';
import { VaultStore } from './obsidian/adapter/vault-store';
import { windowClock } from './obsidian/adapter/window-clock';
import { SettingsStore } from './obsidian/settings/settings-store';
import { Bridges } from './core/session/bridges';
import { SessionEventBus } from './core/session/session-event-bus';
import { Sessions } from './core/session/sessions';
import { BridgeRuntime } from './core/session/bridge-runtime';
import type { SessionRuntime } from './core/session/session-runtime';
import { Desk } from './obsidian/desk/desk';
import type { DeskParts } from './obsidian/desk/desk-parts';
import { tellKept } from './obsidian/desk/tell-kept';
import type { NoteLock, OpenTransport } from './core/ports';
import { readSharedSettings } from './core/shared-settings';

/** The composition root of the plugin: makes the adapters and the core, and hands them on. */
export default class AgentTaskBoardsPlugin extends Plugin {
  /** Sessions in OpenCode, for commands, views and whoever drives the plugin from outside. */
  runtime!: SessionRuntime;

  /** Reads two small files; what grows with the vault waits until the layout is ready. */
  override async onload(): Promise<void> {
    const log = new MemoryLog();
    const { adapter } = this.app.vault;
    const lock = this.lock() ?? ownLock();
    const store = new VaultStore(adapter, { lock, onKept: tellKept });
    const moveFiles = new VaultMove(adapter, { lock, trash: toTrash(this.app) });
    // Before anything is read: what a crash cut is whole again, the settings too.
    for (const fault of await store.recover()) log.note('A write stays broken off.', { fault });
    const settings = await SettingsStore.load(this);
    const shared = await readSharedSettings(store, this.app.vault.configDir);
    const token = new Secret(this.app, 'agent-task-boards-token');
    const discovery = new Discovery(
      store,
      () => ({ address: settings.current.address, token: token.get() }),
      Platform.isDesktopApp
        ? async (run) => (await import('./node/may-live')).mayLive(run)
        : undefined,
    );
    const bus = new SessionEventBus();
    const clock = windowClock;
    const ids = randomIds;
    const connection = new Bridges({
      open: Platform.isDesktopApp ? withSecondTransport(openSocket, throughNode) : openSocket,
      discover: () => discovery.all(),
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
    this.register(() => connection.close());
    const sessions = new Sessions(bus, connection);
    const runtime = new BridgeRuntime(connection, ids);
    this.runtime = runtime;
    const desk = new Desk(this, {
      ...{ store, moveFiles, settings, token, log, bus, clock, ids },
      ...{ connection, sessions, runtime, bridgeText },
      device: new DeviceStore(this.app),
      openCode: this.openCode(),
      root: shared.root,
      defaultSession: shared.defaultSession,
      settingsProblem: shared.problem,
      desktop: Platform.isDesktop,
    });
    this.register(() => desk.close());
    this.registerEvent((this.app.vault as Events).on('raw', (path) => desk.fileTouched(path)));
    this.app.workspace.onLayoutReady(() => void desk.start());
  }

  /** Programs are run on desktop only, and what runs them is loaded when it is wanted. */
  private openCode(): DeskParts['openCode'] {
    const { adapter } = this.app.vault;
    if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter)) return undefined;
    const host = async () =>
      (await import('./node/opencode/node-opencode-host')).nodeOpenCodeHost();
    return { folder: adapter.getBasePath(), host };
  }

  /** The bridge and the command line write the same notes; on a phone no other program does. */
  private lock(): NoteLock | undefined {
    const { adapter } = this.app.vault;
    if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter)) return undefined;
    const root = adapter.getBasePath();
    return lazyLock(async () => (await import('./node/vault-lock')).vaultLock(root));
  }
}

/** Where the app refuses its window a socket on this machine, Node still has one. */
async function throughNode(): Promise<OpenTransport> {
  return (await import('./node/http-transport')).openHttpSocket;
}
