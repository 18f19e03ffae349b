import type { MovedFiles } from '../../src/obsidian/adapter/vault-move';
import { MemoryAdapter } from './memory-adapter';

/** When a program is killed: before a call, after it, or with half of its data written. */
export type Moment = 'before' | 'half' | 'after';

/** The vault's adapter, with what a move needs; can be made to die at one of its calls. */
export class FailingAdapter extends MemoryAdapter implements MovedFiles {
  readonly trashed: string[] = [];
  calls = 0;
  /** from this call on nothing has any effect */
  diesAt = Infinity;
  moment: Moment = 'before';

  override stat(path: string) {
    return this.call(() => super.stat(path));
  }

  override list(folder: string) {
    return this.call(() => super.list(folder));
  }

  override readBinary(path: string): Promise<ArrayBuffer> {
    return this.call(() => super.readBinary(path));
  }

  override write(path: string, text: string): Promise<void> {
    return this.call(
      () => super.write(path, text),
      () => this.put(path, new TextEncoder().encode(text.slice(0, text.length / 2))),
    );
  }

  writeBinary(path: string, data: ArrayBuffer): Promise<void> {
    return this.call(
      () => Promise.resolve(this.put(path, new Uint8Array(data))),
      () => this.put(path, new Uint8Array(data).slice(0, data.byteLength / 2)),
    );
  }

  override mkdir(path: string): Promise<void> {
    return this.call(() => super.mkdir(path));
  }

  override remove(path: string): Promise<void> {
    return this.call(() => super.remove(path));
  }

  /** Fails if the target exists, as the app's does. */
  override rename(path: string, to: string): Promise<void> {
    return this.call(() => {
      const bytes = this.bytes.get(path);
      if (bytes === undefined || this.bytes.has(to)) return Promise.reject(new Error('EEXIST'));
      this.bytes.delete(path);
      this.put(to, bytes);
      return Promise.resolve();
    });
  }

  override rmdir(folder: string): Promise<void> {
    return this.call(() => {
      const all = [...this.bytes.keys(), ...this.folders];
      const full = all.some((path) => path.startsWith(`${folder}/`));
      if (full) return Promise.reject(new Error('ENOTEMPTY'));
      this.folders.delete(folder);
      return Promise.resolve();
    });
  }

  trash(path: string): Promise<void> {
    return this.call(() => {
      this.trashed.push(path);
      return super.remove(path);
    });
  }

  /** The next program continues with the disk as it is. */
  revive(): void {
    this.diesAt = Infinity;
  }

  private async call<T>(work: () => Promise<T>, half?: () => void): Promise<T> {
    this.calls += 1;
    const dead = this.calls > this.diesAt;
    const dies = this.calls === this.diesAt;
    if (dies && this.moment === 'half') half?.();
    if (dead || (dies && this.moment !== 'after')) throw new Error('EIO: killed');
    const done = await work();
    if (dies) throw new Error('EIO: killed');
    return done;
  }
}
