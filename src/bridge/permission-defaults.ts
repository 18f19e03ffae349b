import {
  asRules,
  flattenRules,
  type PermissionConfig,
  type Rule,
  type Rules,
} from './permission-rules';
import { toolDenials, type ToolSettings } from './tool-denials';
import { matchesWildcard } from './wildcard';

export interface AgentConfig {
  mode?: string;
  disable?: boolean;
  permission?: PermissionConfig;
}

/** What of OpenCode's merged configuration the hook reads and changes. */
export interface OpencodeConfig {
  permission?: PermissionConfig;
  agent?: Record<string, AgentConfig | undefined>;
}

export interface PermissionDefaults {
  /** patterns of what an agent's own `edit` must not change unasked */
  readonly protectedFiles: readonly string[];
  readonly tools: ToolSettings;
}

/** OpenCode's own sub-agents; they need not stand in the configuration. */
const SUBAGENTS = ['general', 'explore'];
/** OpenCode's own agents that may edit nothing before the user's rules say more. */
const READERS = ['plan', 'explore', 'compaction', 'title', 'summary'];
const OWN = ['build', ...SUBAGENTS, ...READERS];
/** Those of them that have no tools at all. */
const HIDDEN = ['compaction', 'title', 'summary'];

/** What a call of the task tools asks OpenCode for where our own rules say to ask. */
export const TASKS_ASK = 'tasks_ask';

/**
 * Our defaults in OpenCode's configuration; changes `config`.
 * - Tools that an agent is not to be shown are denied to it; see `toolDenials`.
 * - An edit of a protected file asks, for each agent that could else edit it unasked. What the user
 *   denies stays denied, and a rule of theirs for just that pattern stays.
 * - `tasks_ask` asks, for every agent: else OpenCode would let pass what it has no rule for.
 */
export function addPermissionDefaults(config: OpencodeConfig, defaults: PermissionDefaults): void {
  const agents = (config.agent ??= {});
  const asked = { [TASKS_ASK]: 'ask' };
  for (const name of new Set([...OWN, ...Object.keys(agents)])) {
    const agent = agents[name];
    if (agent?.disable === true) continue;
    const mode = agent?.mode ?? (SUBAGENTS.includes(name) ? 'subagent' : 'primary');
    const added = {
      ...(!HIDDEN.includes(name) && {
        ...toolDenials(config, name, agent, mode === 'subagent', defaults.tools),
        ...asked,
      }),
      ...asking(config, name, agent, defaults.protectedFiles),
    };
    if (Object.keys(added).length === 0) continue;
    agents[name] = { ...agent, permission: withLast(agent?.permission, added) };
  }
  // For agents that are not known here.
  config.permission = withLast(config.permission, asked);
}

/** Ours come last, where nothing of the user's can decide after them. */
function withLast(
  permission: PermissionConfig | undefined,
  added: Readonly<Record<string, Rules>>,
): PermissionConfig {
  const own = Object.entries(asRules(permission)).filter(([name]) => !(name in added));
  return { ...Object.fromEntries(own), ...added };
}

function asking(
  config: OpencodeConfig,
  name: string,
  agent: AgentConfig | undefined,
  protectedFiles: readonly string[],
): Readonly<Record<string, Rules>> {
  const shut = { permission: 'edit', pattern: '*', action: 'deny' };
  const rules = [
    ...(READERS.includes(name) ? [shut] : []),
    ...flattenRules(config.permission),
    ...flattenRules(agent?.permission),
  ];
  const asks = protectedFiles.filter((pattern) => isOpen(pattern, rules));
  if (asks.length === 0) return {};
  return { [editKey(agent)]: Object.fromEntries(asks.map((pattern) => [pattern, 'ask'])) };
}

/**
 * A key that matches the permission `edit` and is none of the user's own, so that their rules stay
 * as they are and ours come last (the last match wins).
 */
function editKey(agent: AgentConfig | undefined): string {
  let key = 'edit*';
  while (key in asRules(agent?.permission)) key += '*';
  return key;
}

/** Whether an edit there would pass unasked now, and not by a rule of the user for just that. */
function isOpen(pattern: string, rules: readonly Rule[]): boolean {
  const path = pattern.replaceAll('*', 'x');
  const rule = rules.findLast(
    (each) => matchesWildcard('edit', each.permission) && matchesWildcard(path, each.pattern),
  );
  return rule === undefined || (rule.action === 'allow' && rule.pattern !== pattern);
}
