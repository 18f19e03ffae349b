import type { Log } from '../../core/ports';
import type { OpencodeConfig } from './permission-defaults';
import type { PromptMessage } from './summary-hooks';
import type { NewPrompt } from './subagent-tools';
import type { RawClient } from './opencode-api';
import type { ToolDefinition } from './tool-call';

/** What OpenCode 1.x hands a plugin, as far as we use it. */
export interface PluginInput {
  readonly client: { readonly _client: RawClient };
  /** the folder OpenCode runs in */
  readonly directory: string;
  /** the git worktree; `/` outside git */
  readonly worktree: string;
}

/** What a plugin hands OpenCode; outputs are changed in place. */
export interface OpenCodeHooks {
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
      log.note('A hook failed.', { at: `bridge.${name}`, severity: 'error', error: String(error) });
    }
  };
}
