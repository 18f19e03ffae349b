import { MemoryStore } from './memory-store';
import { noteStoreContract } from './note-store-contract';

noteStoreContract(
  'memory',
  async () => {
    const store = new MemoryStore();
    return Promise.resolve({
      store,
      put: (path, bytes) => Promise.resolve(store.put(path, new TextDecoder().decode(bytes))),
      bytes: (path) => {
        const file = store.files.get(path);
        return Promise.resolve(file && new TextEncoder().encode(file.text));
      },
      dispose: () => Promise.resolve(),
    });
  },
  { rawBytes: false, appends: true },
);
