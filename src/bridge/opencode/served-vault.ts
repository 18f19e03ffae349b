import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { leadsOut } from '../../node/places';
import type { Undo } from '../../core/ports';

export type VaultChoice =
  | { readonly kind: 'serve'; readonly vault: string }
  /** `why`: for the person, with what to do; undefined where all is as it should be */
  | { readonly kind: 'stand back'; readonly why: string | undefined };

interface VaultQuestion {
  /** the file that the bridge was loaded from, absolute */
  readonly file: string;
  /** the folder OpenCode runs in, absolute */
  readonly directory: string;
  /** what the plugin was given in OpenCode's configuration; undefined for files that OpenCode finds itself */
  readonly options: unknown;
}

/**
 * The vault that this bridge serves.
 * - Installed for all folders with the option `vault`: that one, wherever OpenCode runs; but in a
 *   vault with a bridge of its own that one serves.
 * - Else the one whose `.opencode/plugin` it was loaded from, where OpenCode runs in it or under it.
 * - Else where OpenCode runs.
 */
export function vaultOf(question: VaultQuestion): VaultChoice {
  const { file, directory, options } = question;
  const wanted = vaultOption(options);
  if (wanted === undefined) return { kind: 'serve', vault: ownVault(file, directory) };
  if (typeof wanted !== 'string') return refused('is no text.');
  const fault = folderFault(wanted);
  if (fault !== undefined) return refused(fault);
  const own = bridgeAbove(directory);
  if (own !== undefined && realpathSync(own) !== realpathSync(file)) {
    return { kind: 'stand back', why: undefined };
  }
  return { kind: 'serve', vault: wanted };
}

function refused(why: string): VaultChoice {
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
  return leadsOut(relative(vault, directory)) ? directory : vault;
}

/** A bridge that OpenCode finds by itself in the folder or above it. */
function bridgeAbove(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    for (const plugins of ['plugin', 'plugins']) {
      const file = join(folder, '.opencode', plugins, 'agent-task-boards.js');
      if (existsSync(file)) return file;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** How OpenCode came upon this file: by looking into its plugin folders, or by its configuration. */
type Origin = 'found' | 'configured';

/**
 * Which folders of this process are served. OpenCode loads one file twice where it both finds it and
 * has it in its configuration; the second would offer the same tool again and open a second line.
 */
export class Claims {
  private readonly served = new Map<string, Origin>();

  /** @returns gives the folder free again; undefined where it is served already */
  claim(directory: string, origin: Origin): Undo | undefined {
    const before = this.served.get(directory);
    // The same origin again: OpenCode loads the folder anew, and may not have said that it let it go.
    if (before !== undefined && before !== origin) return undefined;
    this.served.set(directory, origin);
    return () => {
      if (this.served.get(directory) === origin) this.served.delete(directory);
    };
  }
}
