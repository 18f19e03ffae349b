import { describe, expect, test } from 'vitest';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { noteStoreContract } from '../store/note-store-contract';
import { MemoryAdapter } from './memory-adapter';

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

for (const hidesMark of [false, true]) {
  const name = `a vault's adapter${hidesMark ? ' that hides the byte order mark' : ''}`;
  noteStoreContract(name, () => {
    const adapter = new MemoryAdapter();
    adapter.hidesMark = hidesMark;
    return Promise.resolve({
      store: new VaultStore(adapter),
      put: (path, bytes) => Promise.resolve(adapter.put(path, bytes)),
      bytes: (path) => Promise.resolve(adapter.bytes.get(path)),
      dispose: () => Promise.resolve(),
    });
  });
}

describe('VaultStore', () => {
  test('[PLUGIN1] what another program writes between reading and writing is not lost', async () => {
    const adapter = new MemoryAdapter();
    const store = new VaultStore(adapter);
    adapter.put('a.md', utf8('one'));
    adapter.before = () => adapter.put('a.md', utf8('foreign'));
    expect(await store.update('a.md', (text) => `${text ?? ''}+`)).toBe('foreign+');
    expect(adapter.writes.filter((path) => !path.startsWith('.'))).toEqual(['a.md']);
  });

  test('[PLUGIN1] bytes that turn invalid in between are not written over', async () => {
    const adapter = new MemoryAdapter();
    const store = new VaultStore(adapter);
    const bytes = new Uint8Array([0x61, 0xff]);
    adapter.put('a.md', utf8('one'));
    adapter.before = () => adapter.put('a.md', bytes);
    await expect(store.update('a.md', () => 'x')).rejects.toMatchObject({ code: 'not_utf8' });
    expect(adapter.bytes.get('a.md')).toEqual(bytes);
  });

  test('[PLUGIN2] a full disk and a denied access are told as such', async () => {
    const adapter = new MemoryAdapter();
    const store = new VaultStore(adapter);
    adapter.fault = new Error('ENOSPC: no space left on device');
    await expect(store.update('a.md', () => 'x')).rejects.toMatchObject({ code: 'disk_full' });
    adapter.fault = new Error('EACCES: permission denied');
    await expect(store.update('a.md', () => 'x')).rejects.toMatchObject({ code: 'denied' });
    expect(adapter.bytes.size).toBe(0);
  });
});
