import type { Log } from '../core/ports';
import { callContext } from '../core/tool/tool';
import { callerOf } from './caller-of';
import type { DiskBoards } from './disk-boards';
import type { EditGuard } from './edit-guard';
import { guarded } from './guarded';
import type { ModelLimits } from './model-limits';
import type { Hooks } from './opencode-plugin';
import { noteTools } from './note-tools';
import { addPermissionDefaults } from './permission-defaults';
import { protectedFiles } from './protected-files';
import { SummaryHooks } from './summary-hooks';
import { aliasTools, tasksTool } from './tasks-tool';
import type { SessionBook } from './session-book';
import type { SubagentTools } from './subagent-tools';
import type { ToolSettings } from './tool-denials';
import { describeTool } from './tool-words';
import type { ToolRunner } from './tool-runner';

export interface HookParts {
  /** the vault, absolute */
  readonly vault: string;
  /** what OpenCode names files relative to */
  readonly worktree: string;
  readonly boards: DiskBoards;
  readonly log: Log;
  readonly book: SessionBook;
  readonly runner: ToolRunner;
  readonly limits: ModelLimits;
  /** who is shown what, as the settings say when OpenCode starts */
  readonly tools: ToolSettings;
  readonly subagents: SubagentTools;
  readonly edits: EditGuard;
  readonly onEvent: (input: { event: unknown }) => void;
  readonly close: () => Promise<void>;
}

/** All that OpenCode calls us for; nothing of it can break a turn, and only a protected file an edit. */
export function hooksOf({ vault, worktree, boards, log, tools, ...parts }: HookParts): Hooks {
  const summary = new SummaryHooks(async ({ sessionId, agent }) => {
    const { board } = await callerOf(parts.book, sessionId);
    return (await boards.manager()).summary(
      callContext({ sessionId, agent, ...(board && { board }) }),
    );
  });
  return {
    event: guarded(log, 'event', parts.onEvent),
    config: guarded(log, 'config', async (config) => {
      parts.subagents.configured(config);
      const files = protectedFiles(vault, worktree, await boards.root());
      addPermissionDefaults(config, { protectedFiles: files, tools });
    }),
    tool: {
      tasks: tasksTool(parts.runner),
      ...(tools.aliases.length > 0 && aliasTools(parts.runner)),
      ...(tools.notes && noteTools(parts.runner)),
    },
    // What it throws is for the model: this call, and nothing else, is not run.
    'tool.execute.before': ({ tool }, { args }) => parts.edits.check(tool, args),
    'tool.definition': guarded(log, 'tool.definition', ({ toolID }, output) =>
      describeTool(toolID, output, tools),
    ),
    'chat.message': guarded(log, 'chat.message', ({ sessionID }, output) =>
      parts.subagents.prompted(sessionID, output),
    ),
    'chat.params': guarded(log, 'chat.params', (input: unknown) => parts.limits.heard(input)),
    'experimental.chat.messages.transform': guarded(log, 'messages.transform', (_, { messages }) =>
      summary.transform(messages),
    ),
    'experimental.session.compacting': guarded(log, 'session.compacting', ({ sessionID }, output) =>
      summary.compact(sessionID, output.context),
    ),
    dispose: guarded(log, 'dispose', parts.close),
  };
}
