import type { App, EventRef, TAbstractFile } from 'obsidian';
import type { NoteStore, Stat, Undo } from '../../core/ports';
import type { VaultChange, VaultEntry, VaultNotes } from '../../core/tool/note/vault-notes';

type Surroundings = Pick<App, 'vault' | 'metadataCache'>;

/** The notes of the open vault: what there is by the app's own list, their text from the store. */
export function vaultNotes(app: Surroundings, store: Pick<NoteStore, 'read' | 'stat'>): VaultNotes {
  return new ObsidianNotes(app, store);
}

class ObsidianNotes implements VaultNotes {
  constructor(
    private readonly app: Surroundings,
    private readonly store: Pick<NoteStore, 'read' | 'stat'>,
  ) {}

  list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const { vault } = this.app;
    const found = folder === '' ? vault.getRoot() : vault.getFolderByPath(folder);
    const entries = found?.children.flatMap((file) => this.entryOf(file) ?? []);
    return Promise.resolve(entries?.sort((a, b) => (a.path < b.path ? -1 : 1)));
  }

  read(path: string): Promise<string | undefined> {
    return this.store.read(path);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.store.stat(path);
  }

  leadsTo(link: string, from: string): string | undefined {
    return this.app.metadataCache.getFirstLinkpathDest(link, from)?.path;
  }

  backlinks(path: string): readonly string[] {
    return Object.entries(this.app.metadataCache.resolvedLinks)
      .filter(([, links]) => Object.hasOwn(links, path))
      .map(([from]) => from)
      .sort();
  }

  onChange(listener: (change: VaultChange) => void): Undo {
    const { vault } = this.app;
    const written = (file: TAbstractFile): void => {
      const entry = this.entryOf(file);
      if (entry === undefined) return;
      listener({ kind: entry.kind === 'file' ? 'note' : 'folder', path: entry.path });
    };
    const refs: readonly EventRef[] = [
      vault.on('create', written),
      vault.on('modify', written),
      vault.on('delete', ({ path }) => listener({ kind: 'removed', path })),
      vault.on('rename', (file, oldPath) => {
        listener({ kind: 'removed', path: oldPath });
        written(file);
      }),
    ];
    return () => refs.forEach((ref) => vault.offref(ref));
  }

  /** Undefined for what is neither a folder nor a Markdown note. */
  private entryOf({ path }: TAbstractFile): VaultEntry | undefined {
    const { vault } = this.app;
    if (vault.getFolderByPath(path) !== null) return { path, kind: 'folder' };
    const note = vault.getFileByPath(path)?.extension.toLowerCase() === 'md';
    return note ? { path, kind: 'file' } : undefined;
  }
}

/**
 * Takes a file to the trash: where the app knows it, as the person has set it for the vault; a hidden
 * file to the system's trash, or where there is none to the vault's own.
 */
export function toTrash({ vault, fileManager }: App): (path: string) => Promise<void> {
  return async (path) => {
    const file = vault.getFileByPath(path);
    if (file !== null) return fileManager.trashFile(file);
    const { adapter } = vault;
    if (!(await adapter.trashSystem(path))) await adapter.trashLocal(path);
  };
}
