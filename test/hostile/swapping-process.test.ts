import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NoteStore } from '../../src/core/ports';
import { DiskStore } from '../../src/node/disk-store';
import { HeldFiles } from '../../src/node/held-files';
import { canHold } from '../../src/node/places';
import { vaultLock } from '../../src/node/vault-lock';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { bundleChild } from '../store/bundle-child';
import { callAll, SwappedVault, type Way } from './swapping-process';

/** Rounds of seven calls. */
const ROUNDS = 150;
/** With four cases, a thousand calls of each kind. */
const MORE_ROUNDS = 250;
/** Calls that must have met the folder as it is, and as many that met a swapped one. */
const OF_EACH = 50;

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

/** Every call of a store while another process swaps, and what came of it outside. */
async function againstSwaps(
  way: Way,
  folder: string,
  rounds: number,
  make: (root: string) => NoteStore,
): Promise<void> {
  vault = await SwappedVault.make(folder);
  const before = await vault.outside();
  const store = make(vault.root);
  const ends = { done: 0, refused: 0, told: [] as unknown[] };
  const least = { rounds, ofEach: OF_EACH };
  let calls = 0;
  await vault.during(child, way, async () => {
    calls = await callAll(store, folder, least, ends);
  });
  expect(await vault.outside()).toEqual(before);
  expect(ends.told).toEqual([]);
  expect(ends.done + ends.refused).toBe(calls);
}

for (const [way, folder] of CASES) {
  test.runIf(canHold())(
    `[STORE39] nothing outside is read, listed, written or removed while another process swaps the ${way} ${folder}`,
    () => againstSwaps(way, folder, ROUNDS, (root) => new DiskStore(root)),
  );

  test.runIf(canHold())(
    `[STORE41] nor does the plugin, which writes in place, while another process swaps the ${way} ${folder}`,
    () =>
      againstSwaps(way, folder, MORE_ROUNDS, (root) => {
        return new VaultStore(new HeldFiles(root), { lock: vaultLock(root) });
      }),
  );
}
