import { expect, test } from 'vitest';
import { vaultFolderReader } from '../../src/obsidian/adapter/vault-files';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';
import { MemoryAdapter } from './memory-adapter';

test('[CONFIG14] a phone reads what is no UTF-8 as U+FFFD too', async () => {
  const adapter = new MemoryAdapter();
  adapter.put('a.md', Uint8Array.of(0x41, 0xff));
  const store = new VaultStore(adapter);
  await expect(store.read('a.md')).rejects.toMatchObject({ code: 'not_utf8' });
  expect(await vaultFolderReader(store, adapter).read('a.md')).toBe('A\uFFFD');
});
