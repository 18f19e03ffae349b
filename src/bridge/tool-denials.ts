import type { SharedSettings } from '../core/shared-settings';
import { ALIASES } from '../core/tool/alias/aliases';
import type { AgentConfig, OpencodeConfig } from './permission-defaults';
import { flattenRules, isHidden, namesPermission, type Rules } from './permission-rules';

/** The permission of all task tools. */
export const TASKS = 'tasks';
/** OpenCode's own list. */
export const TODOWRITE = 'todowrite';

/** What of the shared settings, as they stand when OpenCode starts, decides who is shown what. */
export interface ToolSettings {
  /** whether sub-agents may use the task tools */
  readonly subagents: boolean;
  readonly todowrite: 'mirror' | 'replace' | 'leave';
  /** the tools beside `tasks` that models are shown, which run under its permission */
  readonly aliases: readonly string[];
}

export function toolSettings({ subagents, todowrite, aliases }: SharedSettings): ToolSettings {
  return { subagents, todowrite, aliases: aliases ? ALIASES.map(({ name }) => name) : [] };
}

/**
 * Which tools an agent is not shown, as permissions to add to its own.
 * - The task tools, for a sub-agent, unless a rule of the user names `tasks` or the setting allows
 *   them: the rule by which OpenCode keeps `todowrite` from sub-agents.
 * - What replaces `tasks` goes with it, also where the user denies `tasks`.
 * - `todowrite`, where the board replaces it and the agent has one.
 */
export function toolDenials(
  config: OpencodeConfig,
  agent: AgentConfig | undefined,
  isSubagent: boolean,
  settings: ToolSettings,
): Readonly<Record<string, Rules>> {
  const isRuled = (name: string): boolean =>
    namesPermission(config.permission, name) || namesPermission(agent?.permission, name);
  const rules = [...flattenRules(config.permission), ...flattenRules(agent?.permission)];
  const byDefault = isSubagent && !settings.subagents && !isRuled(TASKS);
  const hasTasks = !byDefault && !isHidden(rules, TASKS);
  const replaced = settings.todowrite === 'replace' ? [TODOWRITE] : [];
  const denied = [
    ...(byDefault ? [TASKS] : []),
    ...(hasTasks ? replaced : settings.aliases).filter((name) => !isRuled(name)),
  ];
  return Object.fromEntries(denied.map((name) => [name, 'deny']));
}
