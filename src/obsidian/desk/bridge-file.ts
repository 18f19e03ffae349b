import type { NoteStore } from '../../core/ports';
import type { BridgeFile } from '../model/overview';
import type { Notify } from './notify';

/** Where OpenCode finds the bridge. */
export const BRIDGE_PATH = '.opencode/plugin/agent-task-boards.js';

/** The bridge's file in this vault, against the text that this plugin carries. */
export class BridgeInstaller {
  constructor(
    private readonly store: NoteStore,
    private readonly text: string,
  ) {}

  async state(): Promise<Exclude<BridgeFile, 'unknown'>> {
    const there = await this.read();
    if (there === undefined) return 'missing';
    return there === this.text ? 'current' : 'older';
  }

  async install(): Promise<void> {
    await this.store.update(BRIDGE_PATH, () => this.text);
  }

  /** A file that is no text is another version too. */
  private async read(): Promise<string | undefined> {
    try {
      return await this.store.read(BRIDGE_PATH);
    } catch {
      return '';
    }
  }
}

/**
 * Installs the bridge and tells the person how that went.
 * @param before what was there
 * @returns whether it is installed
 */
export async function installTold(
  installer: Pick<BridgeInstaller, 'install'>,
  before: BridgeFile,
  notify: Notify,
): Promise<boolean> {
  try {
    await installer.install();
  } catch (error) {
    notify(`The bridge was not installed. ${error instanceof Error ? error.message : ''}`.trim());
    return false;
  }
  const done = before === 'older' ? 'updated' : 'installed';
  notify(`The bridge is ${done}. Restart OpenCode in this vault to load it.`);
  return true;
}
