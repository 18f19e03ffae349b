import { StoreError, type Clock, type NoteStore } from '../../ports';
import { KeyedQueue } from '../../keyed-queue';
import type { Digest } from './audit-chain';

/** Largest text that is kept, in UTF-16 units, and bytes of all texts together. */
const MAX_TEXT_CHARS = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** Contains a folder for each device that stores texts. */
export const TEXTS_FOLDER = '.opencode/agent-task-boards/texts';

export interface NoteTextStoreDeps {
  readonly store: NoteStore;
  /** folder of this device; contains a folder for each month */
  readonly folder: string;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly limits?: { readonly largest: number; readonly all: number };
}

/**
 * Stores the texts of notes before and after a call changed them, each once a month in a file named by its
 * hash. A text that doesn't match its name is ignored, so nobody who writes these files can choose what an
 * undo restores.
 */
export class NoteTextStore {
  private total: number | undefined;
  private readonly queue = new KeyedQueue();

  constructor(private readonly deps: NoteTextStoreDeps) {}

  /**
   * Stores a text, so that a change can be shown and undone later. Texts over the limit are not
   * stored.
   * @returns its hash, as used in an outcome
   * @throws StoreError if it can't be written
   */
  async keep(text: string): Promise<string> {
    const hash = await this.deps.digest(text);
    if (text.length > (this.deps.limits?.largest ?? MAX_TEXT_CHARS)) return hash;
    await this.queue.run('', () => this.put(hash, text));
    return hash;
  }

  /**
   * Finds a text by its hash, whichever device stored it. Returns undefined if there is none or its
   * content doesn't match.
   */
  async read(hash: string): Promise<string | undefined> {
    const { store, digest, folder: own } = this.deps;
    const devices = (await store.list(TEXTS_FOLDER)).map(({ name }) => `${TEXTS_FOLDER}/${name}`);
    for (const folder of new Set([own, ...devices])) {
      for (const month of await this.months(folder)) {
        const text = await store.read(`${folder}/${month}/${hash}`).catch(ignoreDamagedText);
        if (text !== undefined && (await digest(text)) === hash) return text;
      }
    }
    return undefined;
  }

  /**
   * Removes the texts of earlier months.
   * @param month `YYYY-MM`: the first that is kept
   */
  keepFrom(month: string): Promise<void> {
    return this.queue.run('', async () => {
      for (const one of await this.months()) {
        if (one >= month) continue;
        for (const { path } of await this.filesOfMonth(one)) await this.deps.store.remove(path);
      }
      this.total = undefined;
    });
  }

  private async put(hash: string, text: string): Promise<void> {
    const { store, clock } = this.deps;
    const path = this.at(clock.today().slice(0, 7), hash);
    const before = await this.bytes();
    const there = await store.stat(path);
    // Written even if the file exists, to repair it if it was changed.
    await this.write(path, text);
    const size = (await store.stat(path))?.size ?? 0;
    this.total = before + size - (there?.size ?? 0);
    if (this.total > (this.deps.limits?.all ?? MAX_TOTAL_BYTES)) await this.evictOldest(path);
  }

  /** A file that can no longer be read as text can't be updated, so it is removed first. */
  private async write(path: string, text: string): Promise<void> {
    const { store } = this.deps;
    try {
      await store.update(path, () => text);
    } catch (error) {
      ignoreDamagedText(error);
      await store.remove(path);
      await store.update(path, () => text);
    }
  }

  /** Removes the oldest texts until a quarter of the space is free. */
  private async evictOldest(keep: string): Promise<void> {
    const goal = ((this.deps.limits?.all ?? MAX_TOTAL_BYTES) * 3) / 4;
    const all = await this.listFiles();
    let total = all.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of all.sort((a, b) => a.mtime - b.mtime)) {
      if (total <= goal) break;
      if (path === keep) continue;
      await this.deps.store.remove(path);
      total -= size;
    }
    this.total = total;
  }

  /** Size of all stored texts; read from disk once. */
  private async bytes(): Promise<number> {
    return (this.total ??= (await this.listFiles()).reduce((sum, { size }) => sum + size, 0));
  }

  private async listFiles() {
    const kept = [];
    for (const month of await this.months()) kept.push(...(await this.filesOfMonth(month)));
    return kept;
  }

  private async filesOfMonth(month: string) {
    const { store, folder } = this.deps;
    const kept = [];
    for (const { name, kind } of await store.list(`${folder}/${month}`)) {
      if (kind !== 'file' || !/^[0-9a-f]{64}$/.test(name)) continue;
      const path = this.at(month, name);
      const stat = await store.stat(path);
      if (stat !== undefined) kept.push({ path, ...stat });
    }
    return kept;
  }

  /** Newest first. */
  private async months(folder = this.deps.folder): Promise<readonly string[]> {
    const names = (await this.deps.store.list(folder)).map(({ name }) => name);
    return names
      .filter((name) => /^\d{4}-\d{2}$/.test(name))
      .sort()
      .reverse();
  }

  private at(month: string, hash: string): string {
    return `${this.deps.folder}/${month}/${hash}`;
  }
}

/** Returns undefined for errors that mean a damaged text, and rethrows all others. */
function ignoreDamagedText(error: unknown): undefined {
  if (error instanceof StoreError && (error.code === 'not_utf8' || error.code === 'too_large'))
    return undefined;
  throw error;
}
