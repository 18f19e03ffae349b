import { createHash } from 'node:crypto';
import { BoardMover } from '../../src/core/board/move/move-boards';
import type { MoveFiles } from '../../src/core/board/move/copy-boards';
import { StoreError, type Entry, type NoteStore } from '../../src/core/ports';
import {
  boardRootFault,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
} from '../../src/core/shared-settings';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A vault in memory, as seen by a move: every call is counted, and the n-th can fail. */
export class MoveWorld implements MoveFiles {
  readonly bytes = new Map<string, Uint8Array>();
  readonly folders = new Set<string>();
  readonly trashed: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  calls = 0;
  /** before each call, with its number from 1; may throw */
  before: (call: number) => void = () => undefined;
  /** after each call, which has taken effect */
  after: (call: number) => void = () => undefined;
  readonly store: NoteStore = this.notes();

  put(path: string, content: string | Uint8Array): void {
    this.bytes.set(path, typeof content === 'string' ? Buffer.from(content) : content);
    this.mkdir(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  }

  mkdir(folder: string): void {
    const names = folder.split('/').filter((name) => name !== '');
    names.forEach((_, at) => this.folders.add(names.slice(0, at + 1).join('/')));
  }

  text(path: string): string | undefined {
    const found = this.bytes.get(path);
    return found && Buffer.from(found).toString('latin1');
  }

  /** All files below a folder by relative path, as latin1 so that no byte is lost. */
  under(folder: string): Record<string, string> {
    const inside = [...this.bytes.keys()].filter((path) => path.startsWith(`${folder}/`)).sort();
    return Object.fromEntries(
      inside.map((path) => [path.slice(folder.length + 1), this.text(path) ?? '']),
    );
  }

  async root(): Promise<string> {
    return (await readSharedSettings(this.store)).root;
  }

  mover(): BoardMover {
    return new BoardMover({
      files: this,
      store: this.store,
      stateRoot: '.opencode/agent-task-boards',
      root: () => this.root(),
      setRoot: async (root) =>
        void (await this.store.update(SHARED_SETTINGS_PATH, () => JSON.stringify({ root }))),
      rootFault: (root) => boardRootFault(root, '.obsidian'),
    });
  }

  kind(path: string): Promise<'file' | 'folder' | undefined> {
    return this.call(() =>
      this.bytes.has(path) ? 'file' : this.folders.has(path) ? 'folder' : undefined,
    );
  }

  list(folder: string): Promise<readonly Entry[]> {
    return this.call(() => {
      const inside = (path: string) =>
        path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/');
      const entry = (kind: Entry['kind']) => (path: string) => ({
        name: path.slice(folder.length + 1),
        kind,
      });
      return [
        ...[...this.folders].filter(inside).map(entry('folder')),
        ...[...this.bytes.keys()].filter(inside).map(entry('file')),
      ].sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return this.call(() => this.bytes.get(path));
  }

  write(path: string, bytes: Uint8Array, over: string | undefined): Promise<boolean> {
    return this.call(() => {
      if (this.digestAt(path) !== over) return false;
      this.put(path, bytes);
      return true;
    });
  }

  remove(path: string, digest: string): Promise<boolean> {
    return this.call(() => this.digestAt(path) === digest && this.bytes.delete(path));
  }

  trash(path: string, digest: string): Promise<boolean> {
    return this.call(() => {
      const bytes = this.bytes.get(path);
      if (bytes === undefined || this.digestAt(path) !== digest) return false;
      this.trashed.push({ path, bytes });
      return this.bytes.delete(path);
    });
  }

  removeEmpty(folder: string): Promise<void> {
    return this.call(() => {
      const all = [...this.bytes.keys(), ...this.folders];
      if (!all.some((path) => path.startsWith(`${folder}/`))) this.folders.delete(folder);
    });
  }

  digest(bytes: Uint8Array): Promise<string> {
    return Promise.resolve(sha256(bytes));
  }

  private digestAt(path: string): string | undefined {
    const bytes = this.bytes.get(path);
    return bytes && sha256(bytes);
  }

  private async call<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    const number = (this.calls += 1);
    this.before(number);
    const result = work();
    this.after(number);
    return result;
  }

  private notes(): NoteStore {
    return {
      read: (path) => this.call(() => this.note(path)),
      update: (path, edit) =>
        this.call(() => {
          const before = this.note(path);
          const text = edit(before);
          if (text !== undefined && text !== before) this.put(path, text);
          return text ?? before;
        }),
      append: () => Promise.resolve(false),
      list: (folder) => this.list(folder),
      stat: () => Promise.resolve(undefined),
      remove: (path) => this.call(() => void this.bytes.delete(path)),
      rename: () => Promise.resolve(false),
    };
  }

  private note(path: string): string | undefined {
    const found = this.bytes.get(path);
    return found && decoder.decode(found);
  }
}

/** The error of a full disk. */
export function diskFault(): StoreError {
  return new StoreError('disk_full', 'The disk is full.');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
