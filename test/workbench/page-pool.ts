import type { Page } from 'playwright-core';
import { openBrowser } from './browser';

/**
 * Pages that tests take one after the other. A page that showed the workbench before, at the same
 * address, needs less than half of what a new one needs to load it.
 */
const free: Page[] = [];
const inUse = new Set<Page>();
const changed = new WeakSet<Page>();

/** What a test listens for; it is told nothing of what follows. */
const EVENTS = [
  ...(['console', 'dialog', 'download', 'filechooser', 'load', 'pageerror', 'popup'] as const),
  ...(['request', 'requestfailed', 'response', 'websocket'] as const),
];
/** What a test sets with these stays with the page, so no other test gets it. */
const LASTING = [
  ...(['addInitScript', 'clock', 'emulateMedia', 'exposeBinding', 'exposeFunction'] as const),
  ...(['newCDPSession', 'newPage', 'route', 'routeWebSocket', 'setOffline'] as const),
];

/** A page that shows nothing yet, with storage of its own. A test that closes it gives it back. */
export async function takePage(viewport: { width: number; height: number }): Promise<Page> {
  const again = free.pop();
  const page = again ?? watched(await (await openBrowser()).newPage({ viewport }));
  inUse.add(page);
  if (again !== undefined) await page.setViewportSize(viewport);
  return page;
}

/** Empties a page for the next test, or closes it where a test changed it for good. May be called twice. */
export async function releasePage(page: Page): Promise<void> {
  if (!inUse.delete(page) || page.isClosed()) return;
  if (changed.has(page)) return page.context().close();
  for (const event of EVENTS) page.removeAllListeners(event);
  try {
    // No row is under the pointer of the next test.
    await page.mouse.move(-10, -10);
    await page.evaluate(() => window.localStorage.clear());
    await page.context().clearPermissions();
    // Of the same address: for another one Chromium would start another process.
    await page.goto(new URL('/nothing', page.url()).href, { timeout: 60_000 });
    free.push(page);
  } catch {
    await page.context().close();
  }
}

/** Playwright itself asks the page for its context, so that says nothing of the test. */
function watched(page: Page): Page {
  for (const part of [page, page.context()]) {
    for (const name of LASTING) {
      const own: unknown = Reflect.get(part, name);
      const get = () => {
        changed.add(page);
        return own;
      };
      if (own !== undefined) Object.defineProperty(part, name, { get, configurable: true });
    }
  }
  Object.defineProperty(page, 'close', { value: () => releasePage(page) });
  return page;
}
