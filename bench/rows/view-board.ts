import type { Page } from 'playwright-core';
import { boardText } from '../board-sample.js';
import { ratioOf } from '../measure.js';
import type { Measured, Row } from '../row.js';
import { inChromium } from '../view/view-page.js';

const CARDS = 5_000;
const ROUNDS = 15;

/** The board of one long plan, in Chromium. */
export function viewBoardRows(): Row[] {
  return [
    {
      name: 'view.board',
      against: 'a board that draws each card',
      target: 0.05,
      note: 'what a change of a board of 5,000 tasks means is worked out for all of them',
      measure: () =>
        inChromium('bench/view/board-page.tsx', 'body { margin: 0; width: 1400px; }', measure),
    },
  ];
}

async function measure(page: Page): Promise<Measured> {
  await page.evaluate((text) => window.readPlan(text), boardText(CARDS));
  const { own, naive, cards } = await page.evaluate((rounds) => window.frames5k(rounds), ROUNDS);
  const measured = ratioOf(own.map((ms, round) => ms / (naive[round] ?? 0)));
  const ms = (values: readonly number[]) => `${ratioOf([...values]).ratio.toFixed(1)} ms`;
  return { ...measured, detail: `${ms(own)} per frame, and ${ms(naive)}; ${cards} cards drawn` };
}
