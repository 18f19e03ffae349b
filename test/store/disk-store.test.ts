import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DiskStore } from '../../src/node/disk-store';
import { replaceIfUnchanged, temporaryPath } from '../../src/node/whole-file';
import { noteStoreContract, type StoreUnderTest } from './note-store-contract';

const roots: string[] = [];

async function freshRoot(): Promise<string> {
  const root = await fs.mkdtemp(join(tmpdir(), 'atb-disk-'));
  roots.push(root);
  return root;
}

afterAll(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true, force: true });
});

const opened = async (): Promise<StoreUnderTest> => {
  const root = await freshRoot();
  return {
    store: new DiskStore(root),
    async put(path, bytes) {
      await fs.mkdir(dirname(join(root, path)), { recursive: true });
      await fs.writeFile(join(root, path), bytes);
    },
    async bytes(path) {
      const found = await fs.readFile(join(root, path)).catch(() => undefined);
      return found && new Uint8Array(found);
    },
    dispose: () => Promise.resolve(),
  };
};

noteStoreContract('disk', opened, { rawBytes: true, appends: true });

describe('DiskStore', () => {
  test('[STORE14] a note keeps its permissions', async () => {
    const root = await freshRoot();
    await fs.writeFile(join(root, 'a.md'), 'one');
    await fs.chmod(join(root, 'a.md'), 0o640);
    await new DiskStore(root).update('a.md', () => 'two');
    expect((await fs.stat(join(root, 'a.md'))).mode & 0o777).toBe(0o640);
  });

  test('[STORE28] a link inside the vault is listed as what it leads to, others are not', async () => {
    const root = await freshRoot();
    const outside = await freshRoot();
    await fs.mkdir(join(root, 'real'));
    await fs.writeFile(join(root, 'real/a.md'), 'a');
    await fs.mkdir(join(root, 'list'));
    await fs.symlink('../real', join(root, 'list/folder'));
    await fs.symlink('../real/a.md', join(root, 'list/note.md'));
    await fs.symlink(outside, join(root, 'list/out'));
    await fs.symlink('nowhere', join(root, 'list/nowhere'));
    await fs.symlink('round', join(root, 'list/round'));
    expect(await new DiskStore(root).list('list')).toEqual([
      { name: 'folder', kind: 'folder' },
      { name: 'note.md', kind: 'file' },
    ]);
  });

  test('[STORE38] what the programs remember and only grows is added to; else, and where the file was cut, it is written whole', async () => {
    const root = await freshRoot();
    const path = '.opencode/agent-task-boards/history/s/a.jsonl';
    const store = new DiskStore(root);
    const add = (line: string) => store.update(path, (text) => `${text ?? ''}${line}\n`);
    await add('{"one": 1}');
    const { ino } = await fs.stat(join(root, path));
    await add('{"two": 2}');
    expect((await fs.stat(join(root, path))).ino).toBe(ino);
    expect(await store.read(path)).toBe('{"one": 1}\n{"two": 2}\n');
    await store.update(path, () => '{"two": 2}\n');
    expect((await fs.stat(join(root, path))).ino).not.toBe(ino);
    expect(await store.read(path)).toBe('{"two": 2}\n');
    const note = 'n/a.md';
    await store.update(note, () => 'one\n');
    const before = await fs.stat(join(root, note));
    await store.update(note, (text) => `${text ?? ''}two\n`);
    expect((await fs.stat(join(root, note))).ino).not.toBe(before.ino);
  });

  test('[STORE26] what an editor saves while a write is under way stays, and the edit is made on it', async () => {
    const root = await freshRoot();
    const file = join(root, 'a.md');
    writeFileSync(file, 'one\n');
    const saves = [
      () => writeFileSync(file, `${readFileSync(file, 'utf8')}typed\n`),
      () => {
        writeFileSync(`${file}.draft`, `${readFileSync(file, 'utf8')}saved\n`);
        renameSync(`${file}.draft`, file);
      },
    ];
    const edit = (text: string | undefined): string => {
      saves.shift()?.();
      return `${text ?? ''}ours\n`;
    };
    expect(await new DiskStore(root).update('a.md', edit)).toBe('one\ntyped\nsaved\nours\n');
    expect(readFileSync(file, 'utf8')).toBe('one\ntyped\nsaved\nours\n');
    expect(saves).toEqual([]);
  });

  test('[STORE26] a note that is made or removed while a write is under way is seen', async () => {
    const root = await freshRoot();
    const file = join(root, 'a.md');
    const store = new DiskStore(root);
    const seen: (string | undefined)[] = [];
    const events = [() => writeFileSync(file, 'made'), () => rmSync(file)];
    await store.update('a.md', (text) => {
      seen.push(text);
      events.shift()?.();
      return `${text ?? 'none'}, ours`;
    });
    expect(seen).toEqual([undefined, 'made', undefined]);
    expect(readFileSync(file, 'utf8')).toBe('none, ours');
  });

  test('[STORE26] a note that has come to be there since it was looked for is not written over', async () => {
    const file = join(await freshRoot(), 'a.md');
    writeFileSync(file, 'theirs');
    const replacement = { before: undefined, after: 'ours', lasting: true };
    expect(await replaceIfUnchanged(file, 'a.md', replacement)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(await fs.readdir(dirname(file))).toEqual(['a.md']);
  });

  test('[STORE49] where its folder is moved away or removed meanwhile, a write fails, and says so', async () => {
    const ways = [
      (folder: string) => renameSync(folder, `${folder}-trash`),
      (folder: string) => rmSync(folder, { recursive: true }),
      (folder: string) => {
        renameSync(folder, `${folder}-trash`);
        mkdirSync(folder);
        writeFileSync(join(folder, 'a.md'), 'of another program\n');
      },
    ];
    for (const way of ways) {
      const root = await freshRoot();
      const store = new DiskStore(root);
      await store.update('s1/a.md', () => 'one\n');
      const writing = store.update('s1/a.md', (text) => {
        way(join(root, 's1'));
        return `${text ?? ''}ours\n`;
      });
      await expect(writing).rejects.toMatchObject({
        code: 'io',
        message:
          's1/a.md: its folder was moved or removed meanwhile, so nothing was saved. Try again.',
      });
    }
  });

  test('[STORE27] a note that is empty for a moment while an editor saves it is not taken for empty', async () => {
    const root = await freshRoot();
    const file = join(root, 'a.md');
    writeFileSync(file, 'one\n');
    const seen: (string | undefined)[] = [];
    await new DiskStore(root).update('a.md', (text) => {
      seen.push(text);
      if (seen.length > 1) return `${text ?? ''}ours\n`;
      writeFileSync(file, '');
      setTimeout(() => writeFileSync(file, 'one\ntyped\n'), 8);
      return 'one\nours\n';
    });
    expect(seen).toEqual(['one\n', 'one\ntyped\n']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntyped\nours\n');
  });

  test('[STORE26] a note that changes all the time is busy, and no temporary file stays', async () => {
    const root = await freshRoot();
    const file = join(root, 'a.md');
    let count = 0;
    const writing = new DiskStore(root).update('a.md', () => {
      writeFileSync(file, `typed ${(count += 1)}`);
      return 'ours';
    });
    await expect(writing).rejects.toMatchObject({ code: 'busy' });
    expect(readFileSync(file, 'utf8')).toBe(`typed ${count}`);
    expect((await fs.readdir(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('[STORE15] a link that leads out of the vault is refused, for files and folders, and what it names stays', async () => {
    const root = await freshRoot();
    const outside = await freshRoot();
    await fs.writeFile(join(outside, 'canary.md'), 'canary');
    await fs.symlink(join(outside, 'canary.md'), join(root, 'link.md'));
    await fs.symlink(outside, join(root, 'folder'));
    const store = new DiskStore(root);
    for (const path of ['link.md', 'folder/canary.md', 'folder/new/deep.md']) {
      await expect(store.read(path)).rejects.toMatchObject({ code: 'denied' });
      await expect(store.update(path, () => 'x')).rejects.toMatchObject({ code: 'denied' });
      await expect(store.remove(path)).rejects.toMatchObject({ code: 'denied' });
    }
    await expect(store.list('folder')).rejects.toMatchObject({ code: 'denied' });
    expect(await fs.readdir(outside)).toEqual(['canary.md']);
    expect(await fs.readFile(join(outside, 'canary.md'), 'utf8')).toBe('canary');
  });

  test('[STORE15] a link inside the vault is followed and stays a link', async () => {
    const root = await freshRoot();
    await fs.mkdir(join(root, 'sub'));
    await fs.symlink('sub', join(root, 'folder'));
    for (const real of ['real.md', 'sub/real.md']) {
      await fs.writeFile(join(root, real), 'one');
      await fs.rm(join(root, 'link.md'), { force: true });
      await fs.symlink(real, join(root, 'link.md'));
      await new DiskStore(root).update('link.md', (text) => `${text ?? ''} two`);
      expect(await fs.readFile(join(root, real), 'utf8')).toBe('one two');
      expect((await fs.lstat(join(root, 'link.md'))).isSymbolicLink()).toBe(true);
    }
    await new DiskStore(root).update('folder/real.md', (text) => `${text ?? ''} three`);
    expect(await fs.readFile(join(root, 'sub/real.md'), 'utf8')).toBe('one two three');
  });

  test('[STORE16] temporary files left by a dead process are not listed, and go with the next write', async () => {
    const root = await freshRoot();
    await new DiskStore(root).update('n/a.md', () => 'one');
    await fs.writeFile(temporaryPath(join(root, 'n/a.md')), 'torn');
    await fs.writeFile(join(root, 'n', '.atb-mine.tmp'), 'of a person');
    const store = new DiskStore(root);
    expect((await store.list('n')).map(({ name }) => name)).toEqual(['.atb-mine.tmp', 'a.md']);
    await store.update('n/a.md', () => 'two');
    expect((await fs.readdir(join(root, 'n'))).sort()).toEqual(['.atb-mine.tmp', 'a.md']);
  });

  test('[STORE17] a write that fails says why by its code, leaves the old text and no temporary file', async () => {
    const root = await freshRoot();
    await fs.mkdir(join(root, 'n/a.md'), { recursive: true });
    await expect(new DiskStore(root).update('n/a.md', () => 'x')).rejects.toMatchObject({
      name: 'StoreError',
      code: 'io',
    });
    expect(await fs.readdir(join(root, 'n'))).toEqual(['a.md']);
  });
});
