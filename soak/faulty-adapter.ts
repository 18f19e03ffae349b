import type { VaultFiles } from '../src/obsidian/adapter/vault-files';
import type { Fault, WriteMode } from './fault';
import type { MemoryDisk } from './memory-disk';

/** Result of a call in a process that has died: it never settles. */
const never = new Promise<never>(() => undefined);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A vault adapter with one faulty call. It keeps no state besides the disk. */
export class FaultyAdapter implements VaultFiles {
  /** number of calls so far */
  calls = 0;
  /** whether the fault was injected; not every call supports every kind */
  injected = false;
  /** indexes of the calls that wrote */
  readonly writes: number[] = [];
  #resolveDied: (() => void) | undefined;
  /** resolves when the process has died */
  readonly died = new Promise<void>((resolve) => (this.#resolveDied = resolve));
  #isDead = false;

  constructor(
    private readonly disk: MemoryDisk,
    private readonly mode: WriteMode,
    private readonly fault?: Fault,
    /** writes as another program; returns false if there is nothing to write to */
    private readonly writeForeign: () => boolean = () => false,
  ) {}

  exists(path: string): Promise<boolean> {
    return this.#readCall(() => this.disk.files.has(path) || this.disk.folders.has(path));
  }

  stat(path: string): ReturnType<VaultFiles['stat']> {
    return this.#readCall(() => {
      const file = this.disk.files.get(path);
      if (file === undefined) {
        const folder = { type: 'folder' as const, ctime: 1, mtime: 1, size: 0 };
        return this.disk.folders.has(path) ? folder : null;
      }
      return { type: 'file' as const, ctime: 1, mtime: file.mtime, size: file.bytes.length };
    });
  }

  list(folder: string): ReturnType<VaultFiles['list']> {
    const inside = (path: string): boolean =>
      path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/');
    return this.#readCall(() => ({
      files: [...this.disk.files.keys()].filter(inside),
      folders: [...this.disk.folders].filter(inside),
    }));
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    return this.#readCall(() => new Uint8Array(this.#requireBytes(path)).buffer);
  }

  write(path: string, text: string): Promise<void> {
    return this.#writeCall((far) => this.#put(path, encode(text), far));
  }

  append(path: string, text: string): Promise<void> {
    return this.#writeCall((far) => {
      const old = this.disk.bytes(path) ?? new Uint8Array();
      const more = encode(text);
      const kept = far === 1 ? more : more.slice(0, Math.floor(far * more.length));
      this.disk.put(path, new Uint8Array([...old, ...kept]));
    });
  }

  process(path: string, edit: (text: string) => string): Promise<string> {
    return this.#writeCall((far) => {
      const text = edit(
        new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#requireBytes(path)),
      );
      this.#put(path, encode(text), far);
      return text;
    });
  }

  mkdir(path: string): Promise<void> {
    return this.#writeCall((far) => {
      if (far === 1) this.disk.folders.add(path);
    });
  }

  remove(path: string): Promise<void> {
    return this.#writeCall((far) => {
      if (far === 1) this.disk.files.delete(path);
    });
  }

  rename(path: string, to: string): Promise<void> {
    return this.#writeCall((far) => {
      if (far === 1) this.disk.move(path, to);
    });
  }

  rmdir(path: string): Promise<void> {
    return this.#writeCall((far) => {
      if (far === 1) this.disk.folders.delete(path);
    });
  }

  /** @param far fraction of the write that happens before it is cut off; 1: all */
  #put(path: string, bytes: Uint8Array, far: number): void {
    const cut = far === 1 ? bytes : bytes.slice(0, Math.floor(far * bytes.length));
    if (this.mode === 'truncates in place') return this.disk.put(path, cut);
    const temporaryPath = `${path}.tmp`;
    this.disk.put(temporaryPath, cut);
    // Last tenth: the old file is removed, the new one is not renamed yet.
    if (this.mode === 'rename refuses to replace' && far > 0.9) this.disk.files.delete(path);
    if (far === 1) this.disk.move(temporaryPath, path);
  }

  #requireBytes(path: string): Uint8Array {
    const bytes = this.disk.bytes(path);
    if (bytes === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
    return bytes;
  }

  #readCall<T>(read: () => T): Promise<T> {
    return this.#call(read);
  }

  #writeCall<T>(write: (far: number) => T): Promise<T> {
    return this.#call(() => write(1), write);
  }

  /** @param part the same call, cut off; undefined for a call that only reads */
  async #call<T>(whole: () => T, part?: (far: number) => T): Promise<T> {
    await Promise.resolve();
    if (this.#isDead) return never;
    const since = this.calls - (this.fault?.call ?? Infinity);
    if (part !== undefined) this.writes.push(this.calls);
    this.calls += 1;
    const { kind, fraction: far = 0, duration: lasts = 1 } = this.fault ?? {};
    const isLasting = kind === 'disk full' || kind === 'access denied';
    if (since < 0 || since >= (isLasting ? lasts : 1)) return whole();
    this.injected = true;
    switch (kind) {
      case 'throws before':
        throw new Error('EIO: i/o error');
      case 'throws after':
        whole();
        throw new Error('EIO: i/o error');
      case 'torn write':
        part?.(far);
        throw new Error('EIO: i/o error');
      case 'disk full':
        part?.(far);
        throw new Error('ENOSPC: no space left on device');
      case 'access denied':
        throw new Error('EACCES: permission denied');
      case 'lost write':
        this.injected = part !== undefined;
        return this.#loseWrite(whole);
      case 'foreign writer':
        this.injected = this.writeForeign();
        return whole();
      case undefined:
        return whole();
      case 'death':
        part?.(far);
        this.#isDead = true;
        this.#resolveDied?.();
        return never;
    }
  }

  /** Succeeds for the caller, but leaves the disk as it was. */
  #loseWrite<T>(whole: () => T): T {
    const files = new Map(this.disk.files);
    const folders = new Set(this.disk.folders);
    const result = whole();
    this.disk.files.clear();
    for (const [path, file] of files) this.disk.files.set(path, file);
    this.disk.folders.clear();
    for (const folder of folders) this.disk.folders.add(folder);
    return result;
  }
}
