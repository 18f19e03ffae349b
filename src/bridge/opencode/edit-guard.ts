import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { foldPath } from '../../core/permission/vault-target';
import { isMissing } from '../../node/store-error';
import type { OpencodeEvent } from './opencode-event';
import { matchesWildcard } from './permission-defaults';
import { existsSync, readdirSync } from 'node:fs';
import { RUN_FOLDER } from '../../protocol/run-file';

interface EditGuardOptions {
  /** absolute */
  readonly vault: string;
  /** the folder that OpenCode resolves paths against */
  readonly directory: string;
  /** the folder that OpenCode's permission requests name files relative to */
  readonly worktree: string;
  /** patterns of protected files under the current settings, relative to the vault */
  readonly protectedFiles: () => Promise<readonly string[]>;
}

/** The message is for the model; OpenCode makes it the tool's result. */
class EditRefusal extends Error {}

/**
 * Refuses edits of protected files that OpenCode's own rule would miss: a patch that moves a file
 * there, a name in another case or Unicode form, a link to the file, and any edit after the person
 * answered "always" for all edits. For other edits, OpenCode asks by the file's own path.
 */
export class EditGuard {
  /** by request id, the patterns that the answer "always" would allow */
  private readonly alwaysPatterns = new Map<string, readonly string[]>();
  /** patterns of files that OpenCode no longer asks about */
  private readonly allowedPatterns = new Set<string>();

  constructor(private readonly options: EditGuardOptions) {}

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'permission.asked') {
      const { id, permission, always } = event.properties;
      if (permission === 'edit') this.alwaysPatterns.set(id, always);
    } else if (event.type === 'permission.replied') {
      const { requestID, reply } = event.properties;
      const patterns = this.alwaysPatterns.get(requestID) ?? [];
      this.alwaysPatterns.delete(requestID);
      if (reply === 'always') for (const pattern of patterns) this.allowedPatterns.add(pattern);
    }
  }

  /** @throws EditRefusal */
  async check(tool: string, args: unknown): Promise<void> {
    const edits = editsOf(tool, args);
    if (edits.length === 0) return;
    const patterns = await this.options.protectedFiles();
    for (const edit of edits) await this.checkEdit(edit, patterns);
  }

  private async checkEdit({ path, isAsked }: Edit, patterns: readonly string[]): Promise<void> {
    const { vault, directory, worktree } = this.options;
    const file = resolve(directory, path);
    const plain = relativePath(vault, file);
    if (isAsked && patterns.some((pattern) => matchesWildcard(plain, pattern))) {
      const named = relativePath(worktree, file);
      const passes = [...this.allowedPatterns].some((pattern) => matchesWildcard(named, pattern));
      if (passes) throw new EditRefusal(`Nothing was done: ${path} ${NOT_MEANT}`);
      return;
    }
    const real = relativePath(await deepestReal(vault), await deepestReal(file));
    const forms = [foldPath(plain), foldPath(real)];
    const protectedPattern = patterns.find((pattern) =>
      forms.some((form) => matchesWildcard(form, foldPath(pattern))),
    );
    if (protectedPattern === undefined) return;
    throw new EditRefusal(
      `Nothing was done: ${path} is or leads to a protected file (${protectedPattern}). Edit it by its own path, so that the person is asked, or go on without.`,
    );
  }
}

const NOT_MEANT =
  'is a protected file. The person allowed all edits for good, and this is not meant by that. Tell them what to change in it, or go on without.';

function relativePath(folder: string, file: string): string {
  return relative(folder, file).replaceAll('\\', '/');
}

/** The real path of the deepest existing folder, with the rest of the path appended. */
async function deepestReal(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error) || dirname(file) === file) return file;
    return join(await deepestReal(dirname(file)), basename(file));
  }
}

/** A file that a call of one of OpenCode's own tools would change. */
interface Edit {
  /** as sent */
  readonly path: string;
  /** whether OpenCode evaluates its rules for `edit` with this path */
  readonly isAsked: boolean;
}

/** OpenCode's tools that need its permission `edit`. */
const EDIT_TOOLS: ReadonlySet<string> = new Set([
  'edit',
  'write',
  'multiedit',
  'patch',
  'apply_patch',
]);

const PATCH_HEADER = /^[ \t]*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/gm;

/**
 * The files that a call edits. Accepts any arguments; invalid ones give no files. For a patch,
 * OpenCode asks about the files that it changes, but not about the targets of moves.
 */
function editsOf(tool: string, args: unknown): readonly Edit[] {
  if (!EDIT_TOOLS.has(tool) || typeof args !== 'object' || args === null) return [];
  const { filePath, path, patchText, patch } = args as Partial<Record<string, unknown>>;
  const named = [filePath, path].filter((one) => typeof one === 'string');
  const patches = [patchText, patch].filter((one) => typeof one === 'string');
  return [
    ...named.map((one) => ({ path: one, isAsked: true })),
    ...patches.flatMap(patchedFiles),
  ].filter(({ path: one }) => one !== '');
}

function patchedFiles(text: string): readonly Edit[] {
  return [...text.matchAll(PATCH_HEADER)].map(([, what, path = '']) => ({
    path: path.trim(),
    isAsked: what !== 'Move to',
  }));
}

/**
 * Patterns, relative to the vault, of files that an agent's own `edit` must not change without
 * asking: our shared settings and rules, what OpenCode loads as code or reads its rules from,
 * Obsidian's configuration, and the boards, which are changed with their tool.
 * @param boardRoot relative to the vault
 */
export function protectedInVault(vault: string, boardRoot: string): readonly string[] {
  const configs = new Set(['.obsidian', ...configFolders(vault)]);
  return [
    '.opencode/agent-task-boards*',
    '.opencode/plugin/*',
    '.opencode/plugins/*',
    '.opencode/tool/*',
    '.opencode/tools/*',
    '.opencode/agent/*',
    '.opencode/agents/*',
    '.opencode/opencode.json*',
    'opencode.json*',
    `${RUN_FOLDER}/*`,
    ...[...configs].map((folder) => `${folder}/*`),
    `${boardRoot}/*`,
  ];
}

/**
 * The same patterns, relative to OpenCode's worktree.
 * @param worktree the git worktree; outside git, the root of the disk
 */
export function protectedFiles(
  vault: string,
  worktree: string,
  boardRoot: string,
): readonly string[] {
  return protectedInVault(vault, boardRoot).map((pattern) =>
    relative(worktree, join(vault, pattern)).replaceAll('\\', '/'),
  );
}

/** Files in Obsidian's configuration folder, at least one of which exists once Obsidian has run. */
const CONFIG_FILES = ['app.json', 'appearance.json', 'core-plugins.json', 'workspace.json'];

/** Obsidian's configuration folders. A person can choose another name that begins with a dot. */
function configFolders(vault: string): readonly string[] {
  if (!existsSync(vault)) return [];
  return readdirSync(vault).filter(
    (name) =>
      name.startsWith('.') && CONFIG_FILES.some((file) => existsSync(join(vault, name, file))),
  );
}
