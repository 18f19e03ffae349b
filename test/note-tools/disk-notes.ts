import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stat, Undo } from '../../src/core/ports';
import type { WatchedNotes, VaultEntry } from '../../src/core/tool/note/vault-notes';

/** The notes of a real folder. Links are followed anywhere: nothing here confines a read. */
export class DiskNotes implements WatchedNotes {
  /** runs before each read */
  before: (path: string) => Promise<void> = () => Promise.resolve();

  constructor(private readonly root: string) {}

  async list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const names = await readdir(join(this.root, folder)).catch(() => undefined);
    const entries = await Promise.all(
      (names ?? []).map(async (name): Promise<VaultEntry | undefined> => {
        const path = folder === '' ? name : `${folder}/${name}`;
        const found = await stat(join(this.root, path)).catch(() => undefined);
        if (name.startsWith('.') || found === undefined) return undefined;
        if (found.isDirectory()) return { path, kind: 'folder' };
        return name.endsWith('.md') ? { path, kind: 'file' } : undefined;
      }),
    );
    return names && entries.flatMap((entry) => entry ?? []);
  }

  async read(path: string): Promise<string | undefined> {
    await this.before(path);
    return readFile(join(this.root, path), 'utf8').catch(() => undefined);
  }

  async stat(path: string): Promise<Stat | undefined> {
    const found = await stat(join(this.root, path)).catch(() => undefined);
    return found?.isFile() ? { size: found.size, mtime: found.mtimeMs } : undefined;
  }

  leadsTo(link: string): Promise<string> {
    return Promise.resolve(`${link}.md`);
  }

  backlinks(): Promise<readonly string[]> {
    return Promise.resolve(['Out/canary.md', 'Boards/plan.md', 'A.md']);
  }

  onChange(): Undo {
    return () => undefined;
  }
}
