import type { Page } from 'playwright-core';
import { openBrowser } from './browser';

/**
 * Pages that tests reuse. A page that showed the workbench before, at the same address, loads it in
 * less than half the time of a new one.
 */
const free: Page[] = [];
const inUse = new Set<Page>();
const changed = new WeakSet<Page>();

/** Events that a test listens for; its listeners are removed at its end. */
const EVENTS = [
  ...(['console', 'dialog', 'download', 'filechooser', 'load', 'pageerror', 'popup'] as const),
  ...(['request', 'requestfailed', 'response', 'websocket'] as const),
];
/** Settings that stay with a page, which is then not reused. */
const LASTING = [
  ...(['addInitScript', 'clock', 'emulateMedia', 'exposeBinding', 'exposeFunction'] as const),
  ...(['newCDPSession', 'newPage', 'route', 'routeWebSocket', 'setOffline'] as const),
];

/** An empty page with its own storage. A test that closes it returns it to the pool. */
export async function takePage(viewport: { width: number; height: number }): Promise<Page> {
  const again = free.pop();
  const page = again ?? watchChanges(await (await openBrowser()).newPage({ viewport }));
  inUse.add(page);
  if (again !== undefined) await page.setViewportSize(viewport);
  return page;
}

/** Empties a page for the next test; closes it if a test changed it for good. Idempotent. */
export async function releasePage(page: Page): Promise<void> {
  if (!inUse.delete(page) || page.isClosed()) return;
  if (changed.has(page)) return page.context().close();
  for (const event of EVENTS) page.removeAllListeners(event);
  try {
    // Keeps the pointer off the rows of the next test.
    await page.mouse.move(-10, -10);
    await page.evaluate(() => window.localStorage.clear());
    await page.context().clearPermissions();
    // At the same address: for another one Chromium would start another process.
    await page.goto(new URL('/nothing', page.url()).href, { timeout: 60_000 });
    free.push(page);
  } catch {
    await page.context().close();
  }
}

/** Playwright itself reads a page's context, so that is not a change by the test. */
function watchChanges(page: Page): Page {
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
