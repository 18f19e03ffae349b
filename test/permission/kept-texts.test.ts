import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { DiskStore } from '../../src/node/disk-store';
import { MemoryStore } from '../store/memory-store';
import { AuditFolder, sha256 } from './audit-folder';

let store: MemoryStore;
let folder: AuditFolder;

beforeEach(() => {
  store = new MemoryStore();
  folder = new AuditFolder();
});

function texts(limits?: { largest: number; all: number }): NoteTextStore {
  const deps = { store, clock: folder.clock, digest: sha256, folder: 'kept' };
  return new NoteTextStore({ ...deps, ...(limits && { limits }) });
}

describe('texts that are kept to undo a change', () => {
  test('[AUD24] stand once a month under their hash, and come back byte for byte', async () => {
    const text = '\ufeffa\r\nb\u0000\u202e';
    const kept = texts();
    const hash = await kept.keep(text);
    expect(hash).toBe(await sha256(text));
    await kept.keep(text);
    expect([...store.files.keys()]).toEqual([`kept/2026-11/${hash}`]);
    expect(await texts().read(hash)).toBe(text);
    expect(await kept.read('0'.repeat(64))).toBeUndefined();
  });

  test('[AUD24] one that was changed is none, and is put right when it is kept again', async () => {
    const kept = texts();
    const hash = await kept.keep('text');
    store.put(`kept/2026-11/${hash}`, 'other');
    expect(await kept.read(hash)).toBeUndefined();
    await kept.keep('text');
    expect(await kept.read(hash)).toBe('text');
  });

  test('[AUD24] one that is no text any more is put right as well', async () => {
    const vault = await mkdtemp(join(tmpdir(), 'agent-boards-kept-'));
    const deps = { clock: folder.clock, digest: sha256, folder: 'kept' };
    const kept = new NoteTextStore({ ...deps, store: new DiskStore(vault) });
    const hash = await kept.keep('text');
    await writeFile(join(vault, 'kept/2026-11', hash), new Uint8Array([0xff]));
    expect(await kept.read(hash)).toBeUndefined();
    await kept.keep('text');
    expect(await kept.read(hash)).toBe('text');
    await rm(vault, { recursive: true });
  });

  test('[AUD24] go with their month, unless a later one has them too', async () => {
    const kept = texts();
    const [both, old] = [await kept.keep('both'), await kept.keep('old')];
    folder.date = '2026-12-03';
    await kept.keep('both');
    store.put('kept/2026-11/notes.txt', 'of the person');
    await kept.keepFrom('2026-12');
    expect(await kept.read(both)).toBe('both');
    expect(await kept.read(old)).toBeUndefined();
    expect([...store.files.keys()].sort()).toEqual([
      'kept/2026-11/notes.txt',
      `kept/2026-12/${both}`,
    ]);
  });

  test('[AUD24] never take more than their share: the oldest go, the one that came last stays', async () => {
    const kept = texts({ largest: 100, all: 250 });
    const hashes: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      hashes.push(await kept.keep(`${at}`.padEnd(90, 'x')));
      const sizes = [...store.files.values()].map(({ text }) => text.length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(250);
      expect(await kept.read(hashes.at(-1) ?? '')).toBeDefined();
    }
    expect(await kept.read(hashes[0] ?? '')).toBeUndefined();
    const large = await kept.keep('y'.repeat(101));
    expect(large).toBe(await sha256('y'.repeat(101)));
    expect(await kept.read(large)).toBeUndefined();
  });

  test('[AUD24] the one that came last stays also where times of files say nothing', async () => {
    const stat = async (path: string) => {
      const found = await store.stat(path);
      return found && { ...found, mtime: 0 };
    };
    const still = Object.assign(Object.create(store) as MemoryStore, { stat });
    const deps = { store: still, clock: folder.clock, digest: sha256, folder: 'kept' };
    const kept = new NoteTextStore({ ...deps, limits: { largest: 100, all: 250 } });
    for (let at = 0; at < 12; at += 1) {
      const hash = await kept.keep(`${at}`.padEnd(90, 'x'));
      expect(await kept.read(hash)).toBeDefined();
    }
  });
});
