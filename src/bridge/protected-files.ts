import { join, relative } from 'node:path';
import { RUN_FOLDER } from '../protocol/run-file';

/**
 * What an agent's own `edit` must not change unasked, as patterns for OpenCode: our shared settings
 * and rules, what OpenCode loads as code, Obsidian's configuration, and the boards, whose tool is
 * the way to change them.
 * @param boardRoot relative to the vault
 * @param worktree what OpenCode names files relative to: the git worktree, outside git the disk
 */
export function protectedFiles(
  vault: string,
  worktree: string,
  boardRoot: string,
): readonly string[] {
  return [
    '.opencode/agent-task-boards*',
    '.opencode/plugin/*',
    '.opencode/plugins/*',
    `${RUN_FOLDER}/*`,
    '.obsidian/*',
    `${boardRoot}/*`,
  ].map((pattern) => relative(worktree, join(vault, pattern)).replaceAll('\\', '/'));
}
