import { matchesWildcard } from './wildcard';

/** A permission as it stands in OpenCode's configuration: an action, or rules by pattern. */
type Rules = string | Readonly<Record<string, unknown>>;
/** By permission name, or one action for everything. */
export type PermissionConfig = string | Readonly<Record<string, Rules>>;

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

/** OpenCode's own sub-agents; they need not stand in the configuration. */
const SUBAGENTS = ['general', 'explore'];
/** OpenCode's own agents that may edit nothing before the user's rules say more. */
const READERS = ['plan', 'explore', 'compaction', 'title', 'summary'];
const OWN = ['build', ...SUBAGENTS, ...READERS];

/**
 * A key that matches the permission `edit` and is none of the user's own, so that their rules stay
 * as they are and ours come last (the last match wins).
 */
const EDIT = 'edit*';

/**
 * Our defaults in OpenCode's configuration; changes `config`.
 * - `tasks` is denied to each sub-agent, unless a rule of the user names `tasks`.
 * - An edit of a protected file asks, for each agent that could else edit it unasked. What the user
 *   denies stays denied, and a rule of theirs for just that pattern stays.
 */
export function addPermissionDefaults(
  config: OpencodeConfig,
  protectedFiles: readonly string[],
): void {
  const agents = (config.agent ??= {});
  for (const name of new Set([...OWN, ...Object.keys(agents)])) {
    const agent = agents[name];
    if (agent?.disable === true) continue;
    const added = {
      ...denial(config, name, agent),
      ...asking(config, name, agent, protectedFiles),
    };
    if (Object.keys(added).length === 0) continue;
    agents[name] = { ...agent, permission: { ...asRules(agent?.permission), ...added } };
  }
}

type Added = Readonly<Record<string, Rules>>;

function denial(config: OpencodeConfig, name: string, agent: AgentConfig | undefined): Added {
  const mode = agent?.mode ?? (SUBAGENTS.includes(name) ? 'subagent' : 'primary');
  const ruled = names(config.permission, 'tasks') || names(agent?.permission, 'tasks');
  return mode === 'subagent' && !ruled ? { tasks: 'deny' } : {};
}

function asking(
  config: OpencodeConfig,
  name: string,
  agent: AgentConfig | undefined,
  protectedFiles: readonly string[],
): Added {
  const shut = { permission: 'edit', pattern: '*', action: 'deny' };
  const rules = [
    ...(READERS.includes(name) ? [shut] : []),
    ...flatten(config.permission),
    ...flatten(agent?.permission),
  ];
  const asks = protectedFiles.filter((pattern) => isOpen(pattern, rules));
  if (asks.length === 0) return {};
  return { [EDIT]: Object.fromEntries(asks.map((pattern) => [pattern, 'ask'])) };
}

interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

/** Whether an edit there would pass unasked now, and not by a rule of the user for just that. */
function isOpen(pattern: string, rules: readonly Rule[]): boolean {
  const path = pattern.replaceAll('*', 'x');
  const rule = rules.findLast(
    (each) => matchesWildcard('edit', each.permission) && matchesWildcard(path, each.pattern),
  );
  return rule === undefined || (rule.action === 'allow' && rule.pattern !== pattern);
}

function flatten(permission: PermissionConfig | undefined): Rule[] {
  return Object.entries(asRules(permission)).flatMap(([name, rules]) =>
    typeof rules === 'string'
      ? [{ permission: name, pattern: '*', action: rules }]
      : Object.entries(rules).map(([pattern, action]) => ({
          permission: name,
          pattern,
          action: String(action),
        })),
  );
}

function asRules(permission: PermissionConfig | undefined): Readonly<Record<string, Rules>> {
  return typeof permission === 'string' ? { '*': permission } : (permission ?? {});
}

function names(permission: PermissionConfig | undefined, name: string): boolean {
  return typeof permission === 'object' && name in permission;
}
