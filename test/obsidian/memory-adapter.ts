import type { Stat } from 'obsidian';
import type { VaultFiles } from '../../src/obsidian/adapter/vault-files';

/**
 * A vault's adapter in memory, as lenient as the app's: invalid text is decoded with U+FFFD, a byte
 * order mark is hidden from `process` (`hidesMark`), another program may write in between.
 */
export class MemoryAdapter implements VaultFiles {
  readonly bytes = new Map<string, Uint8Array>();
  readonly writes: string[] = [];
  /** runs once, before the next `process` reads */
  before: (() => void) | undefined;
  hidesMark = false;
  /** thrown by the next write */
  fault: Error | undefined;
  readonly folders = new Set<string>();
  private readonly times = new Map<string, number>();
  private time = 1_000;

  put(path: string, bytes: Uint8Array): void {
    this.bytes.set(path, bytes);
    this.times.set(path, (this.time += 1));
    path
      .split('/')
      .slice(0, -1)
      .forEach((_, at, segments) => this.folders.add(segments.slice(0, at + 1).join('/')));
  }

  /** Advances the modification time of a file by `ms`. */
  pass(path: string, ms: number): void {
    this.times.set(path, (this.times.get(path) ?? 0) + ms);
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(this.bytes.has(path) || this.folders.has(path));
  }

  stat(path: string): Promise<Stat | null> {
    const file = this.bytes.get(path);
    const mtime = this.times.get(path) ?? 1;
    if (file !== undefined) {
      return Promise.resolve({ type: 'file' as const, ctime: 1, mtime, size: file.length });
    }
    const folder = { type: 'folder' as const, ctime: 1, mtime: 1, size: 0 };
    return Promise.resolve(this.folders.has(path) ? folder : null);
  }

  list(folder: string) {
    const inside = (path: string) =>
      path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/');
    return Promise.resolve({
      files: [...this.bytes.keys()].filter(inside),
      folders: [...this.folders].filter(inside),
    });
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    const file = this.bytes.get(path);
    if (file === undefined) return Promise.reject(new Error(`ENOENT: ${path}`));
    return Promise.resolve(new Uint8Array(file).buffer);
  }

  write(path: string, text: string): Promise<void> {
    if (this.fault !== undefined) {
      const { fault } = this;
      this.fault = undefined;
      return Promise.reject(fault);
    }
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder !== '' && !this.folders.has(folder)) {
      return Promise.reject(new Error(`ENOENT: no folder ${folder}`));
    }
    this.writes.push(path);
    this.put(path, new TextEncoder().encode(text));
    return Promise.resolve();
  }

  append(path: string, text: string): Promise<void> {
    const old = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes.get(path));
    return this.write(path, old + text);
  }

  async process(path: string, edit: (text: string) => string): Promise<string> {
    this.before?.();
    this.before = undefined;
    const file = this.bytes.get(path);
    if (file === undefined) throw new Error(`ENOENT: ${path}`);
    const text = new TextDecoder('utf-8', { ignoreBOM: !this.hidesMark }).decode(file);
    const wanted = edit(text);
    await this.write(path, wanted);
    return wanted;
  }

  mkdir(path: string): Promise<void> {
    this.folders.add(path);
    return Promise.resolve();
  }

  remove(path: string): Promise<void> {
    this.bytes.delete(path);
    return Promise.resolve();
  }

  rename(path: string, to: string): Promise<void> {
    const file = this.bytes.get(path);
    if (file === undefined) return Promise.reject(new Error(`ENOENT: ${path}`));
    if (this.bytes.has(to)) return Promise.reject(new Error('Destination file already exists!'));
    this.bytes.delete(path);
    this.put(to, file);
    return Promise.resolve();
  }

  rmdir(path: string): Promise<void> {
    this.folders.delete(path);
    return Promise.resolve();
  }
}
