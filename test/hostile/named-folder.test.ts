import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskStore } from '../../src/node/disk-store';
import { NamedFolder, type Folder } from '../../src/node/file-locator';
import { SwapAtCheck } from './swap-at-check';

/** A file inside has the same text, so that only the check of the folder can tell them apart. */
const TEXT = 'Hi\n';

let base = '';
let vault = '';
let looks: SwapAtCheck;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'atb-named-'));
  vault = join(base, 'vault');
  for (const folder of ['outside', 'vault/Notes', 'vault/.opencode/agent-task-boards/s']) {
    await mkdir(join(base, folder), { recursive: true });
  }
  await symlink(join(base, 'outside'), join(vault, 'Link'));
  looks = new SwapAtCheck(vault);
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** @param atOnce whether the path to a file's folder may be opened in one step */
function watched(folder: Folder, atOnce: boolean): Folder {
  return {
    at: folder.at,
    open: (name) => {
      const found = folder.open(name);
      return typeof found === 'string' ? found : watched(found, atOnce);
    },
    openAll: (names) => {
      const found = atOnce ? looks.around(() => folder.openAll?.(names)) : undefined;
      return found && watched(found, atOnce);
    },
    check: () => looks.around(() => folder.check()),
    close: () => folder.close(),
  };
}

const CALLS = {
  read: (store: DiskStore) => store.read('Notes/a.md'),
  change: (store: DiskStore) => store.update('Notes/a.md', (text) => `${text ?? ''}x`),
  make: (store: DiskStore) => store.update('Notes/b.md', () => 'x'),
  deep: (store: DiskStore) => store.update('Notes/new/b.md', () => 'x'),
  list: (store: DiskStore) => store.list('Notes'),
  remove: (store: DiskStore) => store.remove('Notes/a.md'),
};

/** Every file outside, by name. */
async function outside(): Promise<[string, string][]> {
  const folder = join(base, 'outside');
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.sort().map(async (name): Promise<[string, string]> => {
      return [name, await readFile(join(folder, name), 'utf8').catch(() => 'no file')];
    }),
  );
}

/** Resets all files, makes the call and swaps at this check. @returns whether it was refused */
async function runAt(
  call: keyof typeof CALLS,
  at: SwapAtCheck['at'],
  atOnce: boolean,
): Promise<boolean> {
  await rm(join(vault, 'Notes'), { recursive: true });
  await mkdir(join(vault, 'Notes'));
  for (const folder of ['outside', 'vault/Notes'])
    await writeFile(join(base, folder, 'a.md'), TEXT);
  looks = new SwapAtCheck(vault);
  looks.at = at;
  const openRoot = (root: string): Folder => watched(NamedFolder.root(root), atOnce);
  const refused = await CALLS[call](new DiskStore(vault, { openRoot })).then(
    () => false,
    () => true,
  );
  if (looks.isOut) looks.swap();
  return refused;
}

test.each([
  ['one by one', false],
  ['at once', true],
])(
  '[STORE40] by name, %s, a folder that is swapped at any look leads nowhere: it is noticed, and taken back',
  async (_, atOnce) => {
    await runAt('read', undefined, atOnce);
    const before = await outside();
    let [swaps, refusals] = [0, 0];
    for (const call of Object.keys(CALLS) as (keyof typeof CALLS)[]) {
      expect(await runAt(call, undefined, atOnce), call).toBe(false);
      const { checkCount: made } = looks;
      expect(made, call).toBeGreaterThan(0);
      for (let look = 1; look <= made; look += 1) {
        for (const when of ['before', 'after'] as const) {
          // What was removed between two checks is gone.
          if (call === 'remove' && when === 'after') continue;
          refusals += (await runAt(call, { look, when }, atOnce)) ? 1 : 0;
          swaps += 1;
          expect(await outside(), `${call} ${when} ${look}`).toEqual(before);
        }
      }
    }
    expect(swaps).toBeGreaterThan(30);
    expect(refusals).toBeGreaterThan(20);
  },
);

test('[STORE15] by name, a link on the way is refused where it leads out, and followed inside', async () => {
  await writeFile(join(base, 'outside', 'a.md'), TEXT);
  await mkdir(join(vault, 'Notes/Deep'));
  await writeFile(join(vault, 'Notes/Deep/a.md'), TEXT);
  await symlink('Notes', join(vault, 'Inner'));
  const store = new DiskStore(vault, { openRoot: NamedFolder.root });
  for (const path of ['Link/a.md', 'Link/new/a.md']) {
    await expect(store.read(path)).rejects.toMatchObject({ code: 'denied' });
    await expect(store.update(path, () => 'x')).rejects.toMatchObject({ code: 'denied' });
  }
  expect(await outside()).toEqual([['a.md', TEXT]]);
  expect(await store.read('Inner/Deep/a.md')).toBe(TEXT);
  await store.update('Inner/Deep/a.md', (text) => `${text ?? ''}x`);
  expect(await readFile(join(vault, 'Notes/Deep/a.md'), 'utf8')).toBe(`${TEXT}x`);
});
