import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
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

  /** A picture of the page as it is, the first time this name comes. */
  async once(name: string): Promise<void> {
    if (!this.taken.has(name)) this.taken.set(name, this.shoot(name));
    await this.taken.get(name);
  }

  /** Dark, light, phone and the note view. @returns the paths of all pictures of the run */
  async ofEverything(): Promise<readonly string[]> {
    await this.plugin.look('dark', false);
    await this.once('dark');
    await this.plugin.look('light', false);
    await this.once('light');
    await this.page.setViewportSize(PHONE);
    for (const theme of ['dark', 'light'] as const) {
      await this.plugin.look(theme, true);
      await this.once(`phone-${theme}`);
    }
    await this.page.setViewportSize(WINDOW);
    await this.plugin.look('dark', false);
    return Promise.all(this.taken.values());
  }

  private async shoot(name: string): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const path = join(this.folder, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
    return path;
  }
}
