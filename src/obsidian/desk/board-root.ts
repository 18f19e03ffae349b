import { StoreError, type NoteStore } from '../../core/ports';
import {
  DEFAULT_SETTINGS,
  readSharedSettings,
  type SharedSettings,
} from '../../core/shared-settings';

/** The board root that the plugin works with, kept in step with the shared settings. */
export class BoardRoot {
  constructor(
    private readonly store: NoteStore,
    private readonly configFolder: string,
    private root: string,
    private last: SharedSettings = DEFAULT_SETTINGS,
  ) {}

  /** As they could be followed last. */
  get settings(): SharedSettings {
    return this.last;
  }

  get now(): string {
    return this.root;
  }

  /** Whether a path is the root, or below it. */
  holds(path: string): boolean {
    return `${path}/`.startsWith(`${this.root}/`);
  }

  /**
   * Looks at the settings, which other programs and devices write as well. While they can't be
   * followed the root stays what it is: boards must not vanish for a file that is half synced.
   * @returns whether the root is another one now
   */
  async follow(): Promise<boolean> {
    try {
      const settings = await readSharedSettings(this.store, this.configFolder);
      if (settings.problem !== undefined) return false;
      this.last = settings;
      if (settings.root === this.root) return false;
      this.root = settings.root;
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return false;
    }
  }
}
