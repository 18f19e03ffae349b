import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { ensureChromium, isRoot } from '../../workbench/demo/install-chromium.js';
import { ratioOf, type Ratio } from '../measure.js';
import type { Measured, Row } from '../row.js';
import type { StreamResult } from '../view/stream-page.js';

const [SESSIONS, PER_SECOND, SECONDS] = [50, 200, 8];
/** Chromium without a graphics card paints on the cores that the page runs on. */
const NOTE =
  'fifty views in sight at once, painted without a graphics card: what is left of a frame is painting, and it needs two cores to itself';

const PAGE = 'http://localhost/stream';

/** ms per frame at 55 frames per second */
const TARGET = 1_000 / 55;

/** Fifty conversations on one screen, each with 200 tokens per second, in Chromium. */
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

async function measure(): Promise<Measured> {
  const executablePath = await ensureChromium((line) => process.stderr.write(`${line}\n`));
  const browser = await chromium.launch({
    executablePath,
    args: isRoot() ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1_600, height: 1_000 } });
    const body = await document();
    // A page of an address of its own: only there a browser hands out random ids, as the app does.
    await page.route(PAGE, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(PAGE);
    const run = ([sessions, perSecond, seconds]: readonly [number, number, number]) =>
      window.stream(sessions, perSecond, seconds);
    await page.evaluate(run, [SESSIONS, PER_SECOND, 2] as const);
    const silent = perFrame(await page.evaluate(run, [SESSIONS, 0, 2] as const)).ratio;
    return told(await page.evaluate(run, [SESSIONS, PER_SECOND, SECONDS] as const), silent);
  } finally {
    await browser.close();
  }
}

/** Without an end where a token was lost. */
function told(result: StreamResult, silent: number): Measured {
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

/** Fifty panes in a grid, in the plugin's own style. */
async function document(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['bench/view/stream-page.tsx'],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const style = await readFile('styles.css', 'utf8');
  const grid =
    'body { display: grid; grid-template: repeat(5, 195px) / repeat(10, 1fr); gap: 2px; margin: 0; } .atb-conversation { min-width: 0; border: 1px solid #888; }';
  return `<!doctype html><style>${style}${grid}</style><body><script>${outputFiles[0]?.text ?? ''}</script>`;
}
