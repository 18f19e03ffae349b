import { parseRunFile, RUN_FILE_NAME, RUN_FOLDER, type RunFile } from '../../protocol/run-file';
import type { NoteStore } from '../ports';
import type { Endpoint } from './connection';

/** An address entered by hand; if it is empty, run files are read instead. */
export interface ManualAddress {
  readonly address: string;
  readonly token: string;
}

/** Finds bridges by their run files. A run file may be left over from a dead process. */
export class Discovery {
  constructor(
    private readonly store: Pick<NoteStore, 'list' | 'read'>,
    private readonly manualAddress: () => ManualAddress,
    /** returns false if the process of the run file is known to be dead */
    private readonly mayBeRunning: (run: RunFile) => Promise<boolean> = () => Promise.resolve(true),
  ) {}

  /** Every bridge that may be running, newest first; an address entered by hand is the only one. */
  async all(): Promise<readonly Endpoint[]> {
    const hand = this.manualAddress();
    if (hand.address !== '') return [{ url: hand.address, token: hand.token }];
    const entries = await this.store.list(RUN_FOLDER);
    const texts = entries.flatMap(({ kind, name }) => {
      if (kind !== 'file' || !RUN_FILE_NAME.test(name)) return [];
      // A file may disappear, or be half-written, while it is read: then it is skipped.
      return [this.store.read(`${RUN_FOLDER}/${name}`).catch(() => undefined)];
    });
    const files = (await Promise.all(texts))
      .flatMap((text) => (text === undefined ? [] : (parseRunFile(text) ?? [])))
      .sort((a, b) => b.startedAt - a.startedAt);
    const alive = await Promise.all(files.map((file) => this.mayBeRunning(file)));
    return files
      .filter((_, index) => alive[index])
      .map(({ port, token, folder, protocol, startedAt }) => ({
        url: `ws://127.0.0.1:${port}/`,
        ...{ token, folder, protocol, startedAt },
      }));
  }
}
