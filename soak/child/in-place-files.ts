import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { VaultFiles } from '../../src/obsidian/adapter/vault-files';

/** Bytes per write; a kill may leave the note cut between two of them. */
const CHUNK = 256;

/** The app's adapter as on the desktop: a write truncates the file, then fills it. */
export class InPlaceFiles implements VaultFiles {
  constructor(private readonly root: string) {}

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== null;
  }

  async stat(path: string): ReturnType<VaultFiles['stat']> {
    const found = await stat(join(this.root, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return null;
    const { ctimeMs: ctime, mtimeMs: mtime, size } = found;
    return { type: found.isDirectory() ? 'folder' : 'file', ctime, mtime, size };
  }

  async list(folder: string): ReturnType<VaultFiles['list']> {
    const entries = await readdir(join(this.root, folder), { withFileTypes: true });
    const named = (folders: boolean) =>
      entries.filter((one) => one.isDirectory() === folders).map(({ name }) => `${folder}/${name}`);
    return { files: named(false), folders: named(true) };
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    return new Uint8Array(await readFile(join(this.root, path))).buffer;
  }

  async write(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    const handle = await open(join(this.root, path), 'w');
    try {
      for (let at = 0; at < bytes.length; at += CHUNK) {
        await handle.write(bytes, at, Math.min(CHUNK, bytes.length - at));
      }
    } finally {
      await handle.close();
    }
  }

  append(path: string, text: string): Promise<void> {
    return appendFile(join(this.root, path), text);
  }

  async process(path: string, edit: (text: string) => string): Promise<string> {
    const text = edit(await readFile(join(this.root, path), 'utf8'));
    await this.write(path, text);
    return text;
  }

  async mkdir(path: string): Promise<void> {
    await mkdir(join(this.root, path), { recursive: true });
  }

  async remove(path: string): Promise<void> {
    await unlink(join(this.root, path));
  }

  async rename(path: string, to: string): Promise<void> {
    await rename(join(this.root, path), join(this.root, to));
  }

  async rmdir(path: string): Promise<void> {
    await rmdir(join(this.root, path));
  }
}
