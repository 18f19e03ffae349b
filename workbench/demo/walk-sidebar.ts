import type { Page } from 'playwright-core';

const FOLDED = '.atb-tree [role="treeitem"][aria-expanded="false"]';

/** Expands folded sessions, phases, groups of finished tasks and tasks with subtasks. */
export async function expandAll(page: Page): Promise<void> {
  await scrollSidebar(page, async () => {
    for (let left = await countFolded(page); left > 0; left = await countFolded(page)) {
      await page.locator(FOLDED).first().locator('> .atb-twisty').dispatchEvent('click');
      await page.waitForFunction(
        ([selector, count]) => document.querySelectorAll(selector).length !== count,
        [FOLDED, left] as const,
      );
    }
    return false;
  });
}

/**
 * Scrolls through the sidebar from top to bottom, since only the rows near the visible part are
 * drawn.
 * @param visit called at each position; returning true stops
 */
export async function scrollSidebar(page: Page, visit: () => Promise<boolean>): Promise<void> {
  const scroller = page.locator('.atb-scroll:has(.atb-tree)');
  if ((await scroller.count()) === 0) return;
  for (let top = 0, height = 1; top < height;) {
    const size = await scroller.evaluate(async (element, to) => {
      element.scrollTop = to;
      // Two frames: one for the event, one for the resulting drawing.
      for (let frame = 0; frame < 2; frame += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return { view: element.clientHeight, all: element.scrollHeight };
    }, top);
    if (await visit()) return;
    height = size.all;
    top += Math.max(size.view, 100);
  }
}

function countFolded(page: Page): Promise<number> {
  return page.locator(FOLDED).count();
}
