import { StoreError, type NoteStore } from './ports';
import { sentence, type SentenceValues } from './fault/sentence';
import { storeRefusal } from './fault/store-faults';
import { isNewerVersion } from './version';

/** The path from which OpenCode loads the bridge. */
export const BRIDGE_PATH = '.opencode/plugin/agent-task-boards.js';

/** Compares the bridge's file in a vault with the program it is copied from, and installs it. */
export class BridgeInstaller {
  /**
   * @param program reads the text of the built `main.js`, which an update may have replaced since
   * this program started
   * @throws StoreError if it can't be read
   */
  constructor(
    private readonly store: NoteStore,
    private readonly program: () => Promise<string>,
  ) {}

  async state(): Promise<'missing' | 'current' | 'older'> {
    const there = await this.read();
    if (there === undefined) return 'missing';
    return there === (await this.program()) ? 'current' : 'older';
  }

  /**
   * Writes the file, unless the vault has a newer version, and reports the outcome to the person.
   * @returns whether it is installed
   */
  async install(tell: (said: ReturnType<typeof sentence>) => void): Promise<boolean> {
    try {
      const before = await this.state();
      const text = await this.program();
      await this.store.update(BRIDGE_PATH, (there) => {
        const [standing, own] = [versionIn(there ?? ''), versionIn(text)];
        if (isNewerVersion(standing, own))
          throw storeRefusal('denied', 'newerBridge', { standing, own, path: BRIDGE_PATH });
        return text;
      });
      tell(bridgeNews(before === 'older' ? 'updated' : 'installed'));
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      tell(bridgeNews('notInstalled', { why: [error.message, error.said] }));
      return false;
    }
  }

  /** A file that is not text counts as another version. */
  private async read(): Promise<string | undefined> {
    try {
      return await this.store.read(BRIDGE_PATH);
    } catch {
      return '';
    }
  }
}

/** What installing the bridge comes to. */
export const BRIDGE_NEWS = {
  installed: 'The bridge is installed. Restart OpenCode in this vault to load it.',
  updated: 'The bridge is updated. Restart OpenCode in this vault to load it.',
  notInstalled: 'The bridge was not installed. {why}',
} as const;

function bridgeNews(
  name: keyof typeof BRIDGE_NEWS,
  values?: SentenceValues,
): ReturnType<typeof sentence> {
  return sentence(['bridgeNews', BRIDGE_NEWS], name, values);
}

/** The version in a bridge's first line, where the build puts it; files of 0.1.0 have none. */
function versionIn(text: string): string {
  return /^\/\/ agent-task-boards (?:bridge )?(\S+)\n/.exec(text)?.[1] ?? '';
}
