import { boardText } from '../board-sample.js';
import { ratioOf } from '../measure.js';
import type { Measured, Row } from '../row.js';
import { inChromium } from '../view/view-page.js';

const CARDS = 5_000;
const ROUNDS = 15;

/** ms of a frame at 60 per second */
const FRAME = 1_000 / 60;

/** The board of one long plan, in Chromium. */
export function viewBoardRows(): Row[] {
  return [
    {
      name: 'view.board.change',
      against: 'a board that draws each card',
      target: 0.05,
      note: 'what a change of a board of 5,000 tasks means is worked out for all of them',
      measure: () => measured(change),
    },
    {
      name: 'view.board.scroll',
      against: 'frames',
      target: FRAME,
      unit: 'ms per frame',
      measure: () => measured(scroll),
    },
  ];
}

type Frames = Awaited<ReturnType<typeof window.frames5k>>;

function measured(result: (frames: Frames) => Measured): Promise<Measured> {
  const style = 'body { margin: 0; width: 1400px; }';
  return inChromium('bench/view/board-page.tsx', style, async (page) => {
    await page.evaluate((text) => window.readPlan(text), boardText(CARDS));
    return result(await page.evaluate((rounds) => window.frames5k(rounds), ROUNDS));
  });
}

function change({ own, naive, cards }: Frames): Measured {
  const ratios = own.map((ms, round) => ms / (naive[round] ?? 0));
  const ms = (values: readonly number[]) => `${ratioOf(values).ratio.toFixed(1)} ms`;
  return {
    ...ratioOf(ratios),
    detail: `${ms(own)} per change, and ${ms(naive)}; ${cards} cards drawn`,
  };
}

/** Frames that each scroll so far that other cards are drawn. */
function scroll(frames: Frames): Measured {
  return ratioOf(frames.scroll);
}
