import type { SettingDefinitionItem } from 'obsidian';
import type { App } from './app';
import type { Plugin } from './plugin';
import { renderDefinitions, type Conditions } from './setting-definitions';

/** A tab of the settings window: drawn from its definitions if it has some, else by `display()`. */
export abstract class SettingTab {
  readonly containerEl: HTMLElement = createDiv({ cls: 'vertical-tab-content' });
  icon = 'puzzle';
  settingItems: SettingDefinitionItem[] = [];
  #conditions: Conditions | undefined;

  constructor(readonly app: App) {}

  getSettingDefinitions(): SettingDefinitionItem[] {
    return [];
  }

  getControlValue(_key: string): unknown {
    return undefined;
  }

  setControlValue(_key: string, _value: unknown): void | Promise<void> {}

  display(): void {}

  hide(): void {
    this.#conditions?.cleanUp();
    this.containerEl.empty();
  }

  /** Fetches the definitions again and redraws the tab if it is shown. */
  update(): void {
    this.settingItems = this.getSettingDefinitions();
    if (this.containerEl.isConnected) this.show();
  }

  refreshDomState(): void {
    this.#conditions?.apply();
  }

  /** Draws the tab into its container. */
  show(): void {
    this.#conditions?.cleanUp();
    this.containerEl.empty();
    this.settingItems = this.getSettingDefinitions();
    if (this.settingItems.length === 0) return this.display();
    this.#conditions = renderDefinitions(this, this.settingItems, this.containerEl);
  }
}

export abstract class PluginSettingTab extends SettingTab {
  constructor(
    app: App,
    readonly plugin: Plugin,
  ) {
    super(app);
  }

  /** Reads the plugin's settings object by convention; plugins with other storage override both methods. */
  override getControlValue(key: string): unknown {
    return this.#settings()?.[key];
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    const settings = this.#settings();
    if (settings === undefined) return;
    settings[key] = value;
    await this.plugin.saveData(settings);
  }

  #settings(): Record<string, unknown> | undefined {
    return this.plugin.settings as Record<string, unknown> | undefined;
  }
}
