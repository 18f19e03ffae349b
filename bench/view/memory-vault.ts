import { KeyedQueue } from '../../src/core/keyed-queue';
import type { Clock, NoteStore } from '../../src/core/ports';

export const clock: Clock = {
  now: () => Date.now(),
  today: () => '2026-11-21',
  after: (ms, run) => {
    const timer = window.setTimeout(run, ms);
    return () => window.clearTimeout(timer);
  },
};
export const ids = { unique: () => crypto.randomUUID(), random: () => Math.random() };

/** Notes in memory; each operation takes a turn of the event loop, as on a disk. */
export function memoryStore(files: Map<string, string>): NoteStore {
  const queue = new KeyedQueue();
  const later = () => new Promise<void>((resolve) => window.setTimeout(resolve, 0));
  return {
    async read(path) {
      await later();
      return files.get(path);
    },
    update: (path, edit) =>
      queue.run(path, async () => {
        await later();
        const before = files.get(path);
        const after = edit(before);
        if (after !== undefined) files.set(path, after);
        return after ?? before;
      }),
    append: () => Promise.resolve(false),
    list(folder) {
      const inside = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      const names = inside.map((path) => path.slice(folder.length + 1).split('/'));
      const kinds = new Map(names.map(([name = '', ...rest]) => [name, rest.length > 0]));
      return Promise.resolve(
        [...kinds].map(([name, above]) => ({ name, kind: above ? 'folder' : 'file' })),
      );
    },
    stat(path) {
      const text = files.get(path);
      return Promise.resolve(text === undefined ? undefined : { mtime: 1, size: text.length });
    },
    rename(from, to) {
      const text = files.get(from);
      if (text === undefined || files.has(to)) return Promise.resolve(false);
      files.delete(from);
      files.set(to, text);
      return Promise.resolve(true);
    },
    remove(path) {
      files.delete(path);
      return Promise.resolve();
    },
  };
}
