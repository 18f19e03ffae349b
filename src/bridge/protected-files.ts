import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { RUN_FOLDER } from '../protocol/run-file';

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

/** Where Obsidian keeps its settings: a person can choose another folder, which begins with a dot. */
function configFolders(vault: string): readonly string[] {
  if (!existsSync(vault)) return [];
  return readdirSync(vault).filter(
    (name) => name.startsWith('.') && existsSync(join(vault, name, 'app.json')),
  );
}
