import type { BasesViewRegistration, CliFlags, CliHandler } from 'obsidian';
import type { TFile } from 'obsidian-test-mocks/obsidian';
import type { VaultFacts } from '../vault-client';
import { FileManager } from './file-manager';
import { Frame } from '../shell/frame';
import { Commands } from './commands';
import type { DiskAdapter } from './disk-adapter';
import { keymap } from './keymap';
import type { MarkdownPostProcessor } from './markdown-renderer';
import { MetadataCache } from './metadata-cache';
import type { Modal } from './modal';
import type { Plugin } from './plugin';
import type { Scope } from './scope';
import { SecretStorage } from './secret-storage';
import type { SettingTab } from './setting-tab';
import { strictMembers } from './strict-members';
import { Vault } from './vault';
import { ViewRegistry } from './view-registry';
import { Workspace } from './workspace';

export interface NamedTab {
  readonly id: string;
  readonly name: string;
  readonly tab: SettingTab;
}

/** The app; the workbench's own members follow the public ones. */
export class App {
  readonly vault: Vault;
  readonly workspace: Workspace;
  readonly metadataCache: MetadataCache;
  readonly fileManager: FileManager;
  readonly secretStorage: SecretStorage;
  readonly keymap = keymap;
  readonly scope: Scope = keymap.root;
  readonly lastEvent = null;
  /** Not in the public types; other plugins use it to find each other, as in the app. */
  readonly plugins = { plugins: {} as Record<string, Plugin | undefined> };

  readonly commands: Commands;
  readonly views: ViewRegistry;
  readonly frame: Frame;
  readonly modals = new Set<Modal>();
  readonly settingTabs: NamedTab[] = [];
  readonly postProcessors = new Set<MarkdownPostProcessor>();
  /** by action: the plugins' handlers of links that begin with `obsidian://ACTION` */
  readonly protocolHandlers = new Map<string, (params: Record<string, string>) => unknown>();
  /** handlers of the app's command line, by command */
  readonly cliHandlers = new Map<string, { flags: CliFlags | null; run: CliHandler }>();
  readonly basesViews = new Map<string, BasesViewRegistration>();
  readonly #storagePrefix: string;

  constructor(disk: DiskAdapter, facts: VaultFacts) {
    const self = strictMembers('App', this);
    this.#storagePrefix = `${facts.basePath}:`;
    this.vault = new Vault(disk, facts);
    this.metadataCache = new MetadataCache(self as never, this.vault);
    this.fileManager = new FileManager(self as never);
    this.secretStorage = SecretStorage.create2__(self as never);
    this.commands = new Commands(self);
    this.views = new ViewRegistry(self);
    this.workspace = new Workspace(self);
    this.frame = new Frame(self);
    keymap.viewScope = () => this.workspace.activeLeaf?.view.scope ?? null;
    this.loadLocalStorage = this.loadLocalStorage.bind(this);
    this.saveLocalStorage = this.saveLocalStorage.bind(this);
    return self;
  }

  isDarkMode(): boolean {
    return document.body.hasClass('theme-dark');
  }

  loadLocalStorage(key: string): unknown {
    const text = window.localStorage.getItem(this.#storagePrefix + key);
    return text === null ? null : (JSON.parse(text) as unknown);
  }

  saveLocalStorage(key: string, data: unknown): void {
    if (data === null) window.localStorage.removeItem(this.#storagePrefix + key);
    else window.localStorage.setItem(this.#storagePrefix + key, JSON.stringify(data));
  }

  /** Opens a link as the operating system does: the handler gets the decoded query and the action. */
  openLink(link: string): void {
    const { protocol, host, searchParams } = new URL(link);
    if (protocol !== 'obsidian:') throw new Error(`${link} is no link of the app`);
    const params = { ...Object.fromEntries(searchParams), action: host };
    this.protocolHandlers.get(host)?.(params);
  }

  /** Runs a line of the app's command line: `COMMAND key=value flag`. */
  async runCli(command: string, params: Record<string, string>): Promise<string> {
    const known = this.cliHandlers.get(command);
    if (known === undefined) throw new Error(`Unknown command ${command}`);
    for (const [name, { required }] of Object.entries(known.flags ?? {})) {
      if (required === true && params[name] === undefined) return `Missing required flag: ${name}`;
    }
    return known.run(params);
  }

  /** Parses all notes for the metadata cache, as the app does while it starts. */
  async fillMetadataCache(): Promise<void> {
    const cache = this.metadataCache as unknown as { parseFileMetadata(file: TFile): void };
    await this.vault.parseAll((file) => cache.parseFileMetadata(file));
    this.metadataCache.trigger('resolved');
  }
}
