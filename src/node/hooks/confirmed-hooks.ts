import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { randomUUID } from 'node:crypto';
import { confirmedHooks, type HookConfirmations } from '../../core/hook/hook-commands';
import { jsonAs } from '../../core/json';
import { configHome, type Environment } from '../config-files';
import { isOutside } from '../file-locator';
import { withLock } from '../lock';
import { ifMissing } from '../store-error';

const FILE = 'hooks.json';

/**
 * Stores which commands the person allowed in each vault, on this device. The file is outside of
 * every vault, so that neither sync nor anyone who writes notes can allow a command (ADR 15).
 */
export class ConfirmedHooks {
  /** the working directory of commands; relative paths in them start here */
  readonly folder: string;

  /** @param vault absolute path */
  constructor(
    private readonly vault: string,
    env: Environment,
  ) {
    this.folder = join(configHome(env), 'agent-task-boards');
  }

  /**
   * Digests of the allowed commands.
   * @throws Error with a sentence, if others could have written the file
   */
  async allowed(): Promise<ReadonlySet<string>> {
    const vault = await realpath(this.vault);
    const { vaults } = await this.read(vault);
    return new Set(vaults.find((one) => one.vault === vault)?.allowed);
  }

  /** @throws Error as `allowed` */
  async change(edit: (allowed: ReadonlySet<string>) => Iterable<string>): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await this.allowed();
    // The file is of all vaults, so another program may be changing it for another one.
    await withLock(join(this.folder, 'locks', `${FILE}.lock`), () => this.changeNow(edit));
  }

  private async changeNow(edit: (allowed: ReadonlySet<string>) => Iterable<string>): Promise<void> {
    const vault = await realpath(this.vault);
    const { vaults } = await this.read(vault);
    const others = vaults.filter((one) => one.vault !== vault);
    const allowed = [...edit(new Set(vaults.find((one) => one.vault === vault)?.allowed))];
    const after: HookConfirmations = {
      vaults: allowed.length === 0 ? others : [...others, { vault, allowed }],
    };
    const file = join(this.folder, FILE);
    const temporary = `${file}.${randomUUID()}`;
    await writeFile(temporary, `${JSON.stringify(after, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  }

  private async read(vault: string): Promise<HookConfirmations> {
    const file = join(this.folder, FILE);
    const none: HookConfirmations = { vaults: [] };
    const folder = await realpath(this.folder).catch(ifMissing(undefined));
    if (folder === undefined) return none;
    if (!isOutside(relative(vault, folder))) {
      throw new Error(
        `${this.folder} lies in the vault, where others may write. Set XDG_CONFIG_HOME to a folder outside.`,
      );
    }
    for (const place of [folder, file]) {
      const found = await stat(place).catch(ifMissing(undefined));
      if (found === undefined) return none;
      const user = process.getuid?.();
      if (user !== undefined && (found.uid !== user || (found.mode & 0o022) !== 0)) {
        throw new Error(`${place} can be written by others. Make it yours alone: chmod go-w.`);
      }
    }
    const read = jsonAs(confirmedHooks(), await readFile(file, 'utf8'));
    if (read === undefined) throw new Error(`${file} can't be read as JSON. Repair or remove it.`);
    return read;
  }
}
