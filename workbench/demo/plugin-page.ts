import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openPage, type OpenedPage } from './browser-page';
import type { Faults } from './faults';
import { PageStage } from './page-stage';
import { PersonInPage } from './person-in-page';
import { PersonOnNotes } from './person-on-notes';
import { PluginInPage } from './plugin-in-page';
import type { Prepared, Run } from './prepare';
import { Screenshots } from './screenshots';

/** ms until the page and the bridge must be connected */
const CONNECT_LIMIT_MS = 30_000;

/** The connected plugin in its page, and the person who uses it. */
export interface PluginPage {
  readonly opened: OpenedPage;
  readonly plugin: PluginInPage;
  readonly pictures: Screenshots;
  readonly stage: PageStage;
}

export async function openPluginPage(
  run: Run,
  { world, vault, page }: Prepared,
  chromium: string,
): Promise<PluginPage> {
  if (page === undefined) throw new Error('The workbench was not started.');
  // Pictures for people use a scale of 2; otherwise drawing four times the pixels would waste time.
  const scale = run.options.pictures === undefined ? 1 : 2;
  const opened = await openPage(chromium, run.cleanup, run.faults, scale);
  const plugin = new PluginInPage(opened.page);
  await opened.page.goto(page, { timeout: CONNECT_LIMIT_MS });
  await plugin.ready();
  await connectWithin(opened.wire.welcomed(), CONNECT_LIMIT_MS);
  await plugin.command('open-sidebar');
  const pictures = new Screenshots(opened.page, plugin, join(run.root, 'workbench', 'screenshots'));
  const onNotes = new PersonOnNotes(world.manager, vault);
  const person = new PersonInPage(opened.page, world.manager, onNotes);
  const stage = new PageStage(opened.page, plugin, person, opened.wire, world.turns, async () => {
    await pictures.takeOnce('modal');
  });
  return { opened, plugin, pictures, stage };
}

/** Reports a dialog that is still open as a fault. */
export async function reportOpenDialogs(page: Page, faults: Faults): Promise<void> {
  const left = page.locator('.modal-container .modal-title');
  for (const title of await left.allTextContents()) {
    faults.add(`At the end a dialog was open: ${title}`);
  }
}

export async function reportPageErrors(plugin: PluginInPage, faults: Faults): Promise<void> {
  for (const error of await plugin.errors()) faults.add(`The page had an error: ${error}`);
}

/** @throws Error if the plugin does not find the bridge in time */
async function connectWithin(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const words = `The plugin did not connect to OpenCode in ${ms / 1000} s.`;
    timer = setTimeout(() => reject(new Error(words)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
