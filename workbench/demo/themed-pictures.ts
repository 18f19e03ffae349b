import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { PluginInPage } from './plugin-in-page';

export const PHONE = { width: 390, height: 844 };
/** CSS for a picture of a sidebar alone: hides the status bar, which overlaps its edge. */
export const HIDE_STATUS_BAR = '.status-bar { display: none }';

/**
 * Takes pictures of the page in dark, in light and on a phone: `NAME-dark.png`, `NAME-light.png`,
 * `NAME-phone.png`. Afterwards the page is dark and has its former width.
 * @param arrange prepares the page for a picture after its look changed
 */
export async function pictureEachTheme(
  page: Page,
  plugin: PluginInPage,
  { folder, name }: { readonly folder: string; readonly name: string },
  arrange: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const before = page.viewportSize();
  const shoot = async (look: string): Promise<void> => {
    await arrange();
    await page.mouse.move(0, 0);
    const path = join(folder, `${name}-${look}.png`);
    // At the size of the window: twice the resolution would be four times the file size.
    const scale = look === 'phone' ? 'device' : 'css';
    await page.screenshot({ path, animations: 'disabled', scale });
  };
  await plugin.setAppearance('dark', false);
  await shoot('dark');
  await plugin.setAppearance('light', false);
  await shoot('light');
  await page.setViewportSize(PHONE);
  await plugin.setAppearance('light', true);
  await shoot('phone');
  if (before) await page.setViewportSize(before);
  await plugin.setAppearance('dark', false);
}

/** Moves mouse and focus away, so that nothing is highlighted, and scrolls the view to its top. */
export async function clearHighlights(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    for (const view of document.querySelectorAll('.atb-scroll, .atb-note-scroll'))
      view.scrollTo(0, 0);
  });
}
