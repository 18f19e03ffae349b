import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DiskStore } from '../../src/node/disk-store';
import { canHold } from '../../src/node/held-folder';
import { bundleChild } from '../store/bundle-child';
import { callAll, SwappedVault } from './swapping-process';

/** Rounds of seven calls. */
const ROUNDS = 150;

let child = '';
let vault: SwappedVault;
beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'swap-child.ts'));
});
afterAll(() => rm(dirname(child), { recursive: true, force: true }));
afterEach(() => vault.remove());

const CASES = [
  ['folder', 'Notes'],
  ['folder', '.opencode'],
  ['link', 'Notes'],
  ['link', '.opencode'],
] as const;

for (const [way, folder] of CASES) {
  test.runIf(canHold())(
    `[STORE39] nothing outside is read, listed, written or removed while another process swaps the ${way} ${folder}`,
    async () => {
      vault = await SwappedVault.make(folder);
      const before = await vault.outside();
      const store = new DiskStore(vault.root);
      const ends = { done: 0, refused: 0, told: [] as unknown[] };
      const swaps = await vault.during(child, way, () => callAll(store, folder, ROUNDS, ends));
      expect(await vault.outside()).toEqual(before);
      expect(ends.told).toEqual([]);
      expect(ends.done + ends.refused).toBe(ROUNDS * 7);
      expect(Math.min(ends.done, ends.refused, swaps)).toBeGreaterThan(50);
    },
  );
}
