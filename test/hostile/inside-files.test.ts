import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InPlaceFiles } from '../../soak/child/in-place-files';
import { journalPath, writeEntry } from '../../src/core/board/journal';
import type { RealPathLookup } from '../../src/core/permission/path-resolver';
import { noteKey } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { insideCheck, ConfinedFiles } from '../../src/obsidian/adapter/vault-files';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { SwapAtCheck } from './swap-at-check';

/** A file inside has the same text, so that only the check of the folder can tell them apart. */
const TEXT = 'Hi\n';

let base = '';
let vault = '';
let looks: SwapAtCheck;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'atb-inside-'));
  vault = join(base, 'vault');
  for (const folder of ['outside', 'vault/Notes']) {
    await mkdir(join(base, folder), { recursive: true });
    await writeFile(join(base, folder, 'a.md'), TEXT);
  }
  await symlink(join(base, 'outside'), join(vault, 'Link'));
  looks = new SwapAtCheck(vault);
});
afterEach(() => rm(base, { recursive: true, force: true }));

function store(): VaultStore {
  const follow = realPaths(vault);
  const watched: RealPathLookup = async (path) => {
    if (!path.startsWith('Notes/')) return follow(path);
    looks.begin();
    const found = await follow(path);
    looks.end();
    return found;
  };
  return new VaultStore(new ConfinedFiles(new InPlaceFiles(vault), insideCheck(watched)));
}

async function outside(): Promise<readonly string[]> {
  const names = await readdir(join(base, 'outside'), { recursive: true });
  const texts = names.sort().map((name) => readFile(join(base, 'outside', name), 'utf8'));
  return [...names, ...(await Promise.all(texts))];
}

const CALLS = {
  change: (one: VaultStore) => one.update('Notes/a.md', (text) => `${text ?? ''}x`),
  make: (one: VaultStore) => one.update('Notes/b.md', () => 'x'),
};

test('[STORE41] a folder that is swapped at any look leads the app’s adapter nowhere: it is noticed, and taken back', async () => {
  let [swaps, refusals] = [0, 0];
  const run = async (call: keyof typeof CALLS, at: SwapAtCheck['at']): Promise<void> => {
    looks = new SwapAtCheck(vault);
    await rm(join(vault, 'Notes'), { recursive: true });
    await rm(join(vault, '.opencode'), { recursive: true, force: true });
    await mkdir(join(vault, 'Notes'));
    await writeFile(join(vault, 'Notes/a.md'), TEXT);
    looks.at = at;
    await CALLS[call](store()).catch(() => (refusals += 1));
    if (looks.isOut) looks.swap();
  };
  for (const call of ['change', 'make'] as const) {
    await run(call, undefined);
    const { checkCount: made } = looks;
    for (let look = 1; look <= made; look += 1) {
      for (const when of ['before', 'after'] as const) {
        await run(call, { look, when });
        swaps += 1;
        expect(await outside(), `${call} ${when} ${look}`).toEqual(['a.md', TEXT]);
      }
    }
  }
  expect(swaps).toBeGreaterThanOrEqual(8);
  expect(refusals).toBeGreaterThanOrEqual(4);
});

test('[STORE41] a write that was broken off is not brought to its end outside', async () => {
  looks.swap();
  const key = noteKey('Notes/a.md');
  const entry = join(vault, journalPath(key));
  await mkdir(join(entry, '..'), { recursive: true });
  await writeFile(entry, writeEntry('Notes/a.md', TEXT, `${TEXT}x`));
  expect(await store().recover()).toEqual([
    'Notes/a.md: a link leads out of the vault, or nowhere.',
  ]);
  expect(await outside()).toEqual(['a.md', TEXT]);
  looks.swap();
  expect(await store().recover()).toEqual([]);
  expect(await readFile(join(vault, 'Notes/a.md'), 'utf8')).toBe(`${TEXT}x`);
});
