import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canHold } from '../held-folder';
import { takeLock } from '../lock';
import { Places } from '../places';

/** Of the audit, relative to the vault. */
export const AUDIT_FOLDER = '.opencode/agent-task-boards/audit';

/** The audit's folders are this user's alone. */
const OWN_FOLDER = 0o700;

/**
 * Where the files of an audit are. Where the system has paths through open folders, a folder that is
 * swapped for a link meanwhile leads nothing of the audit out of the vault.
 */
export class AuditFiles {
  private readonly places: Places | undefined;

  /**
   * @param vault absolute
   * @param folder of the audit, relative to the vault
   */
  constructor(
    private readonly vault: string,
    private readonly folder: string = AUDIT_FOLDER,
  ) {
    this.places = canHold() ? new Places(vault) : undefined;
  }

  /** Runs `task` on a folder of the audit, '' for itself; undefined where the system finds none. */
  async inFolder<T>(folder: string, task: (at: string | undefined) => Promise<T>): Promise<T> {
    const path = this.path(folder);
    if (this.places === undefined) return task(join(this.vault, path));
    return this.places.folder(path, task);
  }

  /** Runs `task` on a file as it is reached; undefined where its folder is missing. */
  onFile<T>(name: string, task: (file: string | undefined) => Promise<T>): Promise<T> {
    const [folder, own] = parted(name);
    return this.inFolder(folder, (at) => task(at === undefined ? undefined : `${at}/${own}`));
  }

  /** The same; folders that are missing are made first. */
  async onNewFile<T>(name: string, task: (file: string) => Promise<T>): Promise<T> {
    const [folder, own] = parted(name);
    const path = this.path(folder);
    if (this.places === undefined) {
      const at = join(this.vault, path);
      await mkdir(at, { recursive: true, mode: OWN_FOLDER });
      return task(`${at}/${own}`);
    }
    return this.places.madeFolder(path, OWN_FOLDER, (at) => task(`${at}/${own}`));
  }

  /**
   * Takes a lock for the life of a process.
   * @returns gives it back, at once
   * @throws StoreError `busy` where another process has it
   */
  hold(name: string): Promise<() => void> {
    return new Promise((taken, failed) => {
      const held = this.onNewFile(name, async (file) => {
        const { release } = await takeLock(file, 0);
        await new Promise<void>((end) => {
          taken(() => {
            release();
            end();
          });
        });
      });
      held.catch(failed);
    });
  }

  private path(folder: string): string {
    return folder === '' ? this.folder : `${this.folder}/${folder}`;
  }
}

function parted(name: string): [folder: string, own: string] {
  const end = name.lastIndexOf('/');
  return [name.slice(0, Math.max(0, end)), name.slice(end + 1)];
}
