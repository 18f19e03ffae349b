import type { App, TAbstractFile } from 'obsidian';
import type { NoteStore } from '../../core/ports';
import type { WatchedNotes, VaultEntry } from '../../core/tool/note/vault-notes';

/** The notes of the open vault: paths from the app's file list, texts from the store. */
export function vaultNotes(
  { vault, metadataCache }: Pick<App, 'vault' | 'metadataCache'>,
  store: Pick<NoteStore, 'read' | 'stat'>,
): WatchedNotes {
  /** Undefined unless it is a folder or a Markdown note. */
  const entryOf = ({ path }: TAbstractFile): VaultEntry | undefined => {
    if (vault.getFolderByPath(path) !== null) return { path, kind: 'folder' };
    const note = vault.getFileByPath(path)?.extension.toLowerCase() === 'md';
    return note ? { path, kind: 'file' } : undefined;
  };
  return {
    list(folder) {
      const found = folder === '' ? vault.getRoot() : vault.getFolderByPath(folder);
      const entries = found?.children.flatMap((file) => entryOf(file) ?? []);
      return Promise.resolve(entries?.sort((a, b) => (a.path < b.path ? -1 : 1)));
    },
    read: (path) => store.read(path),
    stat: (path) => store.stat(path),
    leadsTo: (link, from) => Promise.resolve(metadataCache.getFirstLinkpathDest(link, from)?.path),
    backlinks: (path) => {
      const linking = Object.entries(metadataCache.resolvedLinks).filter(([, links]) =>
        Object.hasOwn(links, path),
      );
      return Promise.resolve(linking.map(([from]) => from).sort());
    },
    onChange(listener) {
      const written = (file: TAbstractFile): void => {
        const { path, kind } = entryOf(file) ?? {};
        if (path !== undefined) listener({ kind: kind === 'file' ? 'note' : 'folder', path });
      };
      const refs = [
        vault.on('create', written),
        vault.on('modify', written),
        vault.on('delete', ({ path }) => listener({ kind: 'removed', path })),
        vault.on('rename', (file, path) => {
          listener({ kind: 'removed', path });
          written(file);
        }),
      ];
      return () => refs.forEach((ref) => vault.offref(ref));
    },
  };
}

/**
 * Moves a file to the trash. If the app knows the file, the person's setting for the vault applies; a
 * hidden file goes to the system's trash, or to the vault's own if there is none.
 */
export function toTrash({ vault, fileManager }: App): (path: string) => Promise<void> {
  return async (path) => {
    const file = vault.getFileByPath(path);
    if (file !== null) return fileManager.trashFile(file);
    const { adapter } = vault;
    if (!(await adapter.trashSystem(path))) await adapter.trashLocal(path);
  };
}

/**
 * Renames a file through the app: it updates links in other notes according to the person's
 * setting, and creates the new folder, so that its list has it.
 * @returns false if the app does not know the file, as in a hidden folder
 */
export function renameInApp({
  vault,
  fileManager,
}: Pick<App, 'vault' | 'fileManager'>): (from: string, to: string) => Promise<boolean> {
  return async (from, to) => {
    const file = vault.getFileByPath(from);
    if (file === null) return false;
    const folder = to.slice(0, Math.max(0, to.lastIndexOf('/')));
    if (folder !== '' && !(await vault.adapter.exists(folder))) await vault.createFolder(folder);
    await fileManager.renameFile(file, to);
    return true;
  };
}
