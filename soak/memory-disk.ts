/** Files in memory that outlive the simulated death of a process. */
export class MemoryDisk {
  readonly files = new Map<string, { bytes: Uint8Array; mtime: number }>();
  readonly folders = new Set<string>(['']);
  #time = Date.UTC(2026, 10, 21);

  bytes(path: string): Uint8Array | undefined {
    return this.files.get(path)?.bytes;
  }

  text(path: string): string | undefined {
    const bytes = this.bytes(path);
    return bytes && new TextDecoder().decode(bytes);
  }

  put(path: string, bytes: Uint8Array): void {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!this.folders.has(folder)) throw new Error(`ENOENT: no such folder, open '${path}'`);
    this.files.set(path, { bytes, mtime: (this.#time += 1) });
  }

  move(from: string, to: string): void {
    this.put(to, this.bytes(from) ?? new Uint8Array());
    this.files.delete(from);
  }
}
