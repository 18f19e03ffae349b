import type {
  BasesViewRegistration,
  CliFlags,
  CliHandler,
  Command,
  PluginManifest,
} from 'obsidian';
import { Component } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import type { MarkdownPostProcessor } from './markdown-renderer';
import type { SettingTab } from './setting-tab';
import type { ViewCreator } from './view-registry';

type ProtocolHandler = (params: Record<string, string>) => unknown;

/**
 * Base class of plugins: everything registered is removed when the plugin is unloaded; its data is
 * on disk.
 */
export abstract class Plugin extends Component {
  settings?: unknown = undefined;

  constructor(
    readonly app: App,
    readonly manifest: PluginManifest,
  ) {
    super();
  }

  /** Loads the plugin and waits for its `onload`, which may be asynchronous. */
  async loadAndWait(): Promise<void> {
    const onload: () => unknown = this.onload.bind(this);
    let loaded: unknown;
    this.onload = () => void (loaded = onload());
    this.load();
    await loaded;
  }

  addCommand(command: Command): Command {
    command.id = `${this.manifest.id}:${command.id}`;
    command.name = `${this.manifest.name}: ${command.name}`;
    this.app.commands.add(command);
    this.register(() => this.app.commands.remove(command.id));
    return command;
  }

  removeCommand(id: string): void {
    this.app.commands.remove(`${this.manifest.id}:${id}`);
  }

  addRibbonIcon(
    icon: string,
    title: string,
    callback: (event: MouseEvent) => unknown,
  ): HTMLElement {
    const el = this.app.frame.addRibbonIcon(icon, title, callback);
    this.register(() => el.remove());
    return el;
  }

  /** The element is created on a phone, too, although there is no status bar. */
  addStatusBarItem(): HTMLElement {
    const cls = `status-bar-item plugin-${this.manifest.id}`;
    const el = this.app.frame.statusBarEl.createDiv({ cls });
    this.register(() => el.remove());
    return el;
  }

  addSettingTab(tab: SettingTab): void {
    this.app.settingTabs.push({ name: this.manifest.name, id: this.manifest.id, tab });
    tab.update();
    this.register(() => {
      const at = this.app.settingTabs.findIndex((one) => one.tab === tab);
      this.app.settingTabs.splice(at, 1);
    });
  }

  registerView(type: string, creator: ViewCreator): void {
    this.app.views.register(type, creator);
    this.register(() => this.app.views.unregister(type));
  }

  registerMarkdownPostProcessor(
    processor: MarkdownPostProcessor,
    sortOrder = 0,
  ): MarkdownPostProcessor {
    processor.sortOrder = sortOrder;
    this.app.postProcessors.add(processor);
    this.register(() => this.app.postProcessors.delete(processor));
    return processor;
  }

  registerMarkdownCodeBlockProcessor(
    language: string,
    handler: (source: string, el: HTMLElement, context: unknown) => unknown,
    sortOrder?: number,
  ): MarkdownPostProcessor {
    return this.registerMarkdownPostProcessor(async (el, context) => {
      for (const code of el.querySelectorAll(`pre > code.language-${CSS.escape(language)}`)) {
        const block = createDiv({ cls: `block-language-${language}` });
        code.parentElement?.replaceWith(block);
        await handler(code.textContent.replace(/\n$/, ''), block, context);
      }
    }, sortOrder);
  }

  registerExtensions(_extensions: string[], _viewType: string): void {}
  registerHoverLinkSource(_id: string, _info: unknown): void {}
  registerEditorExtension(_extension: unknown): void {}
  registerEditorSuggest(_suggest: unknown): void {}
  registerObsidianProtocolHandler(action: string, handler: ProtocolHandler): void {
    this.app.protocolHandlers.set(action, handler);
    this.register(() => this.app.protocolHandlers.delete(action));
  }

  registerCliHandler(
    id: string,
    _description: string,
    flags: CliFlags | null,
    run: CliHandler,
  ): void {
    if (this.app.cliHandlers.has(id)) throw new Error(`The command ${id} is there already.`);
    this.app.cliHandlers.set(id, { flags, run });
    this.register(() => this.app.cliHandlers.delete(id));
  }

  registerBasesView(id: string, registration: BasesViewRegistration): boolean {
    this.app.basesViews.set(id, registration);
    this.register(() => this.app.basesViews.delete(id));
    return true;
  }

  onUserEnable(): void {}

  /** The content of `data.json`, or null if it does not exist. */
  async loadData(): Promise<unknown> {
    const { disk } = this.app.vault;
    if (!(await disk.exists(this.#dataPath()))) return null;
    return JSON.parse(await disk.read(this.#dataPath())) as unknown;
  }

  async saveData(data: unknown): Promise<void> {
    const { disk } = this.app.vault;
    await disk.mkdir(this.#folder());
    await disk.write(this.#dataPath(), JSON.stringify(data, null, 2));
  }

  #folder(): string {
    return this.manifest.dir ?? `${this.app.vault.configDir}/plugins/${this.manifest.id}`;
  }

  #dataPath(): string {
    return `${this.#folder()}/data.json`;
  }
}
