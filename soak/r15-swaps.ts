import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runAgainstSwaps, STORES, SWAP_CHILD, SWAPS } from '../test/hostile/swapping-process';
import { bundleChild } from '../test/store/bundle-child';
import type { Run } from './report';

/** Rounds of seven calls, for each swap and store. */
const FULL = 250;
/** Number of calls that must have met the real folder, and as many that met a swapped one. */
const MIN_OF_EACH = 50;

/** R15: another process swaps a folder of the vault for a link to the outside while stores work in it. */
export const runSwaps: Run = async ({ share, progress }) => {
  const least = { rounds: Math.ceil(FULL * share), ofEach: Math.ceil(MIN_OF_EACH * share) };
  const injected = { calls: 0, 'calls that met a swapped folder': 0 };
  const lost: string[] = [];
  const child = await bundleChild(SWAP_CHILD);
  try {
    for (const swap of SWAPS) {
      for (const [name, make] of Object.entries(STORES)) {
        const what = `${swap.join(' ')}, ${name}`;
        const { calls, done, refused, told, outside } = await runAgainstSwaps(
          child,
          swap,
          make,
          least,
        );
        injected.calls += calls;
        injected['calls that met a swapped folder'] += refused;
        if (told.length > 0) lost.push(`${what}: ${told.length} answers told what stands outside`);
        if (!isDeepStrictEqual(...outside)) lost.push(`${what}: something outside changed`);
        if (done + refused !== calls) lost.push(`${what}: ${calls} calls, ${done + refused} ended`);
        progress(`R15 ${what}: ${calls} calls, ${refused} met a swapped folder`);
      }
    }
  } finally {
    await rm(dirname(child), { recursive: true, force: true });
  }
  return { name: 'R15', what: 'calls while folders are swapped for links', injected, lost };
};
