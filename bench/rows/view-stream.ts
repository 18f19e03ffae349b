import { ratioOf, type Ratio } from '../measure.js';
import type { Measured, Row } from '../row.js';
import { inChromium } from '../view/view-page.js';
import type { StreamResult } from '../view/stream-page.js';

const [SESSIONS, PER_SECOND, SECONDS] = [50, 200, 8];
/** Without a graphics card, Chromium paints on the processor cores that the page runs on. */
const NOTE =
  'fifty views in sight at once, painted without a graphics card: what is left of a frame is painting, and it needs two cores to itself';

/** ms per frame at 55 frames per second */
const TARGET = 1_000 / 55;

/** Fifty conversations on one screen, each receiving 200 tokens per second, in Chromium. */
export function viewStreamRows(): Row[] {
  return [
    {
      name: 'view.stream',
      against: 'frames',
      target: TARGET,
      unit: 'ms per frame',
      note: NOTE,
      measure,
    },
  ];
}

function measure(): Promise<Measured> {
  const grid =
    'body { display: grid; grid-template: repeat(5, 195px) / repeat(10, 1fr); gap: 2px; margin: 0; } .atb-conversation { min-width: 0; border: 1px solid #888; }';
  return inChromium('bench/view/stream-page.tsx', grid, async (page) => {
    const run = ([sessions, perSecond, seconds]: readonly [number, number, number]) =>
      window.stream(sessions, perSecond, seconds);
    await page.evaluate(run, [SESSIONS, PER_SECOND, 2] as const);
    const silent = perFrame(await page.evaluate(run, [SESSIONS, 0, 2] as const)).ratio;
    return toMeasured(await page.evaluate(run, [SESSIONS, PER_SECOND, SECONDS] as const), silent);
  });
}

/** The result is infinite if a token was lost. */
function toMeasured(result: StreamResult, silent: number): Measured {
  const { tokens, whole } = result;
  const ratio = perFrame(result);
  const fps = (ms: number) => (1_000 / ms).toFixed(1);
  const detail = `${fps(ratio.ratio)} frames per second, ${fps(silent)} without a word; ${tokens.toLocaleString('en')} tokens, ${whole ? 'nothing' : 'some'} lost`;
  return whole ? { ...ratio, detail } : { ...ratio, ratio: Infinity, detail };
}

/** ms per frame in the median second. */
function perFrame({ frames }: StreamResult): Ratio {
  const seconds: number[] = [];
  let [count, ms] = [0, 0];
  for (const frame of frames.slice(1)) {
    count += 1;
    ms += frame;
    if (ms < 1_000) continue;
    seconds.push(ms / count);
    [count, ms] = [0, 0];
  }
  return ratioOf(seconds);
}
