import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { BoardRig, OFFLINE } from './board-rig';

let board: BoardRig;

afterEach(() => board.close());

// For axe, text that the edge of the board cuts off is invisible, so not part of a card's name.
describe.each(AXE_VARIANTS)('%s', (_, query, { width, height }) => {
  const size = width < 500 ? { width, height } : { width: 1_900, height: 1_000 };

  it('[KANBAN21] axe finds nothing on a board, in its fields and while a card is moved', async () => {
    board = await BoardRig.open(OFFLINE, query, size);
    const { page } = board;
    const found = new Findings();
    await board.card('Choose a sample vault').waitFor();
    await found.check(page, 'board', '.atb-board');
    await board.card('Choose a sample vault').focus();
    for (const key of ['x', 'm', 'ArrowRight']) await page.keyboard.press(key);
    await page.locator('.atb-move-hint').waitFor();
    await found.check(page, 'moving', '.atb-board');
    for (const key of ['Escape', 'F2']) await page.keyboard.press(key);
    await page.locator('.atb-edit').waitFor();
    await found.check(page, 'title', '.atb-board');
    for (const key of ['Escape', 'a']) await page.keyboard.press(key);
    await page.keyboard.type('Wait for #');
    await page.locator('[role=option]').first().waitFor();
    await found.check(page, 'new task', '.atb-board');
    for (const key of ['Escape', 'Escape', '/']) await page.keyboard.press(key);
    await page.keyboard.type('nothing fits');
    await page.getByText('No task matches').waitFor();
    await found.check(page, 'no match', '.atb-board');
    found.expectNone();
  });
});

it('[KANBAN24] a narrow board opens at its first column that has a card', async () => {
  board = await BoardRig.open(OFFLINE, undefined, { width: 900, height: 700 });
  await board.page.locator('[data-card]:focus').waitFor();
  const scroller = board.page.locator('.atb-board-scroll');
  expect(await scroller.evaluate(({ scrollLeft }) => scrollLeft)).toBe(0);
});

it('[KANBAN17] above 5,000 cards lanes are folded at first, and stay so when there are fewer', async () => {
  const tasks = Array.from({ length: 5_001 }, (_, at) => `- [ ] T${at} 🆔 k3f9-${at + 20}`);
  const head = OFFLINE.slice(0, OFFLINE.indexOf('# Offline'));
  board = await BoardRig.open(`${head}## First\n\n${tasks.join('\n')}\n`);
  const lane = board.page.locator('.atb-lane-fold');
  await lane.filter({ hasText: '5,001' }).waitFor();
  expect(await lane.getAttribute('aria-expanded')).toBe('false');
  await board.editOutside((text) => text.replace(/- \[ \] T7 .*\n/u, ''));
  await lane.filter({ hasText: '5,000' }).waitFor();
  expect(await lane.getAttribute('aria-expanded')).toBe('false');
});

it('[KANBAN18] [KANBAN26] the place that M goes to is in view, and Tab reaches a card whatever becomes of the focused one', async () => {
  board = await BoardRig.open(OFFLINE, undefined, { width: 900, height: 700 });
  const { page } = board;
  await board.card('Choose a sample vault').focus();
  await page.keyboard.press('m');
  await page.keyboard.press('ArrowRight');
  const isSlotInView = () =>
    page.locator('.atb-card-slot').evaluate((slot) => {
      const [box, view] = [slot, slot.closest('.atb-board-scroll')].map((one) =>
        one?.getBoundingClientRect(),
      );
      return box && view && box.right <= view.right + 1 && box.bottom <= view.bottom + 1;
    });
  await expect.poll(isSlotInView).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('s');
  await page.locator('.menu-item', { hasText: 'Deferred' }).click();
  await board.card('Choose a sample vault').waitFor({ state: 'detached' });
  const stop = page.locator('[data-card][tabindex="0"]');
  expect(await stop.getAttribute('data-id')).toBe('k3f9-13');
  await page.locator('[data-lane="Release"] .atb-lane-fold').click();
  await expect
    .poll(() => stop.evaluateAll((all) => all.map((one) => one.dataset['id'])))
    .toEqual(['k3f9-6']);
});

it('[KANBAN19] [SIDE25] on a wide screen a finger opens the menu of a task, a mouse selects it', async () => {
  board = await BoardRig.open(OFFLINE, '?theme=light');
  const { page } = board;
  const card = board.card('Choose a sample vault').locator('.atb-title');
  await card.click();
  await page.keyboard.press('Escape');
  expect(await page.locator('.menu').count()).toBe(0);
  const touch = await page.context().newCDPSession(page);
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const tap = async (target: Locator) => {
    const box = await target.boundingBox();
    if (box === null) throw new Error('not drawn');
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.locator('.menu-item', { hasText: 'Rename' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.menu').waitFor({ state: 'detached' });
  };
  await tap(card);
  await board.run('open-sidebar');
  await tap(page.locator('.atb-sidebar').getByRole('treeitem', { name: 'Choose a sample vault' }));
});

describe('on a phone', () => {
  const phone = () => BoardRig.open(OFFLINE, '?theme=light&phone=1', { width: 390, height: 844 });

  it('[KANBAN19] one column is shown at a time, and a tap opens the sheet that moves a task first', async () => {
    board = await phone();
    const { page } = board;
    await board.card('Choose a sample vault').waitFor();
    expect(await page.locator('.atb-cell').count()).toBe(2);
    await page.getByRole('button', { name: 'In progress 2' }).click();
    await expect
      .poll(() => board.titles('in_progress'))
      .toEqual(['Build the inverted index', 'Keep the index across restarts']);
    expect(await board.titles('pending')).toEqual([]);
    await page.getByRole('button', { name: 'To do 6' }).click();
    await board.card('Choose a sample vault').locator('.atb-title').click();
    await page.locator('.menu-item', { hasText: 'Done' }).waitFor();
    expect(await page.locator('.menu-item').nth(2).innerText()).toContain('In progress');
    await page.locator('.menu-item', { hasText: 'In progress' }).click();
    await expect.poll(() => board.text()).toContain('- [/] Choose a sample vault');
    await page.getByRole('button', { name: 'Add task', exact: true }).click();
    await page.locator('.atb-quick-add input').fill('Tell the testers');
    await page.keyboard.press('Enter');
    await board.card('Tell the testers').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done 3' }).click();
    await page.getByRole('button', { name: 'More of Done' }).click();
    await page.locator('.menu-item', { hasText: 'Restore' }).waitFor();
    await page.locator('.menu-item', { hasText: 'Set limit…' }).click();
    await page.locator('.modal input').fill('2');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Done 3 of 2, over the limit' }).waitFor();
  });
});

describe('from right to left', () => {
  it('[KANBAN18] [PLUGIN122] the arrow keys go where they point, and the mouse works in another window too', async () => {
    board = await BoardRig.open(OFFLINE, undefined, { width: 1_900, height: 1_200 });
    const { page } = board;
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    await board.card('Choose a sample vault').focus();
    await page.keyboard.press('m');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => board.announcement()).toBe('In progress, 1 of 1 in Release.');
    const slot = await page.locator('.atb-card-slot').boundingBox();
    const card = await board.card('Choose a sample vault').boundingBox();
    expect(slot?.x).toBeLessThan(card?.x ?? 0);
    await page.keyboard.press('Escape');
    // A frame stands for another window: it has events and a pointer of its own.
    const ghosts = await board.card('Choose a sample vault').evaluate((element) => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const other = frame.contentWindow as Window & typeof globalThis;
      const { MouseEvent: Other } = other;
      element.dispatchEvent(new Other('contextmenu', { bubbles: true, cancelable: true }));
      other.document.body.append(element.closest('.atb-board') ?? '');
      const part = { button: 0, buttons: 1, isPrimary: true, pointerId: 1, pointerType: 'mouse' };
      const pointer = (type: string, clientX: number) =>
        new other.PointerEvent(type, { ...part, bubbles: true, clientX });
      const drawn = () => other.document.querySelectorAll('.atb-ghost').length;
      element.dispatchEvent(pointer('pointerdown', 10));
      other.dispatchEvent(pointer('pointermove', 60));
      const before = drawn();
      other.dispatchEvent(pointer('pointercancel', 60));
      return [before, drawn()];
    });
    expect(ghosts).toEqual([1, 0]);
    await page.locator('.menu-item', { hasText: 'Rename' }).waitFor();
    // What is drawn there belongs to that window: its classes are not the ones of this one.
    const other = page.frames().at(-1);
    await other?.locator('[data-card]').first().focus();
    await page.keyboard.press('a');
    await other?.locator('.atb-quick-add input').waitFor();
    await page.keyboard.type('Ask a mason, then tick');
    await page.keyboard.press('Enter');
    await expect.poll(() => board.text()).toContain('Ask a mason, then tick');
  });
});

it('[KANBAN29] on a narrow board the strips lie below the columns and open from there', async () => {
  board = await BoardRig.open(OFFLINE, undefined, { width: 860, height: 700 });
  const { page } = board;
  await page.locator('[data-card]').first().waitFor();
  const boxOf = (selector: string) =>
    page.locator(selector).evaluate((one) => one.getBoundingClientRect().toJSON() as DOMRect);
  const whole = await boxOf('.atb-board');
  const columns = await boxOf('.atb-board-scroll');
  expect(whole.width).toBeLessThan(700);
  expect([columns.left, columns.right]).toEqual([whole.left, whole.right]);
  for (const status of ['deferred', 'cancelled']) {
    const strip = await boxOf(`.atb-strip[data-column=${status}]`);
    expect(strip.top).toBeGreaterThanOrEqual(columns.bottom);
    expect(strip.bottom).toBeLessThanOrEqual(whole.bottom + 1);
  }
  await page.locator('.atb-strip[data-column=cancelled]').click();
  await page.locator('.atb-column-head[data-column=cancelled]').waitFor();
  await page.setViewportSize({ width: 1700, height: 700 });
  // Both are measured again each time: the scroll area changes its width a frame later.
  const gap = async () =>
    (await boxOf('.atb-strip')).left - (await boxOf('.atb-board-scroll')).right;
  await expect.poll(gap).toBeGreaterThanOrEqual(0);
  // As narrow as in a side dock.
  await page.locator('.atb-board').evaluate((one: HTMLElement) => (one.style.width = '230px'));
  await expect
    .poll(async () => (await boxOf('.atb-column-head[data-column=pending]')).width)
    .toBeLessThanOrEqual(230 - 32);
});
