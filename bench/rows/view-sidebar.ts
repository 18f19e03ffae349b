import type { Page } from 'playwright-core';
import { boardText } from '../board-sample.js';
import { ratioOf } from '../measure.js';
import type { Measured, Row } from '../row.js';
import { inChromium } from '../view/view-page.js';

const PROGRAM = 'bench/view/sidebar-page.tsx';
const STYLE = 'body { margin: 0; width: 360px; }';
/** Number of tasks that are ticked, and of tasks in the list that is drawn. */
const [TICKED, LISTED] = [2_000, 10_000];
const ROUNDS = 25;
/** ms of a frame at 60 per second */
const FRAME = 1_000 / 60;
/** Elements per drawn row. */
const MAX_NODES_PER_ROW = 12;

/** The sidebar of one long board, in Chromium. */
export function viewSidebarRows(): Row[] {
  return [
    {
      name: 'view.tick',
      against: 'a key without an effect',
      target: 1,
      unit: 'frames more',
      measure: () => inChromium(PROGRAM, STYLE, tick),
    },
    {
      name: 'view.list',
      against: 'a plain element for each row',
      target: 0.03,
      note: 'what each of 10,000 rows says is known before the first of them is drawn',
      measure: () => inChromium(PROGRAM, STYLE, list),
    },
  ];
}

async function tick(page: Page): Promise<Measured> {
  await page.evaluate((text) => window.readBoard(text), boardText(TICKED));
  await page.evaluate(() => window.openSidebar());
  const own: number[] = [];
  const none: number[] = [];
  let ticked = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    none.push(await frameOf(page, 'F8'));
    own.push(await frameOf(page, ' '));
    // Each tick reverts the previous one.
    ticked = !ticked;
    if ((await page.evaluate(() => window.isTicked())) !== ticked) throw new Error('no tick');
    await page.waitForTimeout(600);
  }
  const base = ratioOf(none).ratio;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const detail = `${ms(ratioOf(own).ratio)}, and ${ms(base)} without an effect`;
  return { ...ratioOf(own.map((one) => (one - base) / FRAME)), detail };
}

/** ms from a key press to the frame that shows its effect. */
async function frameOf(page: Page, key: string): Promise<number> {
  await page.evaluate(() => window.takeFrames());
  await page.keyboard.press(key);
  for (;;) {
    const [ms] = await page.evaluate(() => window.takeFrames());
    if (ms !== undefined) return ms;
  }
}

async function list(page: Page): Promise<Measured> {
  await page.evaluate((text) => window.readBoard(text), boardText(LISTED));
  const { own, naive, nodesPerRow } = await page.evaluate((rounds) => window.paint(rounds), ROUNDS);
  const measured = ratioOf(own.map((ms, round) => ms / (naive[round] ?? 0)));
  const detail = `${nodesPerRow.toFixed(1)} elements per row`;
  return nodesPerRow <= MAX_NODES_PER_ROW
    ? { ...measured, detail }
    : { ...measured, ratio: Infinity, detail };
}
