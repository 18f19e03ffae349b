import { afterEach, describe, expect, it } from 'vitest';
import { BOARD_PATH } from './board-rig';
import { NOTES_PATH, RELEASE_NOTES, SidebarRig } from './sidebar-rig';

/** A plan of `count` tasks in phases of twenty. */
function longPlan(count: number): string {
  const tasks = Array.from({ length: count }, (_, at) => {
    const head = at % 20 === 0 ? `\n## Phase ${at / 20 + 1}\n\n` : '';
    return `${head}- [ ] Task ${at + 1} 🆔 k3f9-${at + 1} ^k3f9-${at + 1}`;
  });
  const title = 'A plan with a title that is long enough for two lines of a sidebar';
  return `---\nboard: 1\nsession: ses_1\nagent: build\ntitle: ${title}\nprefix: k3f9\nnext: ${count + 1}\nrev: 1\n---\n\n# ${title}\n${tasks.join('\n')}\n`;
}

let side: SidebarRig;

afterEach(() => side.close());

/** How many px of the focused row the sticky header hides. */
const hidden = () =>
  side.page.evaluate(() => {
    const row = document.activeElement?.closest<HTMLElement>('[role=treeitem]');
    const scroller = document.querySelector('.atb-scroll')?.getBoundingClientRect();
    const head = row?.closest('.atb-group')?.querySelector('.atb-session');
    if (!row || !scroller || !head) throw new Error('no row has the keyboard');
    const { top, bottom } = row.getBoundingClientRect();
    const below = row === head ? scroller.top : head.getBoundingClientRect().bottom;
    return Math.round(Math.max(below - top, bottom - scroller.bottom, 0));
  });

describe.each([
  ['wide', '', { width: 1_280, height: 700 }, 60],
  ['wide, of which only a part is drawn', '', { width: 1_280, height: 700 }, 1_700],
  ['on a phone', '?theme=dark&phone=1', { width: 390, height: 700 }, 60],
])('%s', (_, query, size, count) => {
  it('[SIDE63] the head of a session stays in sight while its tasks scroll, and hides no row that has the keyboard', async () => {
    side = await SidebarRig.open(query, size, {
      [BOARD_PATH]: longPlan(count),
      [NOTES_PATH]: RELEASE_NOTES,
    });
    const { page } = side;
    const scroller = page.locator('.atb-scroll');
    const head = page.locator('.atb-session').filter({ hasText: 'A plan with a title' });
    const top = async () =>
      ((await head.boundingBox())?.y ?? NaN) - ((await scroller.boundingBox())?.y ?? NaN);
    await side.row('Task 1').focus();
    for (let at = 0; at < 45; at += 1) await side.keys('ArrowDown');
    expect(await side.focused()).toBe('Task 44');
    expect(await hidden()).toBe(0);
    await expect.poll(top).toBe(0);
    for (let at = 0; at < 30; at += 1) {
      await side.keys('ArrowUp');
      expect(await hidden()).toBe(0);
    }
    // A scroll moves the rows by exactly its distance: nothing jumps.
    const row = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0);
    await scroller.evaluate((element) => element.scrollBy(0, 40));
    const now = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0);
    expect(Math.round(row - now)).toBe(40);
    await side.keys('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    expect(await side.focused()).toContain('A plan with a title');
    expect(await hidden()).toBe(0);
    await side.keys('End');
    await expect.poll(hidden).toBe(0);
  });
});
