import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasDemoNotes } from '../../workbench/demo/demo-notes';
import { prepareVault } from '../../workbench/demo/demo-vault';

let folder = '';
let bridge = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atb-demo-vault-'));
  bridge = join(folder, 'bridge.js');
  await writeFile(bridge, '// the bridge\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const thrown = () => Promise.resolve(join(folder, 'thrown'));

test('[DEMO35] a folder in which nothing stands gets the notes that the own script works on', async () => {
  const missing = await prepareVault(join(folder, 'new'), true, bridge, thrown);
  await mkdir(join(folder, 'empty'));
  const empty = await prepareVault(join(folder, 'empty'), true, bridge, thrown);
  const throwAway = await prepareVault(undefined, true, bridge, thrown);
  expect([missing, empty, throwAway].map(hasDemoNotes)).toEqual([true, true, true]);
});

test('[DEMO35] neither a vault with notes gets any, nor the vault of another script', async () => {
  const mine = join(folder, 'mine');
  await mkdir(mine);
  await writeFile(join(mine, 'Mine.md'), '# Mine\n');
  await prepareVault(mine, true, bridge, thrown);
  expect((await readdir(mine)).sort()).toEqual(['.opencode', 'Mine.md']);
  const other = await prepareVault(join(folder, 'other'), false, bridge, thrown);
  expect(await readdir(other)).toEqual(['.opencode']);
});
