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
  /** what OpenCode takes paths to be relative to */
  readonly directory: string;
  /** what it names files relative to, where it asks */
  readonly worktree: string;
  /** patterns of protected files, relative to the vault, as the settings say now */
  readonly protectedFiles: () => Promise<readonly string[]>;
}

/** What the model is told; OpenCode makes it the result of the tool. */
class EditRefusal extends Error {}

/**
 * Refuses an edit of a protected file that OpenCode's own rule would miss: a patch that moves a file, a
 * name in another case or Unicode form than on disk, a link that leads there, and any edit after the person
 * has answered "always" for all edits. OpenCode itself asks about an edit by the file's own path.
 */
export class EditGuard {
  /** what the answer "always" to a request would let pass from then on */
  private readonly offered = new Map<string, readonly string[]>();
  /** patterns of files that OpenCode asks about no more */
  private readonly opened = new Set<string>();

  constructor(private readonly options: EditGuardOptions) {}

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
    const patterns = await this.options.protectedFiles();
    for (const edit of edits) await this.look(edit, patterns);
  }

  private async look({ path, isAsked }: Edit, patterns: readonly string[]): Promise<void> {
    const { vault, directory, worktree } = this.options;
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

/** A file that a call of one of OpenCode's own tools would change. */
interface Edit {
  /** as sent */
  readonly path: string;
  /** whether OpenCode's rules about `edit` are asked about just this path */
  readonly isAsked: boolean;
}

/** OpenCode's tools that go by its permission `edit`. */
const EDITORS: ReadonlySet<string> = new Set([
  'edit',
  'write',
  'multiedit',
  'patch',
  'apply_patch',
]);

const HEADER = /^[ \t]*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/gm;

/**
 * The files that a call edits. Accepts any arguments; unreadable ones name no file. For a patch, OpenCode
 * asks about the files that it changes, but not about the targets of its moves.
 */
function editsOf(tool: string, args: unknown): readonly Edit[] {
  if (!EDITORS.has(tool) || typeof args !== 'object' || args === null) return [];
  const { filePath, path, patchText, patch } = args as Partial<Record<string, unknown>>;
  const named = [filePath, path].filter((one) => typeof one === 'string');
  const patches = [patchText, patch].filter((one) => typeof one === 'string');
  return [
    ...named.map((one) => ({ path: one, isAsked: true })),
    ...patches.flatMap(headersOf),
  ].filter(({ path: one }) => one !== '');
}

function headersOf(text: string): readonly Edit[] {
  return [...text.matchAll(HEADER)].map(([, what, path = '']) => ({
    path: path.trim(),
    isAsked: what !== 'Move to',
  }));
}

/**
 * What an agent's own `edit` must not change unasked, as patterns for OpenCode, relative to the vault: our
 * shared settings and rules, what OpenCode loads as code or takes its own rules from, Obsidian's
 * configuration, and the boards, whose tool is the way to change them.
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
 * The same as OpenCode names files.
 * @param worktree what it names them relative to: the git worktree, outside git the disk
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

/** Files that Obsidian writes into its configuration folder, of which one is there as soon as it ran. */
const CONFIG_FILES = ['app.json', 'appearance.json', 'core-plugins.json', 'workspace.json'];

/** Where Obsidian keeps its settings: a person can choose another folder, which begins with a dot. */
function configFolders(vault: string): readonly string[] {
  if (!existsSync(vault)) return [];
  return readdirSync(vault).filter(
    (name) =>
      name.startsWith('.') && CONFIG_FILES.some((file) => existsSync(join(vault, name, file))),
  );
}
