import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { BoardRig, OFFLINE } from './board-rig';
import { ConversationRig } from './conversation-rig';

const ARABIC = 'ابدأ من اليمين';
const PHONE = { width: 380, height: 780 };

let close: () => Promise<void>;
afterEach(() => close());

async function conversation(query?: string, size?: { width: number; height: number }) {
  const rig = new ConversationRig();
  close = () => rig.close();
  await rig.open(query, size);
  await rig.newSession();
  return rig;
}

/** The space before and after the words of an element, in px from left and right. */
const spaces = (part: Locator) =>
  part.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [words, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return { left: words.left - box.left, right: box.right - words.right };
  });

const bidi = (field: Locator) => field.evaluate((element) => getComputedStyle(element).unicodeBidi);

describe('words that run from right to left', () => {
  it('[PLUGIN121] begin on the right in a question, its options and the composer', async () => {
    const rig = await conversation();
    const questions = [{ question: ARABIC, options: [{ label: ARABIC }, { label: 'Neither' }] }];
    await rig.emit(rig.event('question.request', { requestId: 'q1', questions }));
    const card = rig.view.getByRole('group', { name: ARABIC });
    for (const part of [card.locator('.atb-talk-question'), card.locator('li').first()]) {
      const { left, right } = await spaces(part);
      expect([left > 100, Math.round(right)]).toEqual([true, 0]);
    }
    expect(Math.round((await spaces(card.locator('li').last())).left)).toBe(0);
    expect(await bidi(rig.field)).toBe('plaintext');
  });

  it('[PLUGIN121] begin there too where a task is named anew', async () => {
    const text = OFFLINE.replace('Choose a sample vault', ARABIC);
    const board = await BoardRig.open(text);
    close = () => board.close();
    await board.card(ARABIC).focus();
    await board.page.keyboard.press('F2');
    const field = board.page.locator('.atb-edit');
    await field.waitFor();
    expect(await bidi(field)).toBe('plaintext');
  });
});

/** Lines with direction characters in everything drawn, read out or shown as a tooltip. */
const turning = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const elements = [...document.body.querySelectorAll('[aria-label], [title]')];
    const attributes = elements.flatMap((one) => [one.ariaLabel, one.getAttribute('title')]);
    const lines = [document.body.innerText, ...attributes].join('\n').split('\n');
    return lines.filter((line) => /[\u202a-\u202e\u2066-\u2069]/u.test(line));
  });

it('[VIEW15] titles can’t turn the direction of writing in any view, and are edited whole', async () => {
  const [hostile, plain] = ['Choose\u202e a\u2066 sample', 'Choose  a  sample'];
  const board = await BoardRig.open(OFFLINE.replace('Choose a sample vault', hostile));
  close = () => board.close();
  const { page } = board;
  const needs = page.locator('.atb-needs .atb-card');
  const drawn = {
    'open-sidebar': [page.locator('.atb-tree .atb-title', { hasText: plain }), needs],
    'open-board': [board.card(plain)],
    'open-graph': [page.locator('.atb-graph-title', { hasText: plain }).first()],
    'open-timeline': [page.locator('.atb-timeline')],
  };
  for (const [id, parts] of Object.entries(drawn)) {
    await board.run(id);
    for (const part of parts) await part.waitFor();
    expect([id, await turning(page)]).toEqual([id, []]);
  }
  await board.run('open-board');
  await board.card(plain).focus();
  await page.keyboard.press('F2');
  expect(await page.locator('.atb-edit').inputValue()).toBe(hostile);
  expect(await board.text()).toContain(hostile);
});

it.each([
  ['on a phone', '?phone=1', PHONE],
  ['in a narrow pane', '', { width: 960, height: 800 }],
])('[CONV49] %s the controls of the composer are one line', async (_, query, size) => {
  const rig = await conversation(query, size);
  const tokens = { kind: 'tokens', input: 7_580, output: 20, limit: 10_000, reserve: 2_000 };
  await rig.emit(rig.event('progress.update', tokens));
  const meter = rig.view.locator('.atb-context-meter');
  await meter.getByText('95% of context').waitFor();
  expect(await rig.view.getByRole('button', { name: 'Model: Default model' }).isVisible()).toBe(
    true,
  );
  const [first, send, foot] = await Promise.all(
    [meter, rig.view.locator('.atb-composer-send'), rig.view.locator('.atb-composer-foot')].map(
      (part) => part.boundingBox(),
    ),
  );
  if (!first || !send || !foot) throw new Error('The composer is not drawn.');
  expect(foot.height).toBeLessThan(send.height * 1.5);
  const wide = await rig.view.locator('.atb-composer-foot').evaluate((one) => one.scrollWidth);
  expect(wide).toBeLessThanOrEqual(Math.ceil(foot.width));
  expect(Math.abs(first.y + first.height / 2 - send.y - send.height / 2)).toBeLessThan(2);
  expect(Math.round(send.x + send.width)).toBe(Math.round(foot.x + foot.width));
});
