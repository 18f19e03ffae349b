import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { supportsHandlePaths } from '../../src/node/file-locator';
import { bundleChild } from '../store/bundle-child';
import { runAgainstSwaps, STORES, SWAP_CHILD, SWAPS } from './swapping-process';

/** `npm run soak -- --only R15` makes ten times as many calls. */
const LEAST = { rounds: 25, ofEach: 10 };

let child = '';
beforeAll(async () => {
  child = await bundleChild(SWAP_CHILD);
});
afterAll(() => rm(dirname(child), { recursive: true, force: true }));

async function holds(swap: (typeof SWAPS)[number], store: keyof typeof STORES): Promise<void> {
  const end = await runAgainstSwaps(child, swap, STORES[store], LEAST);
  expect(end.outside[1]).toEqual(end.outside[0]);
  expect(end.told).toEqual([]);
  expect(end.done + end.refused).toBe(end.calls);
}

for (const swap of SWAPS) {
  const what = swap.join(' ');
  test.runIf(supportsHandlePaths())(
    `[STORE39] nothing outside is read, listed, written or removed while another process swaps the ${what}`,
    () => holds(swap, 'disk'),
  );

  test.runIf(supportsHandlePaths())(
    `[STORE41] nor does the plugin, which writes in place, while another process swaps the ${what}`,
    () => holds(swap, 'plugin'),
  );
}
