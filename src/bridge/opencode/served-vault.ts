import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isOutside } from '../../node/file-locator';
import type { Undo } from '../../core/ports';

export type VaultChoice =
  | { readonly kind: 'serve'; readonly vault: string }
  /** `why`: message for the person, with what to do; undefined if there is no problem */
  | { readonly kind: 'stand back'; readonly why: string | undefined };

interface VaultQuestion {
  /** absolute path of the file that the bridge was loaded from */
  readonly file: string;
  /** absolute path of the folder that OpenCode runs in */
  readonly directory: string;
  /**
   * the plugin's options in OpenCode's configuration; undefined for files that OpenCode found
   * itself
   */
  readonly options: unknown;
}

/**
 * Chooses the vault that this bridge serves.
 * - If it is installed for all folders, with the option `vault`: that vault, wherever OpenCode
 *   runs. But in a vault with its own bridge, that bridge serves.
 * - Otherwise the vault whose `.opencode/plugin` it was loaded from, if OpenCode runs in it or
 *   below it.
 * - Otherwise the folder that OpenCode runs in.
 */
export function chooseVault(question: VaultQuestion): VaultChoice {
  const { file, directory, options } = question;
  const wanted = vaultOption(options);
  if (wanted === undefined) return { kind: 'serve', vault: ownVault(file, directory) };
  if (typeof wanted !== 'string') return standBack('is no text.');
  const fault = folderFault(wanted);
  if (fault !== undefined) return standBack(fault);
  const own = bridgeAbove(directory);
  if (own !== undefined && realpathSync(own) !== realpathSync(file)) {
    return { kind: 'stand back', why: undefined };
  }
  return { kind: 'serve', vault: wanted };
}

function standBack(why: string): VaultChoice {
  const what = `The option "vault" of agent-task-boards in OpenCode’s configuration ${why}`;
  const then =
    'There are no task boards until it names the vault’s folder and OpenCode is restarted.';
  return { kind: 'stand back', why: `${what} ${then}` };
}

function vaultOption(options: unknown): unknown {
  return typeof options === 'object' && options !== null && 'vault' in options
    ? options.vault
    : undefined;
}

function folderFault(vault: string): string | undefined {
  if (!isAbsolute(vault)) return `must be an absolute path; it is ${JSON.stringify(vault)}.`;
  const found = statSync(vault, { throwIfNoEntry: false });
  return found?.isDirectory() ? undefined : `names no folder: ${JSON.stringify(vault)}.`;
}

function ownVault(file: string, directory: string): string {
  const plugins = dirname(file);
  if (!/[\\/]\.opencode[\\/]plugins?$/.test(plugins)) return directory;
  const vault = dirname(dirname(plugins));
  return isOutside(relative(vault, directory)) ? directory : vault;
}

/** The bridge that OpenCode finds by itself in the folder or above it. */
function bridgeAbove(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    for (const plugins of ['plugin', 'plugins']) {
      const file = join(folder, '.opencode', plugins, 'agent-task-boards.js');
      if (existsSync(file)) return file;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** How OpenCode found this file: in a plugin folder, or in its configuration. */
type Origin = 'found' | 'configured';

/**
 * The folders that this process serves. OpenCode loads a file twice if it both finds it and has it
 * in its configuration; the second instance would offer the same tools again and open a second
 * server.
 */
export class Claims {
  private readonly served = new Map<string, Origin>();

  /** @returns a function that releases the folder; undefined if it is already served */
  claim(directory: string, origin: Origin): Undo | undefined {
    const before = this.served.get(directory);
    // With the same origin, OpenCode is reloading the folder, perhaps without having disposed the
    // old instance.
    if (before !== undefined && before !== origin) return undefined;
    this.served.set(directory, origin);
    return () => {
      if (this.served.get(directory) === origin) this.served.delete(directory);
    };
  }
}
