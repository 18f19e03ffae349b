import type { NoteStore } from '../../core/ports';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../protocol/run-file';
import type { Endpoint } from '../../core/session/connection';

/** What a person may have entered by hand; an empty address means: look for run files. */
export interface ByHand {
  readonly address: string;
  readonly token: string;
}

/**
 * Finds bridges by their run files, the newest first. A file may be left over from a process that
 * died, so each call names the next candidate; `reset` begins with the newest again.
 */
export class Discovery {
  private tried = new Set<string>();

  constructor(
    private readonly store: NoteStore,
    private readonly byHand: () => ByHand,
  ) {}

  reset(): void {
    this.tried.clear();
  }

  async next(): Promise<Endpoint | undefined> {
    const hand = this.byHand();
    if (hand.address !== '') return { url: hand.address, token: hand.token };
    const found = await this.runFiles();
    const fresh = found.filter((file) => !this.tried.has(file.folder));
    if (fresh.length === 0) this.tried.clear();
    const [file] = fresh.length === 0 ? found : fresh;
    if (file === undefined) return undefined;
    this.tried.add(file.folder);
    const { port, token, folder, protocol } = file;
    return { url: `ws://127.0.0.1:${port}/`, token, folder, protocol };
  }

  private async runFiles(): Promise<readonly RunFile[]> {
    const entries = await this.store.list(RUN_FOLDER);
    const names = entries.filter(
      (entry) => entry.kind === 'file' && /^\d+\.json$/.test(entry.name),
    );
    const texts = await Promise.all(
      names.map(({ name }) => this.readQuietly(`${RUN_FOLDER}/${name}`)),
    );
    return texts
      .map((text) => (text === undefined ? undefined : parseRunFile(text)))
      .filter((file) => file !== undefined)
      .sort((a, b) => b.startedAt - a.startedAt);
  }

  /** A file may go, or be half-written, while it is read: then it is no candidate. */
  private async readQuietly(path: string): Promise<string | undefined> {
    try {
      return await this.store.read(path);
    } catch {
      return undefined;
    }
  }
}
