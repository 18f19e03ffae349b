import type { Page } from 'playwright-core';

/** Closes notices by clicking them beside their buttons. Skips a notice that is already closing. */
export async function dismissNotices(page: Page): Promise<void> {
  const notices = page.locator('.notice');
  for (let left = await notices.count(); left > 0; left = await notices.count()) {
    await notices
      .first()
      .click({ position: { x: 3, y: 3 }, timeout: 1_000 })
      .catch(() => undefined);
  }
}
