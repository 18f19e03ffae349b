import type { Setting } from '../obsidian/setting';
import { SettingGroup } from '../obsidian/setting-group';
import { SettingTab } from '../obsidian/setting-tab';
import { setTheme } from './theme';

export class AppearanceTab extends SettingTab {
  override display(): void {
    new SettingGroup(this.containerEl).addSetting((setting: Setting) =>
      setting
        .setName('Base color scheme')
        .setDesc('Choose the color scheme of the workbench.')
        .addDropdown((dropdown) =>
          dropdown
            .addOptions({ dark: 'Dark', light: 'Light' })
            .setValue(this.app.isDarkMode() ? 'dark' : 'light')
            .onChange((value) => setTheme(this.app, value === 'light' ? 'light' : 'dark')),
        ),
    );
  }
}
