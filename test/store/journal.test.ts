import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  JOURNAL_FOLDER,
  journalPath,
  KEPT_FOLDER,
  writeEntry,
  type KeptText,
} from '../../src/core/board/journal';
import { DiskStore, noteKey } from '../../src/node/disk-store';
import { vaultKey } from '../../src/obsidian/adapter/vault-files';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { MemoryAdapter } from '../obsidian/memory-adapter';

const NOTE = 'n/Plan é.md';
const BEFORE = '# Plan\n\n- [ ] one\n- [ ] two\n';
const AFTER = '# Plan\n\n- [x] one é\n- [ ] two\n- [ ] three\n';

/** A store over the files that a crash left: a journal entry, and a note with these bytes. */
interface Left {
  readonly kept: KeptText[];
  /** @param note undefined: no note */
  leave(note: string | Uint8Array | undefined, before?: string, later?: number): Promise<void>;
  /** Uses the note for the first time after the crash. */
  meet(): Promise<string | undefined>;
  text(path: string): Promise<string | undefined>;
  entries(): Promise<readonly string[]>;
}

const bytesOf = (note: string | Uint8Array): Uint8Array =>
  typeof note === 'string' ? new TextEncoder().encode(note) : note;

async function onDisk(root: string): Promise<Left> {
  const kept: KeptText[] = [];
  const put = async (path: string, bytes: Uint8Array, time: Date) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
    await utimes(join(root, path), time, time);
  };
  return Promise.resolve({
    kept,
    async leave(note, before = BEFORE, later = 0) {
      const now = Date.now() - 600_000;
      const entry = writeEntry(NOTE, before, AFTER);
      await put(journalPath(noteKey(NOTE)), bytesOf(entry), new Date(now));
      if (note !== undefined) await put(NOTE, bytesOf(note), new Date(now + later));
    },
    meet: () => new DiskStore(root, { onKept: (one) => kept.push(one) }).read(NOTE),
    text: (path) => readFile(join(root, path), 'utf8').catch(() => undefined),
    entries: async () => (await readdir(join(root, JOURNAL_FOLDER))).filter(isEntry),
  });
}

async function inVault(): Promise<Left> {
  const kept: KeptText[] = [];
  const adapter = new MemoryAdapter();
  return Promise.resolve({
    kept,
    leave(note, before = BEFORE, later = 0) {
      adapter.put(journalPath(noteKey(NOTE)), bytesOf(writeEntry(NOTE, before, AFTER)));
      if (note !== undefined) adapter.put(NOTE, bytesOf(note));
      adapter.pass(NOTE, later);
      return Promise.resolve();
    },
    async meet() {
      const store = new VaultStore(adapter, { onKept: (one) => kept.push(one) });
      expect(await store.recover()).toEqual([]);
      return store.read(NOTE);
    },
    text: (path) => {
      const bytes = adapter.bytes.get(path);
      return Promise.resolve(bytes && new TextDecoder().decode(bytes));
    },
    entries: () => Promise.resolve([...adapter.bytes.keys()].filter((path) => isEntry(path))),
  });
}

function isEntry(name: string): boolean {
  return name.endsWith('.json');
}

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'atb-journal-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe.each([
  ['on disk', () => onDisk(root)],
  ["in a vault's adapter", () => inVault()],
])('a write that a crash broke off, %s', (_, open) => {
  test('[STORE30] is done where the note is as it was before', async () => {
    const left = await open();
    await left.leave(BEFORE);
    expect(await left.meet()).toBe(AFTER);
    expect(await left.entries()).toEqual([]);
  });

  test('[STORE30] is done where the note is cut at any byte, empty or gone', async () => {
    const bytes = bytesOf(AFTER);
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const left = await open();
      await left.leave(bytes.slice(0, cut));
      expect(await left.meet()).toBe(AFTER);
      expect(left.kept).toEqual([]);
    }
    const left = await open();
    await rm(join(root, NOTE), { force: true });
    await left.leave(undefined);
    expect(await left.meet()).toBe(AFTER);
  });

  test('[STORE30] is done where the new text was written over the old up to any byte', async () => {
    const [old, wanted] = [bytesOf(BEFORE), bytesOf(AFTER)];
    for (let cut = 1; cut < old.length; cut += 1) {
      const left = await open();
      await left.leave(new Uint8Array([...wanted.slice(0, cut), ...old.slice(cut)]));
      expect(await left.meet()).toBe(AFTER);
    }
  });

  test('[STORE31] changes nothing that was written since; its text is kept, and told', async () => {
    const left = await open();
    const mine = '# Plan\n\n- [ ] one, said differently\n';
    await left.leave(mine);
    expect(await left.meet()).toBe(mine);
    const kept = `${KEPT_FOLDER}/Plan é 1.md`;
    expect(left.kept).toEqual([{ note: NOTE, kept }]);
    expect(await left.text(kept)).toBe(AFTER);
    expect(await left.entries()).toEqual([]);
    await left.leave(mine);
    await left.meet();
    expect(left.kept[1]?.kept).toBe(kept);
  });

  test('[STORE31] leaves a note alone that was cut by a person, a minute and more later', async () => {
    const left = await open();
    await left.leave(AFTER.slice(0, 20), BEFORE, 61_000);
    expect(await left.meet()).toBe(AFTER.slice(0, 20));
    expect(left.kept).toHaveLength(1);
    const back = await open();
    await back.leave(BEFORE, BEFORE, 61_000);
    expect(await back.meet()).toBe(BEFORE);
    expect(back.kept).toHaveLength(1);
  });

  test('[STORE31] is over where the note has it, alone or with more', async () => {
    for (const now of [AFTER, AFTER.replace('# Plan', '# Typed since'), `${AFTER}- four\n`]) {
      const left = await open();
      await left.leave(now);
      expect(await left.meet()).toBe(now);
      expect(left.kept).toEqual([]);
      expect(await left.entries()).toEqual([]);
    }
  });
});

describe('the journal', () => {
  test('[STORE32] names its entries the same in the app and outside', async () => {
    for (const path of [NOTE, 'N/PLAN É.md', 'n/Plan e\u0301.md', '.opencode/todos/s/a-tasks.md']) {
      expect(await vaultKey(path)).toBe(noteKey(path));
    }
    expect(noteKey('n/Plan É.md')).toBe(noteKey('n/plan e\u0301.md'));
  });

  test('[STORE32] an entry that was cut itself is none, and goes', async () => {
    const adapter = new MemoryAdapter();
    adapter.put(NOTE, bytesOf(BEFORE));
    const entry = writeEntry(NOTE, BEFORE, AFTER);
    adapter.put(journalPath(noteKey(NOTE)), bytesOf(entry.slice(0, entry.length / 2)));
    const store = new VaultStore(adapter);
    expect(await store.recover()).toEqual([]);
    expect(await store.read(NOTE)).toBe(BEFORE);
    expect([...adapter.bytes.keys()]).toEqual([NOTE]);
  });

  test('[STORE32] an entry of another note than its name says writes nothing', async () => {
    const key = noteKey('other.md');
    await mkdir(join(root, JOURNAL_FOLDER), { recursive: true });
    await writeFile(join(root, journalPath(key)), writeEntry('../out.md', undefined, 'out'));
    await writeFile(join(root, 'other.md'), 'mine');
    expect(await new DiskStore(root).read('other.md')).toBe('mine');
    expect(await readdir(root)).toEqual(['.opencode', 'other.md']);
  });

  test('[STORE32] an entry that leads out of the vault, or into the app’s own folder, writes nothing', async () => {
    for (const path of [
      '../../out.md',
      '/etc/out',
      'C:/out.md',
      '.obsidian/app.json',
      'a/.git/x',
    ]) {
      const adapter = new MemoryAdapter();
      adapter.put(journalPath(noteKey(path)), bytesOf(writeEntry(path, undefined, 'out')));
      const before = [...adapter.bytes.keys()];
      expect(await new VaultStore(adapter).recover()).toEqual([]);
      expect([...adapter.bytes.keys()]).toEqual(before);
    }
  });

  test('[STORE32] a file in its folder that is no entry by its name is left alone', async () => {
    const adapter = new MemoryAdapter();
    adapter.put(`${JOURNAL_FOLDER}/my notes.json`, bytesOf('mine'));
    expect(await new VaultStore(adapter).recover()).toEqual([]);
    expect([...adapter.bytes.keys()]).toEqual([`${JOURNAL_FOLDER}/my notes.json`]);
  });

  test('[STORE33] a write stands in the journal before the note is touched, and not after', async () => {
    const adapter = new MemoryAdapter();
    adapter.put(NOTE, bytesOf(BEFORE));
    let during: string | undefined;
    adapter.before = () => {
      const bytes = adapter.bytes.get(journalPath(noteKey(NOTE)));
      during = bytes && new TextDecoder().decode(bytes);
    };
    await new VaultStore(adapter).update(NOTE, () => AFTER);
    expect(during).toBe(writeEntry(NOTE, BEFORE, AFTER));
    expect([...adapter.bytes.keys()].filter(isEntry)).toEqual([]);
  });

  test('[STORE33] an edit to which another program adds at once, before it is read back, is made once', async () => {
    const adapter = new MemoryAdapter();
    adapter.put(NOTE, bytesOf(BEFORE));
    const process = adapter.process.bind(adapter);
    adapter.process = (path, edit) =>
      process(path, edit).finally(() => adapter.put(path, bytesOf(`${BEFORE}three\nbeside\n`)));
    const store = new VaultStore(adapter);
    await store.update(NOTE, (text) => `${text ?? ''}three\n`);
    expect(await store.read(NOTE)).toBe(`${BEFORE}three\nbeside\n`);
  });

  test('[STORE33] a write that is claimed and not done is done again, or refused', async () => {
    const adapter = new MemoryAdapter();
    adapter.put(NOTE, bytesOf(BEFORE));
    const process = adapter.process.bind(adapter);
    let loses = 1;
    adapter.process = (path, edit) =>
      (loses -= 1) >= 0 ? Promise.resolve(edit(BEFORE)) : process(path, edit);
    expect(await new VaultStore(adapter).update(NOTE, () => AFTER)).toBe(AFTER);
    adapter.put(NOTE, bytesOf(BEFORE));
    loses = Infinity;
    const writing = new VaultStore(adapter).update(NOTE, () => AFTER);
    await expect(writing).rejects.toMatchObject({ code: 'io' });
    expect(new TextDecoder().decode(adapter.bytes.get(NOTE))).toBe(BEFORE);
  });
});
