import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { VaultTarget } from '../../src/core/permission/vault-target';
import { realPaths } from '../../src/node/real-paths';

let base = '';
let vault = '';
beforeEach(async () => {
  base = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-real-')));
  vault = join(base, 'vault');
  await fs.mkdir(join(vault, 'Notes/Deep'), { recursive: true });
  await fs.mkdir(join(base, 'outside'));
  await fs.writeFile(join(base, 'outside/canary.md'), 'canary');
  await fs.writeFile(join(vault, 'Notes/a.md'), 'a');
});
afterEach(() => fs.rm(base, { recursive: true, force: true }));

const link = (to: string, from: string): Promise<void> => fs.symlink(to, join(vault, from));
const at = (path: string) => realPaths(vault)(path);
const resolve = (path: string) => new PathResolver(realPaths(vault)).resolve(path);

describe('where paths of a vault are', () => {
  test('[PERM15] files, folders, and what is not there', async () => {
    expect(await at('Notes')).toEqual({ kind: 'inside', path: 'Notes' });
    expect(await at('Notes/a.md')).toEqual({ kind: 'inside', path: 'Notes/a.md' });
    expect(await at('Notes/none.md')).toEqual({ kind: 'missing' });
    expect(await at('Notes/a.md/x')).toEqual({ kind: 'missing' });
    expect(await at('.')).toEqual({ kind: 'inside', path: '' });
  });

  test('[PERM15] a vault that is a link itself is followed', async () => {
    await fs.symlink(vault, join(base, 'alias'));
    expect(await realPaths(join(base, 'alias'))('Notes/a.md')).toEqual({
      kind: 'inside',
      path: 'Notes/a.md',
    });
  });

  test('[PERM15] links inside are followed, to a file, a folder, and over other links', async () => {
    await link('Notes/Deep', 'In');
    await link('In', 'In2');
    await link('../a.md', 'Notes/Deep/b.md');
    await link('.', 'All');
    expect(await at('In2')).toEqual({ kind: 'inside', path: 'Notes/Deep' });
    expect(await at('In2/b.md')).toEqual({ kind: 'inside', path: 'Notes/a.md' });
    expect(await at('All')).toEqual({ kind: 'inside', path: '' });
    expect(await resolve('In2/new/c.md')).toMatchObject({ real: 'Notes/Deep/new/c.md' });
  });

  test('[PERM15] links out of the vault, to the root of the disk, to the parent, and beside it by name', async () => {
    await fs.mkdir(join(base, 'vault2'));
    await link(join(base, 'outside'), 'Out');
    await link('/', 'Root');
    await link('..', 'Up');
    await link('../vault2', 'Twin');
    await link('Out', 'Over');
    for (const path of ['Out', 'Out/canary.md', 'Root', 'Up', 'Twin', 'Over/canary.md']) {
      expect([path, await at(path)]).toEqual([path, { kind: 'outside' }]);
    }
    expect(await resolve('Root/etc/passwd')).toMatchObject({ code: 'outside' });
    expect(await resolve('Out/new.md')).toMatchObject({ code: 'outside' });
    expect(await resolve('Up/vault/Notes/a.md')).toMatchObject({ real: 'Notes/a.md' });
  });

  test('[PERM15] links that lead nowhere, and in a circle', async () => {
    await link(join(base, 'outside/new.md'), 'Notes/gone.md');
    await link('Loop2', 'Loop');
    await link('Loop', 'Loop2');
    await link('Self/x', 'Self');
    expect(await at('Notes/gone.md')).toEqual({ kind: 'dangling' });
    for (const path of ['Loop', 'Loop/x', 'Self', 'Self/x']) {
      expect([path, await at(path)]).toEqual([path, { kind: 'dangling' }]);
    }
    expect(await resolve('Loop/x/y.md')).toMatchObject({ ok: false, code: 'outside' });
  });

  test('[PERM15] what is no file is never opened', async () => {
    execFileSync('mkfifo', [join(vault, 'Notes/pipe.md')]);
    expect(await at('Notes/pipe.md')).toEqual({ kind: 'outside' });
    await link('/dev/zero', 'Notes/zero.md');
    expect(await at('Notes/zero.md')).toEqual({ kind: 'outside' });
  });

  test.each(['  two  blanks.md', '$HOME.md', 'a\nb.md', '🧑‍🚀.md', '-rf.md', "it's.md", '...md'])(
    '[PERM15] the name %j is a name like others',
    async (name) => {
      await fs.writeFile(join(vault, name), '');
      expect(await at(name)).toEqual({ kind: 'inside', path: name });
    },
  );

  test('[PERM15] a name in another Unicode form is another file here, and judged by both', async () => {
    const nfd = 'Cafe\u0301.md';
    await fs.writeFile(join(vault, nfd), '');
    expect(await at(nfd)).toEqual({ kind: 'inside', path: nfd });
    await link(nfd, 'Café.md');
    expect(await resolve('Café.md')).toBeInstanceOf(VaultTarget);
  });

  test('[PERM15] [PERM13] a folder that is swapped for a link again and again: never anything outside', async () => {
    await fs.mkdir(join(vault, 'Swap'));
    await fs.writeFile(join(vault, 'Swap/canary.md'), 'inside');
    await fs.symlink(join(base, 'outside'), join(vault, 'Hidden'));
    const swaps = { over: false };
    const swapping = (async () => {
      for (let times = 0; times < 400; times += 1) {
        await fs.rename(join(vault, 'Swap'), join(vault, 'Aside'));
        await fs.rename(join(vault, 'Hidden'), join(vault, 'Swap'));
        await fs.rename(join(vault, 'Swap'), join(vault, 'Hidden'));
        await fs.rename(join(vault, 'Aside'), join(vault, 'Swap'));
      }
      swaps.over = true;
    })();
    const kinds = new Map<string, number>();
    while (!swaps.over) {
      const found = await at('Swap/canary.md');
      kinds.set(found.kind, (kinds.get(found.kind) ?? 0) + 1);
      if (found.kind === 'inside') {
        expect(['Swap/canary.md', 'Aside/canary.md']).toContain(found.path);
      }
    }
    await swapping;
    expect(kinds.get('inside') ?? 0).toBeGreaterThan(0);
    expect([...kinds.keys()].filter((kind) => kind === 'dangling')).toEqual([]);
  });
});
