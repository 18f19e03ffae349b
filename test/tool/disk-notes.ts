import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stat, Undo } from '../../src/core/ports';
import type { WatchedNotes, VaultEntry } from '../../src/core/tool/note/vault-notes';
import { DiskStore } from '../../src/node/disk-store';

/** The notes of a folder on disk. It hides nothing: only the rules decide what is shown. */
export class DiskNotes implements WatchedNotes {
  private readonly store: DiskStore;

  constructor(private readonly vault: string) {
    this.store = new DiskStore(vault);
  }

  async list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const found = await readdir(join(this.vault, folder), { withFileTypes: true }).catch(() => []);
    return found.map((entry) => ({
      path: folder === '' ? entry.name : `${folder}/${entry.name}`,
      kind: entry.isDirectory() ? 'folder' : 'file',
    }));
  }

  read(path: string): Promise<string | undefined> {
    return this.store.read(path);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.store.stat(path);
  }

  leadsTo(link: string): Promise<string> {
    return Promise.resolve(link);
  }

  backlinks(path: string): Promise<readonly string[]> {
    return Promise.resolve([path, '.git/config', 'Notes/a.md']);
  }

  onChange(): Undo {
    return () => undefined;
  }
}
