import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clearHighlights, pictureEachTheme, HIDE_STATUS_BAR } from './themed-pictures';
import type { AgentAnswer } from './scripted-run-agents';
import type { PluginPage } from './plugin-page';

/** ms until the panel must show the tasks in progress */
const SHOWN_LIMIT_MS = 30_000;

/**
 * Takes pictures of the run panel: while two tasks are in progress at the same time, during which
 * the model waits, and at the end.
 */
export class RunPictures {
  private page: PluginPage | undefined;
  private readonly working = new Set<string>();
  private taken: Promise<void> | undefined;

  /** @param folder folder of the README's pictures; undefined: none are taken */
  constructor(private readonly folder: string | undefined) {}

  setPage(page: PluginPage): void {
    this.page = page;
  }

  /** Called before an answer of the model. */
  async beforeAnswer({ prompt: { role, task }, index }: AgentAnswer): Promise<void> {
    if (role === 'work' && index === 0) this.working.add(task);
    if (role === 'check') this.working.delete(task);
    if (this.working.size > 1) this.taken ??= this.takeWorkPictures([...this.working]);
    // A picture that fails is retried at the end, where a failure is a fault.
    await this.taken?.catch(() => undefined);
  }

  async atEnd(): Promise<void> {
    const { page } = this;
    if (page === undefined) return;
    await this.taken;
    await page.plugin.command('open-run');
    await page.pictures.takeOnce('run-done');
    const { folder } = this;
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await pictureEachTheme(page.opened.page, page.plugin, { folder, name: 'run-done' }, () =>
      clearHighlights(page.opened.page),
    );
  }

  private async takeWorkPictures(tasks: readonly string[]): Promise<void> {
    const { page, folder } = this;
    if (page === undefined) return;
    const { opened, plugin, pictures } = page;
    await plugin.command('open-run');
    const panel = opened.page.locator('.atb-run:visible').first();
    for (const task of tasks) {
      await panel.getByText(task).first().waitFor({ timeout: SHOWN_LIMIT_MS });
    }
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    for (const theme of ['light', 'dark'] as const) {
      await plugin.setAppearance(theme, false);
      await clearHighlights(opened.page);
      await pictures.takeOnce(`run-${theme}`);
      if (folder === undefined) continue;
      const path = join(folder, `run-${theme}.png`);
      await panel.screenshot({ path, animations: 'disabled', style: HIDE_STATUS_BAR });
    }
  }
}
