import type { Log } from '../../core/ports';
import type { OpencodeConfig } from './permission-defaults';
import type { PromptMessage } from './summary-hooks';
import type { NewPrompt } from './subagent-tools';
import type { RawClient } from './opencode-api';
import type { ToolDefinition } from './tool-call';

/** The part that we use of what OpenCode 1.x passes to a plugin. */
export interface PluginInput {
  readonly client: { readonly _client: RawClient };
  /** the folder that OpenCode runs in */
  readonly directory: string;
  /** the git worktree; `/` outside git */
  readonly worktree: string;
}

/** The hooks that a plugin returns to OpenCode. They modify `output` in place. */
export interface OpenCodeHooks {
  event(input: { event: unknown }): Promise<void>;
  config(config: OpencodeConfig): Promise<void>;
  dispose(): Promise<void>;
  readonly tool: Readonly<Record<string, ToolDefinition>>;
  /** Called before a call of any tool. If it throws, the call is not run. */
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
 * Wraps a hook so that errors are logged and not thrown. OpenCode would end the turn if a hook
 * fails, and the process if `event` rejects, since it never awaits it.
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
