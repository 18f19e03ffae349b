import type { LoadedConfig } from '../config/load-config';
import { agentNames, resolveAgent, type ResolvedAgent } from '../config/resolve-agent';
import { matchesGlob } from '../config/wildcard';
import { createNote, updateNote } from '../tool/note/definitions';

/** A permission rule; the last one that matches counts. */
export interface EngineRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
}

/** An agent with all settings that a turn needs. */
export interface EngineAgent {
  readonly name: string;
  readonly description: string | undefined;
  readonly mode: string;
  /** `provider/model`, if the agent has its own */
  readonly model: string | undefined;
  readonly system: string;
  /** maximum requests of one turn */
  readonly steps: number;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly rules: readonly EngineRule[];
  /**
   * rules of the agent that started it as a subagent: what they deny for notes is denied to it too
   */
  readonly parentRules: readonly EngineRule[];
  /** the skills that it may load, with their texts */
  readonly skills: readonly { readonly name: string; readonly content: string }[];
}

/** Maximum requests of one turn if the agent sets no number. */
const STEPS = 200;

/** Agents that may only read, unless a rule allows more. */
const READ_ONLY_AGENTS: readonly string[] = ['plan', 'explore'];

const READ_ONLY_RULES: readonly EngineRule[] = [createNote, updateNote].map(({ openCodeName }) => ({
  permission: openCodeName,
  pattern: '*',
  action: 'deny',
}));

/** The agents that a person can choose, by name. */
export function engineAgents(loaded: LoadedConfig): readonly EngineAgent[] {
  return [...agentNames(loaded)].sort().flatMap((name) => engineAgent(loaded, name) ?? []);
}

/** Undefined if there is no such agent, or it is disabled or hidden. */
export function engineAgent(loaded: LoadedConfig, name: string): EngineAgent | undefined {
  const found = resolveAgent(loaded, name);
  if (found === undefined || found.disabled || found.hidden) return undefined;
  const whole = new Map(loaded.skills.map((skill) => [skill.name, skill.content]));
  return {
    name,
    description: found.description?.value,
    mode: found.mode.value,
    model: found.model?.value,
    system: [basePrompt(found), found.system].filter((text) => text !== '').join('\n\n'),
    steps: found.steps?.value ?? STEPS,
    temperature: found.temperature?.value,
    topP: found.topP?.value,
    rules: [...(READ_ONLY_AGENTS.includes(name) ? READ_ONLY_RULES : []), ...found.permissions],
    parentRules: [],
    skills: found.skills.map((skill) => ({
      name: skill.name,
      content: whole.get(skill.name) ?? '',
    })),
  };
}

function basePrompt({ name }: ResolvedAgent): string {
  const lines = [
    `You are the agent “${name}”. You work for a person in their Obsidian vault, a folder of Markdown notes.`,
    'Plan work of more than two steps on the task board with the tool `tasks`, and keep it current: the person sees it and may change it. You have the tools that you are offered and no others: no shell, no web. Paths are relative to the vault.',
    'Answer in Markdown, briefly. If a call fails, its answer says why and what to do instead.',
  ];
  const reads = 'You look and advise: change no note, whatever is asked of you.';
  return [...lines, ...(READ_ONLY_AGENTS.includes(name) ? [reads] : [])].join('\n');
}

/** The rules' action for a call: the strictest over all patterns. */
export function ruleAction(
  rules: readonly EngineRule[],
  permission: string,
  patterns: readonly string[],
): EngineRule['action'] {
  const actions = patterns.map(
    (pattern) =>
      rules.findLast(
        (rule) => matchesGlob(rule.permission, permission) && matchesGlob(rule.pattern, pattern),
      )?.action ?? 'allow',
  );
  if (actions.includes('deny')) return 'deny';
  return actions.includes('ask') ? 'ask' : 'allow';
}

/** Whether the rules deny a permission entirely: then the tool is not offered to the model. */
export function isFullyDenied(rules: readonly EngineRule[], permission: string): boolean {
  const rule = rules.findLast((one) => matchesGlob(one.permission, permission));
  return rule?.pattern === '*' && rule.action === 'deny';
}
