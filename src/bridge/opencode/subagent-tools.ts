import { TASKS_PERMISSION } from '../../core/engine/engine-permissions';
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
 * Hides the task tools in subagent sessions whose agent has another mode than `subagent` (an agent
 * of mode `all` may run as one in some sessions). The same rule applies as in the configuration:
 * unless a rule of the user names `tasks`. Sessions started for a board keep the tools.
 */
export class SubagentTools {
  private isRuledForAll = false;
  /** agents for which the user's rules name `tasks` */
  private ruledAgents: ReadonlySet<string> = new Set();

  constructor(
    private readonly sessions: Pick<SessionCache, 'get'>,
    private readonly settings: ToolSettings,
  ) {}

  /** Reads the user's configuration, before our defaults are added. */
  readConfig(config: OpencodeConfig): void {
    this.isRuledForAll = namesPermission(config.permission, TASKS_PERMISSION);
    this.ruledAgents = new Set(
      Object.entries(config.agent ?? {}).flatMap(([name, agent]) =>
        namesPermission(agent?.permission, TASKS_PERMISSION) ? [name] : [],
      ),
    );
  }

  /**
   * The rules that allow `tasks` in a session started for a board, whatever its agent's mode: none
   * if a rule of the user names `tasks`, or if our own rules deny it to that agent.
   */
  allowRules(agent: string | undefined): readonly OpencodeRule[] {
    if (this.isRuled(agent) || this.settings.deniedTools(agent ?? '').includes(TASKS_PERMISSION))
      return [];
    return [{ permission: TASKS_PERMISSION, pattern: '*', action: 'allow' }];
  }

  /** Handles `chat.message` by changing the prompt. */
  async handlePrompt(sessionId: string, { message }: NewPrompt): Promise<void> {
    const { subagents, aliases } = this.settings;
    if (subagents || this.isRuled(message.agent)) return;
    const { parentId, board } = await this.sessions.get(sessionId);
    if (parentId === undefined || board !== undefined) return;
    const off = [TASKS_PERMISSION, ...aliases].map((name): [string, boolean] => [name, false]);
    message.tools = { ...message.tools, ...Object.fromEntries(off) };
  }

  private isRuled(agent: string | undefined): boolean {
    return this.isRuledForAll || this.ruledAgents.has(agent ?? '');
  }
}
