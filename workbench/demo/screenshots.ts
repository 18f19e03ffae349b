import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { dismissNotices } from './dismiss-notices';
import type { PluginInPage } from './plugin-in-page';

const WINDOW = { width: 1390, height: 868 };
const PHONE = { width: 390, height: 844 };

/** Pictures of a run, in a folder that git ignores. */
export class Screenshots {
  private readonly taken = new Map<string, Promise<string>>();

  constructor(
    private readonly page: Page,
    private readonly plugin: PluginInPage,
    private readonly folder: string,
  ) {}

  /** Takes a picture of the page, only the first time for each name. @returns its path */
  takeOnce(name: string): Promise<string> {
    const path = this.taken.get(name) ?? this.shoot(name);
    this.taken.set(name, path);
    return path;
  }

  /**
   * Takes pictures in dark and light with a plan open as a note, and on the phone.
   * @param task row of the task whose plan is opened, if there is one
   */
  async takeOverview(task: Locator | undefined): Promise<void> {
    await dismissNotices(this.page);
    await this.plugin.setAppearance('dark', false);
    if (task) {
      await task.press('Enter');
      // In our own view, or in the app's reading view if the boards are in a visible folder.
      await this.page.locator('.atb-note-view, .markdown-preview-view').first().waitFor();
    }
    await this.takeOnce('dark');
    await this.plugin.setAppearance('light', false);
    await this.takeOnce('light');
    await this.page.setViewportSize(PHONE);
    await this.plugin.setAppearance('light', true);
    if (task) await this.takeOnce('phone-note');
    await this.plugin.command('open-sidebar');
    await this.takeOnce('phone-light');
    await this.plugin.setAppearance('dark', true);
    await this.takeOnce('phone-dark');
    await this.page.setViewportSize(WINDOW);
    await this.plugin.setAppearance('dark', false);
  }

  /** The paths of all pictures taken. */
  paths(): Promise<readonly string[]> {
    return Promise.all(this.taken.values());
  }

  private async shoot(name: string): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    // Moves the mouse away, so that no button is highlighted.
    await this.page.mouse.move(0, 0);
    const path = join(this.folder, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
    return path;
  }
}
