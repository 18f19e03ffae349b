import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { foldPath } from '../core/permission/fold-path';
import { isMissing } from '../node/is-missing';
import { editsOf, type Edit } from './edits-of';
import { matchesWildcard } from './wildcard';

export interface EditGuardParts {
  /** absolute */
  readonly vault: string;
  /** what OpenCode takes paths to be relative to */
  readonly directory: string;
  /** patterns of protected files, relative to the vault, as the settings say now */
  readonly protectedFiles: () => Promise<readonly string[]>;
}

/** What the model is told; OpenCode makes it the result of the tool. */
export class EditRefusal extends Error {}

/**
 * Refuses an edit of a protected file that OpenCode's own rule about it would not see: where a patch moves
 * a file, where the name is in another case or Unicode form than on disk, and where a link leads there.
 * What is edited by its own path OpenCode asks about.
 */
export class EditGuard {
  constructor(private readonly parts: EditGuardParts) {}

  /** @throws EditRefusal */
  async check(tool: string, args: unknown): Promise<void> {
    const edits = editsOf(tool, args);
    if (edits.length === 0) return;
    const patterns = await this.parts.protectedFiles();
    for (const edit of edits) await this.look(edit, patterns);
  }

  private async look({ path, isAsked }: Edit, patterns: readonly string[]): Promise<void> {
    const { vault, directory } = this.parts;
    const file = resolve(directory, path);
    const plain = inVault(vault, file);
    if (isAsked && patterns.some((pattern) => matchesWildcard(plain, pattern))) return;
    const real = inVault(await deepestReal(vault), await deepestReal(file));
    const forms = [foldPath(plain), foldPath(real)];
    const held = patterns.find((pattern) =>
      forms.some((form) => matchesWildcard(form, foldPath(pattern))),
    );
    if (held === undefined) return;
    throw new EditRefusal(
      `Nothing was done: ${path} is or leads to a protected file (${held}). Edit it by its own path, so that the person is asked, or go on without.`,
    );
  }
}

function inVault(vault: string, file: string): string {
  return relative(vault, file).replaceAll('\\', '/');
}

/** The real path of the deepest folder that exists, and the rest as it is. */
async function deepestReal(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error) || dirname(file) === file) return file;
    return join(await deepestReal(dirname(file)), basename(file));
  }
}
