import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { codeOf, NoteScene, outputOf } from './note-scene';

const ALLOW = [
  { permission: '*', action: 'allow' },
  { permission: 'delete', action: 'deny' },
];
let base: string;
let vault: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'agent-boards-links-'));
  vault = join(base, 'vault');
  for (const folder of ['vault/Notes', 'vault/Spare', 'vault/.git', 'canary/deep'])
    await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'canary/a.md'), 'canary');
  await writeFile(join(base, 'canary/deep/b.md'), 'deep');
  await writeFile(join(vault, 'Notes/a.md'), 'Hi');
  await writeFile(join(vault, '.git/a.md'), 'git');
});
afterEach(() => rm(base, { recursive: true }));

/** The text of everything outside the vault. */
async function canary(): Promise<string> {
  const names = await readdir(join(base, 'canary'), { recursive: true, withFileTypes: true });
  const texts = names.map(async (entry) => {
    const file = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${file}: ${await readFile(file, 'utf8')}` : file;
  });
  return (await Promise.all(texts)).sort().join('\n');
}

function scene(rules: readonly object[] = ALLOW): Promise<NoteScene> {
  const store = new DiskStore(vault);
  return NoteScene.make({ rules, store, realPaths: realPaths(vault) });
}

describe('links of a real folder', () => {
  test('[TOOL25] a file, a folder and a chain that lead out are neither read nor written', async () => {
    await symlink(join(base, 'canary'), join(vault, 'Out'));
    await symlink('Out', join(vault, 'Chain'));
    await symlink(join(base, 'canary/a.md'), join(vault, 'Notes/out.md'));
    await symlink(join(base, 'canary/new.md'), join(vault, 'Notes/new.md'));
    await symlink('/', join(vault, 'Root'));
    const before = await canary();
    const made = await scene();
    for (const path of [
      ...['Out/a.md', 'Out/new.md', 'Out/deep/b.md', 'Chain/a.md', 'Notes/out.md'],
      ...['Notes/new.md', `Root${base}/canary/a.md`, 'Out/../a.md'],
    ]) {
      for (const [tool, args] of [
        ['read', { path }],
        ['write', { path, add: '!' }],
        ['write', { path, add: '!', dryRun: true }],
        ['list', { folder: path, names: [path] }],
      ] as const) {
        const answer = await made.run(tool, args);
        expect([path, tool, answer.ok]).toEqual([path, tool, false]);
      }
      const listed = await made.run('list', { folder: '', names: [path, 'Notes/a.md'] });
      expect(outputOf(listed)).toBe('Notes/a.md');
    }
    expect(await canary()).toBe(before);
  });

  test('[TOOL25] one that leads elsewhere inside is judged by both places, and written there', async () => {
    await symlink('Notes', join(vault, 'Link'));
    await symlink('.git', join(vault, 'Git'));
    const made = await scene();
    expect((await made.run('write', { path: 'Link/a.md', add: '!' })).ok).toBe(true);
    expect(await readFile(join(vault, 'Notes/a.md'), 'utf8')).toBe('Hi!');
    const { intent } = await made.onlyCall();
    expect([intent.path, intent.real]).toEqual(['Link/a.md', 'Notes/a.md']);
    expect(codeOf(await made.run('write', { path: 'Git/a.md', add: '!' }))).toBe('denied');
    expect(await readFile(join(vault, '.git/a.md'), 'utf8')).toBe('git');
  });

  test('[TOOL25] a folder that becomes a link between question and answer is not followed', async () => {
    const before = await canary();
    for (const leads of [join(base, 'canary'), '.git', 'Spare']) {
      const asking = await scene([]);
      const running = asking.run('write', { path: 'Notes/a.md', add: '!' });
      const { requestId } = await asking.nextAsk();
      await rename(join(vault, 'Notes'), join(vault, 'Moved'));
      await symlink(leads, join(vault, 'Notes'));
      asking.asks.answer(requestId, { reply: 'once' });
      expect((await running).ok).toBe(false);
      await rm(join(vault, 'Notes'));
      await rename(join(vault, 'Moved'), join(vault, 'Notes'));
    }
    expect(await canary()).toBe(before);
    expect(await readFile(join(vault, '.git/a.md'), 'utf8')).toBe('git');
    expect(await readdir(join(vault, 'Spare'))).toEqual([]);
  });

  test('[TOOL25] while a folder and a link to the outside change places, nothing outside changes', async () => {
    const before = await canary();
    const made = await scene();
    await symlink(join(base, 'canary'), join(vault, 'Trap'));
    let going = true;
    const swap = async (): Promise<void> => {
      while (going) {
        await rename(join(vault, 'Notes'), join(vault, 'Aside'));
        await rename(join(vault, 'Trap'), join(vault, 'Notes'));
        await rename(join(vault, 'Notes'), join(vault, 'Trap'));
        await rename(join(vault, 'Aside'), join(vault, 'Notes'));
      }
    };
    const swapping = swap();
    const ends = new Set<string>();
    for (let n = 0; n < 60; n += 1) {
      const path = n % 3 === 0 ? `Notes/${n}.md` : 'Notes/a.md';
      ends.add(codeOf(await made.run('write', { path, add: '!' })));
      const answer = await made.run('read', { path: 'Notes/deep/b.md' });
      ends.add(codeOf(answer));
    }
    going = false;
    await swapping;
    expect(await canary()).toBe(before);
    expect([...ends].some((code) => code === 'outside' || code === 'changed')).toBe(true);
  });
});
