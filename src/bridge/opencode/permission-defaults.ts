import type { SharedSettings } from '../../core/shared-settings';
import { ALIASES } from '../../core/tool/alias/aliases';
import { NOTES_ASK, shutTools, TASKS, TASKS_ASK } from '../../core/engine/asked';

interface AgentConfig {
  mode?: string;
  disable?: boolean;
  permission?: PermissionConfig;
}

/** What of OpenCode's merged configuration the hook reads and changes. */
export interface OpencodeConfig {
  permission?: PermissionConfig;
  agent?: Record<string, AgentConfig | undefined>;
}

interface PermissionDefaults {
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
const WITHOUT_TOOLS = ['compaction', 'title', 'summary'];

/**
 * Our defaults in OpenCode's configuration; changes `config`.
 * - Tools that an agent is not to be shown are denied to it; see `toolDenials`.
 * - An edit of a protected file asks, for each agent that could else edit it unasked. What the user
 *   denies stays denied, and a rule of theirs for just that pattern stays.
 * - `tasks_ask` and `notes_ask` ask, for every agent: else OpenCode would let pass what it has no rule for.
 */
export function addPermissionDefaults(config: OpencodeConfig, defaults: PermissionDefaults): void {
  const agents = (config.agent ??= {});
  const asked = { [TASKS_ASK]: 'ask', [NOTES_ASK]: 'ask' };
  for (const name of new Set([...OWN, ...Object.keys(agents)])) {
    const agent = agents[name];
    if (agent?.disable === true) continue;
    const mode = agent?.mode ?? (SUBAGENTS.includes(name) ? 'subagent' : 'primary');
    const added = {
      ...(!WITHOUT_TOOLS.includes(name) && {
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
    ...flattenOpencodeRules(config.permission),
    ...flattenOpencodeRules(agent?.permission),
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
function isOpen(pattern: string, rules: readonly OpencodeRule[]): boolean {
  const path = pattern.replaceAll('*', 'x');
  const rule = rules.findLast(
    (each) => matchesWildcard('edit', each.permission) && matchesWildcard(path, each.pattern),
  );
  return rule === undefined || (rule.action === 'allow' && rule.pattern !== pattern);
}

/** OpenCode's own list. */
const TODOWRITE = 'todowrite';

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
  const byDefault = isSubagent && !settings.subagents && !isRuled(TASKS);
  const shut = settings.shut(name);
  const hasTasks = !byDefault && !isDeniedByUser(rules, TASKS) && !shut.includes(TASKS);
  const replaced = settings.todowrite === 'replace' ? [TODOWRITE] : [];
  const denied = [
    ...(byDefault ? [TASKS] : []),
    ...(hasTasks ? replaced : settings.aliases).filter((tool) => !isRuled(tool)),
    ...shut,
  ];
  return Object.fromEntries(denied.map((tool) => [tool, 'deny']));
}

/** A permission as it stands in OpenCode's configuration: an action, or rules by pattern. */
type Rules = string | Readonly<Record<string, unknown>>;

/** By permission name, or one action for everything. */
type PermissionConfig = string | Readonly<Record<string, Rules>>;

export interface OpencodeRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

/** The rules in the order in which they count: the last match wins. */
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

/** Whether the user says anything of just that permission, as OpenCode asks it of `todowrite`. */
export function namesPermission(permission: PermissionConfig | undefined, name: string): boolean {
  return typeof permission === 'object' && name in permission;
}

/** Whether OpenCode doesn't even show a tool: the last rule for it denies it whatever it is for. */
function isDeniedByUser(rules: readonly OpencodeRule[], tool: string): boolean {
  const rule = rules.findLast(({ permission }) => matchesWildcard(tool, permission));
  return rule?.pattern === '*' && rule.action === 'deny';
}

/**
 * OpenCode's own wildcards for permissions, as measured: `*` is any text, slashes too, `?` one
 * character, and a trailing ` *` may be missing altogether. Linear but for the number of stars.
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
