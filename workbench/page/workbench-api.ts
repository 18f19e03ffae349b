import type { PluginManifest } from 'obsidian';
import type { App } from './obsidian/app';
import { keepNotices, getNoticeTexts } from './obsidian/notice';
import type { Plugin } from './obsidian/plugin';
import { setPhoneInterface } from './obsidian/platform';
import { pageErrors } from './page-errors';
import { disablePlugin, enablePlugin, loadPlugin } from './plugin-loader';
import { setTheme, type Theme } from './shell/theme';

/** API for tests and the demo to drive the page, as `window.workbench`. */
export interface WorkbenchApi {
  /** Settled once the plugin is enabled and the layout is ready; rejected if it does not load. */
  readonly ready: Promise<void>;
  /** The plugin's instance, which the app does not expose. */
  readonly plugin: Promise<Plugin>;
  /** Enables another plugin. @param code its main.js */
  enable(manifest: PluginManifest, code: string): Promise<void>;
  disable(id: string): void;
  /** Disables the plugin and enables it again, as after an update. */
  reload(): Promise<void>;
  openPalette(): void;
  openSettings(): void;
  /** @param id the full id, `<plugin>:<command>`; false where it can't run now */
  runCommand(id: string): boolean;
  /** Opens a link as the operating system does. */
  openLink(link: string): void;
  /** Runs a line of the app's own command line. */
  runCli(command: string, params: Record<string, string>): Promise<string>;
  setTheme(theme: Theme): void;
  /**
   * Switches to the phone's interface on the same device, like the app's emulation; connections
   * stay open.
   */
  setPhone(phone: boolean): void;
  /** Texts of all notices since the page was loaded. */
  notices(): string[];
  /** Keeps all notices open from now on, including those already shown. */
  keepNotices(): void;
  /** Uncaught errors since the page was loaded. */
  errors(): string[];
}

export function workbenchApi(app: () => App, plugin: Promise<Plugin>): WorkbenchApi {
  return {
    ready: plugin.then(() => undefined),
    plugin,
    enable: async (manifest, code) => void (await enablePlugin(app(), manifest, code)),
    disable: (id) => disablePlugin(app(), id),
    reload: async () => {
      disablePlugin(app(), (await plugin).manifest.id);
      await loadPlugin(app(), false);
    },
    openPalette: () => void app().commands.run('command-palette:open'),
    openSettings: () => void app().commands.run('app:open-settings'),
    runCommand: (id) => app().commands.run(id),
    openLink: (link) => app().openLink(link),
    runCli: (command, params) => app().runCli(command, params),
    setTheme: (theme) => setTheme(app(), theme),
    setPhone(phone) {
      setPhoneInterface(phone);
      app().workspace.trigger('layout-change');
      app().workspace.trigger('resize');
    },
    notices: getNoticeTexts,
    keepNotices,
    errors: pageErrors,
  };
}
