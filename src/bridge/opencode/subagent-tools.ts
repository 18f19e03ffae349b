import { TASKS } from '../../core/engine/asked';
import {
  namesPermission,
  type OpencodeConfig,
  type OpencodeRule,
  type ToolSettings,
} from './permission-defaults';
import type { SessionCache } from './session-cache';

/** A prompt that OpenCode is about to store. `tools` is by name; false hides a tool. */
export interface NewPrompt {
  readonly message: { readonly agent?: string; tools?: Record<string, boolean> };
}

/**
 * Hides the task tools in sub-agent sessions whose agent has another mode than `subagent` (an agent
 * of mode `all` may run as one in some sessions). The same rule applies as in the configuration:
 * unless a rule of the user names `tasks`. Sessions started for a board keep the tools.
 */
export class SubagentTools {
  private everybody = false;
  /** agents for which the user's rules name `tasks` */
  private ruled: ReadonlySet<string> = new Set();

  constructor(
    private readonly sessions: Pick<SessionCache, 'get'>,
    private readonly settings: ToolSettings,
  ) {}

  /** Reads the user's configuration, before our defaults are added. */
  configured(config: OpencodeConfig): void {
    this.everybody = namesPermission(config.permission, TASKS);
    this.ruled = new Set(
      Object.entries(config.agent ?? {}).flatMap(([name, agent]) =>
        namesPermission(agent?.permission, TASKS) ? [name] : [],
      ),
    );
  }

  /**
   * The rules that allow `tasks` in a session started for a board, whatever its agent's mode: none
   * if a rule of the user names `tasks`, or if our own rules deny it to that agent.
   */
  allowed(agent: string | undefined): readonly OpencodeRule[] {
    if (this.isRuled(agent) || this.settings.shut(agent ?? '').includes(TASKS)) return [];
    return [{ permission: TASKS, pattern: '*', action: 'allow' }];
  }

  /** Handles `chat.message` by changing the prompt. */
  async prompted(sessionId: string, { message }: NewPrompt): Promise<void> {
    const { subagents, aliases } = this.settings;
    if (subagents || this.isRuled(message.agent)) return;
    const { parentId, board } = await this.sessions.get(sessionId);
    if (parentId === undefined || board !== undefined) return;
    const off = [TASKS, ...aliases].map((name): [string, boolean] => [name, false]);
    message.tools = { ...message.tools, ...Object.fromEntries(off) };
  }

  private isRuled(agent: string | undefined): boolean {
    return this.everybody || this.ruled.has(agent ?? '');
  }
}
