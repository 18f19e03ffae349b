import type { Log } from '../core/ports';
import type { DiskBoards } from './disk-boards';
import { guarded } from './guarded';
import type { Hooks } from './opencode-plugin';
import { addPermissionDefaults } from './permission-defaults';
import { protectedFiles } from './protected-files';
import { SummaryHooks } from './summary-hooks';
import { aliasTools, tasksTool } from './tasks-tool';
import type { ToolRunner } from './tool-runner';

export interface HookParts {
  /** the vault, absolute */
  readonly vault: string;
  /** what OpenCode names files relative to */
  readonly worktree: string;
  readonly boards: DiskBoards;
  readonly log: Log;
  readonly runner: ToolRunner;
  /** whether models see the deprecated tools too */
  readonly aliases: boolean;
  readonly onEvent: (input: { event: unknown }) => void;
  readonly close: () => Promise<void>;
}

/** All that OpenCode calls us for; nothing of it can break a turn. */
export function hooksOf({ vault, worktree, boards, log, ...parts }: HookParts): Hooks {
  const summary = new SummaryHooks(async (caller) => (await boards.manager()).summary(caller));
  return {
    event: guarded(log, 'event', parts.onEvent),
    config: guarded(log, 'config', async (config) => {
      addPermissionDefaults(config, protectedFiles(vault, worktree, await boards.root()));
    }),
    tool: { tasks: tasksTool(parts.runner), ...(parts.aliases && aliasTools(parts.runner)) },
    'experimental.chat.messages.transform': guarded(log, 'messages.transform', (_, { messages }) =>
      summary.transform(messages),
    ),
    'experimental.session.compacting': guarded(log, 'session.compacting', ({ sessionID }, output) =>
      summary.compact(sessionID, output.context),
    ),
    dispose: guarded(log, 'dispose', parts.close),
  };
}
