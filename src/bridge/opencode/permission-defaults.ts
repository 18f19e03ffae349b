import type { SharedSettings } from '../../core/shared-settings';
import { ALIASES } from '../../core/tool/alias/aliases';
import {
  NOTES_ASK,
  deniedTools,
  TASKS_PERMISSION,
  TASKS_ASK,
} from '../../core/engine/engine-permissions';

interface AgentConfig {
  mode?: string;
  disable?: boolean;
  permission?: PermissionConfig;
}

/** The part of OpenCode's merged configuration that the hook reads and changes. */
export interface OpencodeConfig {
  permission?: PermissionConfig;
  agent?: Record<string, AgentConfig | undefined>;
}

interface PermissionDefaults {
  /** patterns of files that an agent's own `edit` must not change without asking */
  readonly protectedFiles: readonly string[];
  readonly tools: ToolSettings;
}

/** OpenCode's built-in subagents, which need not be in the configuration. */
const SUBAGENTS = ['general', 'explore'];

/** OpenCode's built-in agents that may not edit unless the user's rules allow it. */
const READ_ONLY_AGENTS = ['plan', 'explore', 'compaction', 'title', 'summary'];

const BUILT_IN_AGENTS = ['build', ...SUBAGENTS, ...READ_ONLY_AGENTS];

/** Those that have no tools at all. */
const WITHOUT_TOOLS = ['compaction', 'title', 'summary'];

/**
 * Adds our defaults to OpenCode's configuration; changes `config`.
 * - Denies an agent the tools that it must not see; see `toolDenials`.
 * - Makes edits of protected files ask, for each agent that could otherwise edit them without
 *   asking. What the user denies stays denied, and a user's rule for exactly that pattern stays.
 * - Makes `tasks_ask` and `notes_ask` ask, for every agent, since OpenCode allows what no rule
 *   matches.
 */
export function addPermissionDefaults(config: OpencodeConfig, defaults: PermissionDefaults): void {
  const agents = (config.agent ??= {});
  const asked = { [TASKS_ASK]: 'ask', [NOTES_ASK]: 'ask' };
  for (const name of new Set([...BUILT_IN_AGENTS, ...Object.keys(agents)])) {
    const agent = agents[name];
    if (agent?.disable === true) continue;
    const mode = agent?.mode ?? (SUBAGENTS.includes(name) ? 'subagent' : 'primary');
    const added = {
      ...(!WITHOUT_TOOLS.includes(name) && {
        ...toolDenials(config, name, agent, mode === 'subagent', defaults.tools),
        ...asked,
      }),
      ...protectedFileRules(config, name, agent, defaults.protectedFiles),
    };
    if (Object.keys(added).length === 0) continue;
    agents[name] = { ...agent, permission: appendRules(agent?.permission, added) };
  }
  // For agents that are unknown here.
  config.permission = appendRules(config.permission, asked);
}

/** Adds rules at the end, since the last match decides. */
function appendRules(
  permission: PermissionConfig | undefined,
  added: Readonly<Record<string, Rules>>,
): PermissionConfig {
  const own = Object.entries(asRules(permission)).filter(([name]) => !(name in added));
  return { ...Object.fromEntries(own), ...added };
}

function protectedFileRules(
  config: OpencodeConfig,
  name: string,
  agent: AgentConfig | undefined,
  protectedFiles: readonly string[],
): Readonly<Record<string, Rules>> {
  const denyEdits = { permission: 'edit', pattern: '*', action: 'deny' };
  const rules = [
    ...(READ_ONLY_AGENTS.includes(name) ? [denyEdits] : []),
    ...flattenOpencodeRules(config.permission),
    ...flattenOpencodeRules(agent?.permission),
  ];
  const asks = protectedFiles.filter((pattern) => isEditAllowed(pattern, rules));
  if (asks.length === 0) return {};
  return { [editKey(agent)]: Object.fromEntries(asks.map((pattern) => [pattern, 'ask'])) };
}

/**
 * A key that matches the permission `edit` and that the user doesn't use: their rules stay
 * unchanged, and ours come last (the last match wins).
 */
function editKey(agent: AgentConfig | undefined): string {
  let key = 'edit*';
  while (key in asRules(agent?.permission)) key += '*';
  return key;
}

/**
 * Whether an edit is currently allowed without asking, other than by a user's rule for exactly this
 * pattern.
 */
function isEditAllowed(pattern: string, rules: readonly OpencodeRule[]): boolean {
  const path = pattern.replaceAll('*', 'x');
  const rule = rules.findLast(
    (each) => matchesWildcard('edit', each.permission) && matchesWildcard(path, each.pattern),
  );
  return rule === undefined || (rule.action === 'allow' && rule.pattern !== pattern);
}

/** OpenCode's own todo list tool. */
const TODOWRITE = 'todowrite';

/** The shared settings, read when OpenCode starts, that decide which tools each agent sees. */
export interface ToolSettings {
  /** whether subagents may use the task tools */
  readonly subagents: boolean;
  readonly todowrite: 'mirror' | 'replace' | 'leave';
  /** the deprecated tools that models see besides `tasks`, under its permission */
  readonly aliases: readonly string[];
  /** whether models see the note tools */
  readonly notes: boolean;
  /** those of our tools that the rules deny to an agent everywhere */
  readonly deniedTools: (agent: string) => readonly string[];
}

export function toolSettings(settings: SharedSettings): ToolSettings {
  const { subagents, todowrite, noteTools } = settings;
  return {
    subagents,
    todowrite,
    aliases: settings.aliases ? ALIASES.map(({ name }) => name) : [],
    notes: noteTools,
    deniedTools: deniedTools(settings),
  };
}

/**
 * Permissions that hide tools from an agent, to add to its own.
 * - The task tools, from a subagent, unless a rule of the user names `tasks` or the setting allows
 *   them. OpenCode hides `todowrite` from subagents by the same rule.
 * - The aliases of `tasks`, wherever `tasks` is hidden, also by a rule of the user.
 * - `todowrite`, where the board replaces it and the agent has `tasks`.
 * - Tools that our own rules deny to it everywhere, whatever OpenCode's rules say.
 */
function toolDenials(
  config: OpencodeConfig,
  name: string,
  agent: AgentConfig | undefined,
  isSubagent: boolean,
  settings: ToolSettings,
): Readonly<Record<string, Rules>> {
  const isRuled = (permission: string): boolean =>
    namesPermission(config.permission, permission) ||
    namesPermission(agent?.permission, permission);
  const rules = [
    ...flattenOpencodeRules(config.permission),
    ...flattenOpencodeRules(agent?.permission),
  ];
  const byDefault = isSubagent && !settings.subagents && !isRuled(TASKS_PERMISSION);
  const shut = settings.deniedTools(name);
  const hasTasks =
    !byDefault && !isDeniedByUser(rules, TASKS_PERMISSION) && !shut.includes(TASKS_PERMISSION);
  const replaced = settings.todowrite === 'replace' ? [TODOWRITE] : [];
  const denied = [
    ...(byDefault ? [TASKS_PERMISSION] : []),
    ...(hasTasks ? replaced : settings.aliases).filter((tool) => !isRuled(tool)),
    ...shut,
  ];
  return Object.fromEntries(denied.map((tool) => [tool, 'deny']));
}

/** A permission in OpenCode's configuration: an action, or rules by pattern. */
type Rules = string | Readonly<Record<string, unknown>>;

/** Rules by permission name, or one action for everything. */
type PermissionConfig = string | Readonly<Record<string, Rules>>;

export interface OpencodeRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

/** The rules in order of evaluation: the last match wins. */
export function flattenOpencodeRules(permission: PermissionConfig | undefined): OpencodeRule[] {
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

/**
 * Whether the user's rules name exactly this permission, which is how OpenCode decides on
 * `todowrite`.
 */
export function namesPermission(permission: PermissionConfig | undefined, name: string): boolean {
  return typeof permission === 'object' && name in permission;
}

/** Whether OpenCode hides a tool: its last rule denies it for all patterns. */
function isDeniedByUser(rules: readonly OpencodeRule[], tool: string): boolean {
  const rule = rules.findLast(({ permission }) => matchesWildcard(tool, permission));
  return rule?.pattern === '*' && rule.action === 'deny';
}

/**
 * OpenCode's wildcards for permissions, as found by experiment: `*` matches any text including
 * slashes, `?` one character, and a trailing ` *` is optional. Linear for a fixed number of stars.
 */
export function matchesWildcard(text: string, pattern: string): boolean {
  if (pattern.endsWith(' *') && matchesWildcard(text, pattern.slice(0, -2))) return true;
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length;) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at++;
      resume = i;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[i])) {
      at++;
      i++;
    } else if (star !== -1) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
