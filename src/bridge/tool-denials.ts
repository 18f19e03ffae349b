import type { SharedSettings } from '../core/shared-settings';
import { ALIASES } from '../core/tool/alias/aliases';
import { shutTools } from './shut-tools';
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
  /** whether models are shown the tools for notes */
  readonly notes: boolean;
  /** of all our tools, those that the rules keep from an agent altogether */
  readonly shut: (agent: string) => readonly string[];
}

export function toolSettings(settings: SharedSettings): ToolSettings {
  const { subagents, todowrite, noteTools } = settings;
  return {
    subagents,
    todowrite,
    aliases: settings.aliases ? ALIASES.map(({ name }) => name) : [],
    notes: noteTools,
    shut: shutTools(settings),
  };
}

/**
 * Which tools an agent is not shown, as permissions to add to its own.
 * - The task tools, for a sub-agent, unless a rule of the user names `tasks` or the setting allows
 *   them: the rule by which OpenCode keeps `todowrite` from sub-agents.
 * - What replaces `tasks` goes with it, also where the user denies `tasks`.
 * - `todowrite`, where the board replaces it and the agent has one.
 * - What our own rules keep from it altogether, whatever OpenCode's say.
 */
export function toolDenials(
  config: OpencodeConfig,
  name: string,
  agent: AgentConfig | undefined,
  isSubagent: boolean,
  settings: ToolSettings,
): Readonly<Record<string, Rules>> {
  const isRuled = (permission: string): boolean =>
    namesPermission(config.permission, permission) ||
    namesPermission(agent?.permission, permission);
  const rules = [...flattenRules(config.permission), ...flattenRules(agent?.permission)];
  const byDefault = isSubagent && !settings.subagents && !isRuled(TASKS);
  const shut = settings.shut(name);
  const hasTasks = !byDefault && !isHidden(rules, TASKS) && !shut.includes(TASKS);
  const replaced = settings.todowrite === 'replace' ? [TODOWRITE] : [];
  const denied = [
    ...(byDefault ? [TASKS] : []),
    ...(hasTasks ? replaced : settings.aliases).filter((tool) => !isRuled(tool)),
    ...shut,
  ];
  return Object.fromEntries(denied.map((tool) => [tool, 'deny']));
}
