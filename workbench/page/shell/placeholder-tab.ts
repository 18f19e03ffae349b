import type { App } from '../obsidian/app';
import { SettingTab } from '../obsidian/setting-tab';

/** A tab of the app that the workbench has no settings for; it says so. */
export class PlaceholderTab extends SettingTab {
  constructor(
    app: App,
    readonly name: string,
  ) {
    super(app);
  }

  override display(): void {
    const text = `${this.name}: the workbench stands in for Obsidian and has no settings here.`;
    this.containerEl.createEl('p', { cls: 'setting-item-description', text });
  }
}
