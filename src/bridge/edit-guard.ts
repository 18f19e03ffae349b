import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { foldPath } from '../core/permission/fold-path';
import { isMissing } from '../node/is-missing';
import { editsOf, type Edit } from './edits-of';
import type { OpencodeEvent } from './opencode-event';
import { matchesWildcard } from './wildcard';

export interface EditGuardParts {
  /** absolute */
  readonly vault: string;
  /** what OpenCode takes paths to be relative to */
  readonly directory: string;
  /** what it names files relative to, where it asks */
  readonly worktree: string;
  /** patterns of protected files, relative to the vault, as the settings say now */
  readonly protectedFiles: () => Promise<readonly string[]>;
}

/** What the model is told; OpenCode makes it the result of the tool. */
export class EditRefusal extends Error {}

/**
 * Refuses an edit of a protected file that OpenCode's own rule about it would not see: where a patch moves
 * a file, where the name is in another case or Unicode form than on disk, where a link leads there, and once
 * the person has answered "always" for all edits. What is edited by its own path OpenCode asks about.
 */
export class EditGuard {
  /** what the answer "always" to a request would let pass from then on */
  private readonly offered = new Map<string, readonly string[]>();
  /** patterns of files that OpenCode asks about no more */
  private readonly opened = new Set<string>();

  constructor(private readonly parts: EditGuardParts) {}

  heard(event: OpencodeEvent): void {
    if (event.type === 'permission.asked') {
      const { id, permission, always } = event.properties;
      if (permission === 'edit') this.offered.set(id, always);
    } else if (event.type === 'permission.replied') {
      const { requestID, reply } = event.properties;
      const patterns = this.offered.get(requestID) ?? [];
      this.offered.delete(requestID);
      if (reply === 'always') for (const pattern of patterns) this.opened.add(pattern);
    }
  }

  /** @throws EditRefusal */
  async check(tool: string, args: unknown): Promise<void> {
    const edits = editsOf(tool, args);
    if (edits.length === 0) return;
    const patterns = await this.parts.protectedFiles();
    for (const edit of edits) await this.look(edit, patterns);
  }

  private async look({ path, isAsked }: Edit, patterns: readonly string[]): Promise<void> {
    const { vault, directory, worktree } = this.parts;
    const file = resolve(directory, path);
    const plain = within(vault, file);
    if (isAsked && patterns.some((pattern) => matchesWildcard(plain, pattern))) {
      const named = within(worktree, file);
      const passes = [...this.opened].some((pattern) => matchesWildcard(named, pattern));
      if (passes) throw new EditRefusal(`Nothing was done: ${path} ${NOT_MEANT}`);
      return;
    }
    const real = within(await deepestReal(vault), await deepestReal(file));
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

const NOT_MEANT =
  'is a protected file. The person allowed all edits for good, and this is not meant by that. Tell them what to change in it, or go on without.';

function within(folder: string, file: string): string {
  return relative(folder, file).replaceAll('\\', '/');
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
