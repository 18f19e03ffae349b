import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  AuditFiles,
  auditFolder,
  auditMark,
  reserveWriter,
} from '../../src/node/audit/audit-folder';
import { supportsHandlePaths } from '../../src/node/file-locator';
import { bundleChild } from '../store/bundle-child';
import { CANARY, SwappedVault } from './swapping-process';

const ROUNDS = 150;
/** How many calls must have met the original folder, and how many a swapped one. */
const OF_EACH = 20;

let child = '';
let vault: SwappedVault;
beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'swap-child.ts'));
});
afterAll(() => rm(dirname(child), { recursive: true, force: true }));
afterEach(() => vault.remove());

for (const way of ['folder', 'link'] as const) {
  test.runIf(supportsHandlePaths())(
    `[STORE39] nothing of the audit is read or written outside while another process swaps its ${way}`,
    async () => {
      vault = await SwappedVault.make('Audit');
      const before = await vault.outside();
      const files = new AuditFiles(vault.root, 'Audit');
      const store = auditFolder(files);
      const mark = auditMark(files, 'w');
      const ends = { done: 0, refused: 0, told: [] as unknown[] };
      const calls: readonly ((n: number) => Promise<unknown>)[] = [
        () => store.list(),
        () => store.read('a.md'),
        () => store.append('a.md', 'x\n'),
        (n) => store.append(`new-${n % 50}.jsonl`, 'x\n'),
        () => store.replace('b.md', 'x\n'),
        () => store.remove('b.md'),
        () => mark.save({ n: 1, hash: 'h', from: 1 }),
        async () => (await reserveWriter(files, 'w')).release(),
      ];
      const all = async (): Promise<void> => {
        const few = (): boolean => Math.min(ends.done, ends.refused) < OF_EACH;
        for (let n = 0; n < ROUNDS * calls.length || few(); n += 1) {
          try {
            const told = await calls[n % calls.length]?.(Math.floor(n / calls.length));
            ends.done += 1;
            const text = JSON.stringify([told]);
            if (text.includes('"deep"') || text.includes(CANARY)) ends.told.push(told);
          } catch (error) {
            if (!(error instanceof Error)) throw error;
            ends.refused += 1;
          }
        }
      };
      await vault.whileSwapping(child, way, all);
      expect(await vault.outside()).toEqual(before);
      expect(ends.told).toEqual([]);
    },
  );
}
