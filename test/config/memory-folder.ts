import type { FolderReader } from '../../src/core/config/config-folder';

/** Files in memory: the loader itself reads no disk. */
export function memoryFolder(files: Readonly<Record<string, string>>): FolderReader {
  return {
    read: (path) => Promise.resolve(files[path]),
    stat: (path) => {
      const text = files[path];
      return Promise.resolve(text === undefined ? undefined : { mtime: 0, size: text.length });
    },
    list: (at) => {
      const start = at === '' ? '' : `${at}/`;
      const inner = Object.keys(files).filter((path) => path.startsWith(start));
      const names = new Map(
        inner.map((path) => {
          const [name = '', ...rest] = path.slice(start.length).split('/');
          return [name, rest.length === 0 ? ('file' as const) : ('folder' as const)];
        }),
      );
      return Promise.resolve([...names].sort().map(([name, kind]) => ({ name, kind })));
    },
  };
}
