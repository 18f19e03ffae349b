import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

const HIDDEN = '.opencode/todos/ses_1/build.md';

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [HIDDEN]: '# Plan\n', 'Projects/a.md': 'a' });
});

afterAll(() => rig.close());

beforeEach(async () => {
  page = await rig.open();
  return () => page.close();
});

const onDisk = (path: string) => readFile(join(rig.vault, path), 'utf8');
const events = () => page.evaluate(() => [...window.fixture.events]);
const told = (event: string) =>
  page.waitForFunction((wanted) => window.fixture.events.includes(wanted), event);
const vaultEvents = async () => (await events()).filter((event) => !event.startsWith('raw'));

describe('hidden folders', () => {
  it('[WB4] are not in the index and not in the explorer, yet the adapter reads them', async () => {
    const found = await page.evaluate(async (path) => {
      const { vault } = window.app;
      return {
        file: vault.getAbstractFileByPath(path),
        folder: vault.getAbstractFileByPath('.opencode'),
        names: vault.getFiles().map((file) => file.path),
        text: await vault.adapter.read(path),
        listed: await vault.adapter.list('.opencode'),
        explorer: document.querySelector('.nav-files-container')?.textContent,
      };
    }, HIDDEN);
    expect(found.file).toBeNull();
    expect(found.folder).toBeNull();
    expect(found.names).toEqual(['Inbox.md', 'Projects/a.md']);
    expect(found.text).toBe('# Plan\n');
    expect(found.listed).toEqual({ files: [], folders: ['.opencode/todos'] });
    expect(found.explorer).toBe('ProjectsaInbox');
  });

  it('[WB4] give no vault event when they change, through the adapter or outside', async () => {
    await page.evaluate(async (path) => {
      await window.app.vault.adapter.write(path, '# Plan\n\n- [ ] one\n');
      await window.app.vault.adapter.mkdir('.opencode/run');
    }, HIDDEN);
    await rig.put('.opencode/todos/ses_2/plan.md', 'x');
    await rig.put('Marker.md', 'after the hidden ones');
    await told('create Marker.md');
    expect(await onDisk(HIDDEN)).toBe('# Plan\n\n- [ ] one\n');
    expect(await vaultEvents()).toEqual(['create Marker.md']);
    await rm(join(rig.vault, 'Marker.md'));
    await told('delete Marker.md');
  });

  it('[WB6] raw is told for a visible folder only', async () => {
    await rig.put('.opencode/todos/ses_1/other.md', 'x');
    await rig.put('.hidden-in-root', 'x');
    await rig.put('Seen.md', 'x');
    await told('raw Seen.md');
    const raw = (await events()).filter((event) => event.startsWith('raw'));
    expect(new Set(raw)).toEqual(new Set(['raw .hidden-in-root', 'raw Seen.md']));
    await rm(join(rig.vault, 'Seen.md'));
    await told('delete Seen.md');
  });
});

describe('visible files', () => {
  it('[WB5] tell an own change once', async () => {
    await page.evaluate(async () => {
      const { vault } = window.app;
      const file = await vault.create('Own.md', 'one');
      await vault.modify(file, 'two and');
      await vault.process(file, (text) => `${text} three`);
      await vault.adapter.write('Through adapter.md', 'x');
    });
    await told('create Through adapter.md');
    await page.evaluate(async () => {
      const file = window.app.vault.getFileByPath('Own.md');
      if (file) await window.app.vault.rename(file, 'Renamed.md');
      if (file) await window.app.vault.delete(file);
    });
    await rig.put('Marker.md', '');
    await told('create Marker.md');
    expect(await vaultEvents()).toEqual([
      'create Own.md',
      'modify Own.md',
      'modify Own.md',
      'create Through adapter.md',
      'rename Renamed.md',
      'delete Renamed.md',
      'create Marker.md',
    ]);
    await rm(join(rig.vault, 'Through adapter.md'));
    await rm(join(rig.vault, 'Marker.md'));
    await told('delete Marker.md');
  });

  it('[WB5] tell a change from outside once, with what stands on disk', async () => {
    await rig.put('New folder/note.md', 'one');
    await told('create New folder/note.md');
    await rig.put('New folder/note.md', 'one, two');
    await told('modify New folder/note.md');
    await rename(join(rig.vault, 'New folder'), join(rig.vault, 'Moved'));
    await told('create Moved/note.md');
    await told('delete New folder');
    await rm(join(rig.vault, 'Moved'), { recursive: true });
    await told('delete Moved');
    const counted = new Map<string, number>();
    for (const event of await vaultEvents()) counted.set(event, (counted.get(event) ?? 0) + 1);
    expect([...counted.entries()].sort()).toEqual([
      ['create Moved', 1],
      ['create Moved/note.md', 1],
      ['create New folder', 1],
      ['create New folder/note.md', 1],
      ['delete Moved', 1],
      ['delete Moved/note.md', 1],
      ['delete New folder', 1],
      ['delete New folder/note.md', 1],
      ['modify New folder/note.md', 1],
    ]);
  });
});

describe('what the app knows about notes', () => {
  it('[WB25] follows what comes, is renamed and goes, and the links of others with it', async () => {
    const told = await page.evaluate(async () => {
      const { vault, metadataCache: cache } = window.app;
      const seen: string[] = [];
      const path = (file: unknown) => (file as { path: string }).path;
      for (const name of ['changed', 'deleted', 'resolve'])
        cache.on(name, (file) => seen.push(`${name} ${path(file)}`));
      cache.on('resolved', () => seen.push('resolved'));
      const source = await vault.create('Links.md', '# Links\n[[Target]]\n');
      const open = { ...cache.unresolvedLinks['Links.md'] };
      const target = await vault.create('Target.md', '#tag\n');
      const found = { ...cache.resolvedLinks['Links.md'] };
      await vault.rename(target, 'Projects/Target.md');
      const followed = { ...cache.resolvedLinks['Links.md'] };
      const moved = cache.getFileCache(target)?.tags?.map(({ tag }) => tag);
      await vault.delete(target);
      const lost = { ...cache.resolvedLinks['Links.md'] };
      const gone = cache.getCache('Projects/Target.md');
      await vault.delete(source);
      return { seen, open, found, followed, moved, lost, gone };
    });
    expect(told).toEqual({
      seen: [
        ...['changed Links.md', 'resolve Links.md', 'resolved'],
        ...['changed Target.md', 'resolve Target.md', 'resolved'],
        ...['resolve Projects/Target.md', 'resolved'],
        ...['deleted Projects/Target.md', 'resolved', 'deleted Links.md', 'resolved'],
      ],
      open: { Target: 1 },
      found: { 'Target.md': 1 },
      followed: { 'Projects/Target.md': 1 },
      moved: ['#tag'],
      lost: {},
      gone: null,
    });
  });
});

describe('the adapter', () => {
  it('[WB7] processes one path step by step, each on what the last one wrote', async () => {
    await page.evaluate(async () => {
      const { adapter } = window.app.vault;
      await adapter.write('.opencode/count', '0');
      const add = () => adapter.process('.opencode/count', (text) => String(Number(text) + 1));
      await Promise.all(Array.from({ length: 50 }, add));
    });
    expect(await onDisk('.opencode/count')).toBe('50');
  });

  it('[WB20] keeps bytes that text readers like to drop', async () => {
    const text = '\uFEFFone\r\n\u0000two\u2028🧪';
    await writeFile(join(rig.vault, '.opencode/odd.md'), text);
    const read = await page.evaluate(async () => {
      const { adapter } = window.app.vault;
      const found = await adapter.read('.opencode/odd.md');
      await adapter.write('.opencode/odd copy.md', found);
      await adapter.append('.opencode/odd copy.md', '!');
      return found;
    });
    expect(read).toBe(text);
    expect(await onDisk('.opencode/odd copy.md')).toBe(`${text}!`);
  });

  it('[WB20] fails with the code of Node, and on a destination that exists', async () => {
    const codes = await page.evaluate(async () => {
      const { adapter } = window.app.vault;
      const code = (failing: Promise<unknown>) =>
        failing.then(
          () => 'done',
          (error: Error & { code?: string }) => error.code,
        );
      return {
        read: await code(adapter.read('.opencode/none.md')),
        write: await code(adapter.write('.none/none.md', 'x')),
        list: await code(adapter.list('.none')),
        rename: await code(adapter.rename('Inbox.md', 'Projects/a.md')),
        stat: await adapter.stat('.none'),
        exists: await adapter.exists('.none'),
        trash: await adapter.trashSystem('Inbox.md'),
      };
    });
    expect(codes).toEqual({
      read: 'ENOENT',
      write: 'ENOENT',
      list: 'ENOENT',
      rename: 'EEXIST',
      stat: null,
      exists: false,
      trash: false,
    });
  });

  it('[WB20] trashes into the vault, under a free name', async () => {
    await rig.put('.opencode/gone.md', 'first');
    await page.evaluate(() => window.app.vault.adapter.trashLocal('.opencode/gone.md'));
    await rig.put('.opencode/gone.md', 'second');
    await page.evaluate(() => window.app.vault.adapter.trashLocal('.opencode/gone.md'));
    expect(await onDisk('.trash/gone.md')).toBe('first');
    expect(await onDisk('.trash/2 gone.md')).toBe('second');
  });
});
