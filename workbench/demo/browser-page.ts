import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumArgs } from './chromium-args';
import type { Cleanup } from './cleanup';
import type { Faults } from './faults';
import { WireWatch } from './wire-watch';

export interface OpenedPage {
  readonly page: Page;
  readonly wire: WireWatch;
  /** rejects when the browser or its page is gone by itself */
  readonly broken: Promise<never>;
}

/** ms until what is looked for has to be there: it catches what hangs, a page that is slow is no fault */
const PATIENCE_MS = 100_000;

/** The size of a window that shows sidebar and note side by side. */
const WINDOW = { width: 1390, height: 868 };

/**
 * Opens a window in a headless Chromium of its own, and watches what its plugin sends and receives.
 * @param scale pixels of a picture for one of the page
 */
export async function openPage(
  executablePath: string,
  cleanup: Cleanup,
  faults: Faults,
  scale: number,
): Promise<OpenedPage> {
  const browser = await chromium.launch({
    executablePath,
    args: chromiumArgs(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  cleanup.add(() => browser.close());
  return openPageIn(browser, cleanup, faults, scale);
}

/** The same in a Chromium that runs, with storage of its own. */
export async function openPageIn(
  browser: Browser,
  cleanup: Cleanup,
  faults: Faults,
  scale = 1,
): Promise<OpenedPage> {
  const page = await browser.newPage({
    ...{ viewport: WINDOW, deviceScaleFactor: scale, locale: 'en-GB' },
  });
  let closing = false;
  cleanup.add(async () => {
    closing = true;
    await page.close();
  });
  page.setDefaultTimeout(PATIENCE_MS);
  const wire = watchSockets(page);
  page.on('pageerror', (error) => faults.add(`The page had an error: ${error.message}`));
  return { page, wire, broken: whenGone(browser, page, () => closing) };
}

function watchSockets(page: Page): WireWatch {
  const wire = new WireWatch();
  page.on('websocket', (socket) => {
    // The page's own calls of the workbench are not the plugin's.
    if (new URL(socket.url()).host === new URL(page.url()).host) return;
    socket.on('framereceived', ({ payload }) => wire.received(String(payload)));
    socket.on('framesent', ({ payload }) => wire.sent(String(payload)));
  });
  return wire;
}

function whenGone(browser: Browser, page: Page, closing: () => boolean): Promise<never> {
  const gone = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new Error('The page crashed.')));
    browser.on('disconnected', () => {
      if (!closing()) reject(new Error('Chromium ended.'));
    });
  });
  gone.catch(() => undefined);
  return gone;
}
