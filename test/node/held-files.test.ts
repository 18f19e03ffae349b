import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HandleFiles, handleFiles } from '../../src/node/handle-files';
import { FileLocator, supportsHandlePaths } from '../../src/node/file-locator';
import { isMissing } from '../../src/node/store-error';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { noteStoreContract } from '../store/note-store-contract';

/** Text of a file outside the vault. */
const SECRET = 'outsider told7f3a\n';

if (supportsHandlePaths()) {
  noteStoreContract("the app's files through held folders", async () => {
    const root = await mkdtemp(join(tmpdir(), 'atb-held-'));
    return {
      store: new VaultStore(new HandleFiles(root)),
      put: async (path, bytes) => {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), bytes);
      },
      bytes: async (path) => {
        const found = await readFile(join(root, path)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          return undefined;
        });
        return found && new Uint8Array(found);
      },
      dispose: () => rm(root, { recursive: true }),
    };
  });
}

describe.runIf(supportsHandlePaths())('files through held folders', () => {
  let base = '';
  let vault = '';
  let files: HandleFiles;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'atb-held-'));
    vault = join(base, 'vault');
    await mkdir(join(vault, 'Notes/deep'), { recursive: true });
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside/a.md'), SECRET);
    await writeFile(join(vault, 'Notes/a.md'), 'Hi\n');
    files = new HandleFiles(vault);
  });
  afterEach(() => rm(base, { recursive: true }));

  const at = (path: string): string => join(vault, path);
  const text = (path: string): Promise<string> => readFile(at(path), 'utf8');
  const read = async (path: string): Promise<string> =>
    new TextDecoder().decode(await files.readBinary(path));

  /** Each method called on a path, as a file and as a folder. */
  const calls = (path: string): Readonly<Record<string, () => Promise<unknown>>> => ({
    exists: () => files.exists(path),
    stat: () => files.stat(path),
    readBinary: () => files.readBinary(path),
    write: () => files.write(path, 'x'),
    append: () => files.append(path, 'x'),
    process: () => files.process(path, () => 'x'),
    remove: () => files.remove(path),
    mkdir: () => files.mkdir(path),
    list: () => files.list(path),
  });

  test('[STORE41] a link that leads out of the vault, or nowhere, is refused by every method, reads too', async () => {
    await symlink(join(base, 'outside'), at('Out'));
    await symlink(join(base, 'outside/a.md'), at('Notes/out.md'));
    await symlink(join(base, 'nowhere'), at('Notes/none.md'));
    for (const path of ['Out/a.md', 'Out/new/b.md', 'Notes/out.md', 'Notes/none.md']) {
      for (const [name, call] of Object.entries(calls(path))) {
        await expect(call(), `${name} ${path}`).rejects.toMatchObject({ code: 'denied' });
      }
    }
    await expect(files.list('Out')).rejects.toMatchObject({ code: 'denied' });
    expect(await readdir(join(base, 'outside'))).toEqual(['a.md']);
    expect(await readFile(join(base, 'outside/a.md'), 'utf8')).toBe(SECRET);
    expect(await readdir(base)).toEqual(['outside', 'vault']);
    expect(await files.list('Notes')).toEqual({ files: ['Notes/a.md'], folders: ['Notes/deep'] });
  });

  test('[STORE41] a link inside the vault is followed, and stays a link', async () => {
    await symlink('Notes', at('Link'));
    await symlink('a.md', at('Notes/b.md'));
    expect(await read('Link/b.md')).toBe('Hi\n');
    await files.process('Link/b.md', (now) => `${now}process\n`);
    await files.append('Notes/b.md', 'append\n');
    await files.write('Link/c.md', 'new\n');
    await files.mkdir('Link/more/yet');
    expect(await text('Notes/a.md')).toBe('Hi\nprocess\nappend\n');
    expect(await text('Notes/c.md')).toBe('new\n');
    expect((await stat(at('Notes/more/yet'))).isDirectory()).toBe(true);
    expect([await readlink(at('Link')), await readlink(at('Notes/b.md'))]).toEqual([
      'Notes',
      'a.md',
    ]);
    expect(await files.list('Link')).toEqual({
      files: ['Link/a.md', 'Link/b.md', 'Link/c.md'],
      folders: ['Link/deep', 'Link/more'],
    });
  });

  test('[STORE41] it writes in place, as the adapter does: shorter, longer, empty, new, at the end', async () => {
    const { ino } = await lstat(at('Notes/a.md'));
    for (const next of ['longer than before\n', 'é\n', '', '\uFEFFmark\r\n']) {
      const before = await text('Notes/a.md');
      const told: string[] = [];
      expect(await files.process('Notes/a.md', (now) => (told.push(now), next))).toBe(next);
      expect(told).toEqual([before]);
      expect(await text('Notes/a.md')).toBe(next);
      await files.write('Notes/a.md', `${next}${next}`);
      expect(await text('Notes/a.md')).toBe(`${next}${next}`);
      await files.append('Notes/a.md', next);
      expect(await text('Notes/a.md')).toBe(`${next}${next}${next}`);
    }
    expect((await lstat(at('Notes/a.md'))).ino).toBe(ino);
    await files.append('Notes/new.md', 'x');
    expect(await text('Notes/new.md')).toBe('x');
  });

  test('[STORE48] a pipe or a folder in the place of a file is named, with what to do', async () => {
    execFileSync('mkfifo', [at('Notes/pipe.md')]);
    for (const [path, what] of [
      ['Notes/pipe.md', 'a pipe'],
      ['Notes/deep', 'a folder'],
    ] as const) {
      const { readBinary, write, append, process } = calls(path);
      for (const call of [readBinary, write, append, process]) {
        await expect(call?.()).rejects.toMatchObject({
          code: 'io',
          message: `${path} is ${what}, where a file has to be. Move it away or remove it, then try again.`,
        });
      }
    }
  });

  test('[STORE47] what a program adds while an edit is made stays, and the edit is made on it', async () => {
    const file = join(vault, 'Notes/a.md');
    const added = ['typed\n', 'again\n'];
    const edit = (now: string): string => {
      const line = added.shift();
      if (line !== undefined) appendFileSync(file, line);
      return `ours\n${now}`;
    };
    expect(await files.process('Notes/a.md', edit)).toBe('ours\nHi\ntyped\nagain\n');
    expect(await readFile(file, 'utf8')).toBe('ours\nHi\ntyped\nagain\n');
  });

  test('[STORE41] what the edit of a text throws passes through, and nothing is written', async () => {
    const fault = new RangeError('edit');
    const edit = (): string => {
      throw fault;
    };
    await expect(files.process('Notes/a.md', edit)).rejects.toBe(fault);
    expect(await text('Notes/a.md')).toBe('Hi\n');
  });

  test('[STORE41] it tells what stands, in the words of the adapter', async () => {
    const { mtimeMs, size } = await stat(at('Notes/a.md'));
    expect(await files.stat('Notes/a.md')).toMatchObject({
      ...{ type: 'file', mtime: Math.round(mtimeMs), size },
    });
    expect(await files.stat('Notes')).toMatchObject({ type: 'folder' });
    expect(await files.stat('Notes/none.md')).toBeNull();
    expect(await files.stat('None/none.md')).toBeNull();
    expect([await files.exists('Notes'), await files.exists('None/none.md')]).toEqual([
      true,
      false,
    ]);
    expect(await files.list('None')).toEqual({ files: [], folders: [] });
    await files.mkdir('Notes/deep');
    await files.remove('Notes/a.md');
    expect(await readdir(at('Notes'))).toEqual(['deep']);
    const missing = { code: 'io' };
    for (const path of ['Notes/a.md', 'None/none.md']) {
      await expect(files.readBinary(path)).rejects.toMatchObject(missing);
      await expect(files.remove(path)).rejects.toMatchObject(missing);
      await expect(files.process(path, (now) => now)).rejects.toMatchObject(missing);
    }
    await expect(files.write('None/none.md', 'x')).rejects.toMatchObject(missing);
    await expect(files.mkdir('Notes/deep/a.md/b')).resolves.toBeUndefined();
  });

  test('[STORE41] a pipe is nothing to read, and is not waited for', async () => {
    execFileSync('mkfifo', [at('Notes/pipe.md')]);
    expect(await files.stat('Notes/pipe.md')).toBeNull();
    expect(await files.exists('Notes/pipe.md')).toBe(true);
    await expect(files.write('Notes/pipe.md', 'x')).rejects.toMatchObject({ code: 'io' });
    expect(await new VaultStore(files).read('Notes/pipe.md')).toBeUndefined();
  });
});

test('[STORE39] a folder in which the file can not be looked at is closed again', async () => {
  let closed = 0;
  // No system call takes a NUL.
  const open = () => 'none' as const;
  const folder = { at: '/\0', open, check: () => undefined };
  const locator = new FileLocator('/', () => ({ ...folder, close: () => void (closed += 1) }));
  await expect(locator.file('a.md', () => undefined)).rejects.toThrow('null bytes');
  expect(closed).toBe(1);
});

test('[STORE41] they are there on Linux, and only there', () => {
  expect(handleFiles(tmpdir()) !== undefined).toBe(process.platform === 'linux');
});
