import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumArgs } from './chromium-args';
import type { Cleanup } from './cleanup';
import type { Faults } from './faults';
import { WireMonitor } from './wire-monitor';

export interface OpenedPage {
  readonly page: Page;
  readonly wire: WireMonitor;
  /** rejects when the browser or its page closes unexpectedly */
  readonly broken: Promise<never>;
}

/** ms until an awaited element must be there; generous, since it only catches hangs */
const ELEMENT_TIMEOUT_MS = 100_000;

/** Size of a window that shows sidebar and note side by side. */
const WINDOW = { width: 1390, height: 868 };

/**
 * Opens a window in its own headless Chromium, and watches what its plugin sends and receives.
 * @param scale device pixels per CSS pixel
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

/** Does the same in a running Chromium, with separate storage. */
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
  page.setDefaultTimeout(ELEMENT_TIMEOUT_MS);
  const wire = watchSockets(page);
  page.on('pageerror', (error) => faults.add(`The page had an error: ${error.message}`));
  return { page, wire, broken: rejectWhenClosed(browser, page, () => closing) };
}

function watchSockets(page: Page): WireMonitor {
  const wire = new WireMonitor();
  page.on('websocket', (socket) => {
    // Skips the page's own calls to the workbench server, which are not the plugin's.
    if (new URL(socket.url()).host === new URL(page.url()).host) return;
    socket.on('framereceived', ({ payload }) => wire.received(String(payload)));
    socket.on('framesent', ({ payload }) => wire.sent(String(payload)));
  });
  return wire;
}

function rejectWhenClosed(browser: Browser, page: Page, closing: () => boolean): Promise<never> {
  const gone = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new Error('The page crashed.')));
    browser.on('disconnected', () => {
      if (!closing()) reject(new Error('Chromium ended.'));
    });
  });
  gone.catch(() => undefined);
  return gone;
}
