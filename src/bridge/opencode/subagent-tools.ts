import { TASKS } from '../../core/engine/asked';
import {
  namesPermission,
  type OpencodeConfig,
  type OpencodeRule,
  type ToolSettings,
} from './permission-defaults';
import type { SessionCache } from './session-cache';

/** A prompt that OpenCode is about to keep: `tools` by name, false for one that is not shown. */
export interface NewPrompt {
  readonly message: { readonly agent?: string; tools?: Record<string, boolean> };
}

/**
 * Keeps the task tools from the sessions of sub-agents whose agent is no sub-agent by its mode (an
 * agent of mode `all` is one only for the session at hand), by the same rule as the configuration:
 * unless a rule of the user names `tasks`. A session that was started for a board keeps them.
 */
export class SubagentTools {
  private everybody = false;
  /** agents of which the user says something of `tasks` */
  private ruled: ReadonlySet<string> = new Set();

  constructor(
    private readonly sessions: Pick<SessionCache, 'get'>,
    private readonly settings: ToolSettings,
  ) {}

  /** The configuration as the user has it, before our own defaults. */
  configured(config: OpencodeConfig): void {
    this.everybody = namesPermission(config.permission, TASKS);
    this.ruled = new Set(
      Object.entries(config.agent ?? {}).flatMap(([name, agent]) =>
        namesPermission(agent?.permission, TASKS) ? [name] : [],
      ),
    );
  }

  /**
   * The rules of a session that is started for a board: `tasks` is what it is started with, whatever
   * the mode of its agent, unless a rule of the user names it, or ours keep it from that agent.
   */
  allowed(agent: string | undefined): readonly OpencodeRule[] {
    if (this.isRuled(agent) || this.settings.shut(agent ?? '').includes(TASKS)) return [];
    return [{ permission: TASKS, pattern: '*', action: 'allow' }];
  }

  /** `chat.message`: changes the prompt. */
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
