import type { Log } from '../../core/ports';
import { callContext } from '../../core/tool/tool';
import { callerOf, type SessionCache } from './session-cache';
import type { DiskBoards } from './disk-boards';
import { protectedFiles, type EditGuard } from './edit-guard';
import type { ModelLimits } from './message-drafts';
import {
  addPermissionDefaults,
  type OpencodeConfig,
  type ToolSettings,
} from './permission-defaults';
import { SummaryHooks, type PromptMessage } from './summary-hooks';
import { describeTool, offeredTools } from './tool-definitions';
import type { NewPrompt, SubagentTools } from './subagent-tools';
import type { ToolRunner } from './tool-runner';
import type { Clients } from '../server/clients';
import { readEvent } from './opencode-event';
import type { Prompter, StoredPrompts } from './prompter';
import { START_MARK, type SessionStarts } from './session-starts';
import type { TodoFeed } from './todo-feed';
import type { Translator } from './translator';
import type { UsageLog } from './usage-log';
import type { RawClient } from './opencode-api';
import type { ToolDefinition } from './tool-call';

interface HookServices {
  /** the vault, absolute */
  readonly vault: string;
  /** what OpenCode names files relative to */
  readonly worktree: string;
  readonly boards: DiskBoards;
  readonly clients: Clients;
  readonly edits: EditGuard;
  readonly limits: ModelLimits;
  readonly log: Log;
  readonly prompter: Prompter;
  readonly prompts: StoredPrompts;
  readonly runner: ToolRunner;
  readonly sessions: SessionCache;
  readonly starts: SessionStarts;
  readonly subagents: SubagentTools;
  readonly todos: TodoFeed;
  /** who is shown what, as the settings say when OpenCode starts */
  readonly tools: ToolSettings;
  readonly translator: Translator;
  readonly usage: UsageLog;
  readonly close: () => Promise<void>;
}

/** All that OpenCode calls us for; nothing of it can break a turn, and only a protected file an edit. */
export function hooksOf(services: HookServices): Hooks {
  const { vault, worktree, boards, log, tools, edits, limits, subagents } = services;
  const summary = new SummaryHooks(async ({ sessionId, agent }) => {
    const { board } = await callerOf(services.sessions, sessionId);
    return (await boards.manager()).summary(
      callContext({ sessionId, agent, ...(board && { board }) }),
    );
  });
  return {
    event: guarded(log, 'event', ({ event }) => heard(event, services)),
    config: guarded(log, 'config', async (config) => {
      subagents.configured(config);
      const files = protectedFiles(vault, worktree, await boards.root());
      addPermissionDefaults(config, { protectedFiles: files, tools });
    }),
    tool: offeredTools(services.runner, tools),
    // What it throws is for the model: this call, and nothing else, is not run.
    'tool.execute.before': ({ tool }, { args }) => edits.check(tool, args),
    'tool.definition': guarded(log, 'tool.definition', ({ toolID }, output) =>
      describeTool(toolID, output, tools),
    ),
    'chat.message': guarded(log, 'chat.message', ({ sessionID }, output) =>
      subagents.prompted(sessionID, output),
    ),
    'chat.params': guarded(log, 'chat.params', (input: unknown) => limits.heard(input)),
    'experimental.chat.messages.transform': guarded(log, 'messages.transform', (_, { messages }) =>
      summary.transform(messages),
    ),
    'experimental.session.compacting': guarded(log, 'session.compacting', ({ sessionID }, output) =>
      summary.compact(sessionID, output.context),
    ),
    dispose: guarded(log, 'dispose', services.close),
  };
}

/** One event of OpenCode, from hearing it to telling the clients, without a pause in between. */
function heard(value: unknown, services: HookServices): void {
  const { sessions, clients, edits, prompter, prompts, starts, todos, translator, usage } =
    services;
  const event = readEvent(value);
  if (!event) return;
  sessions.heard(event);
  todos.heard(event);
  edits.heard(event);
  prompts.heard(event);
  if (event.type === 'session.deleted') prompter.forget(event.properties.sessionID);
  const mark =
    event.type === 'session.created' ? event.properties.info.metadata?.[START_MARK] : undefined;
  for (const draft of translator.translate(event)) {
    usage.heard(draft);
    if (draft.type === 'session.created') starts.created(draft, mark);
    else clients.publish(draft);
  }
}

/** What OpenCode 1.x hands a plugin, as far as we use it. */
export interface PluginInput {
  readonly client: { readonly _client: RawClient };
  /** the folder OpenCode runs in */
  readonly directory: string;
  /** the git worktree; `/` outside git */
  readonly worktree: string;
}

/** What a plugin hands OpenCode; outputs are changed in place. */
export interface Hooks {
  event(input: { event: unknown }): Promise<void>;
  config(config: OpencodeConfig): Promise<void>;
  dispose(): Promise<void>;
  readonly tool: Readonly<Record<string, ToolDefinition>>;
  /** Before a call of any tool; one that it throws for is not run. */
  'tool.execute.before'(input: { tool: string }, output: { args: unknown }): Promise<void>;
  'tool.definition'(input: { toolID: string }, output: { description: string }): Promise<void>;
  'chat.message'(input: { sessionID: string }, output: NewPrompt): Promise<void>;
  'chat.params'(input: unknown, output: unknown): Promise<void>;
  'experimental.chat.messages.transform'(
    input: unknown,
    output: { messages: PromptMessage[] },
  ): Promise<void>;
  'experimental.session.compacting'(
    input: { sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
}

/**
 * A hook that OpenCode may call: what goes wrong in it is noted and stays in it. OpenCode would end
 * the turn for an error of a hook, and the process for a rejection of `event`, which it never awaits.
 */
export function guarded<A extends unknown[]>(
  log: Log,
  name: string,
  hook: (...args: A) => Promise<void> | void,
): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await hook(...args);
    } catch (error) {
      log.note(`The hook ${name} failed.`, { error: String(error) });
    }
  };
}
