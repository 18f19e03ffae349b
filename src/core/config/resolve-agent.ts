import { BUILT_IN_AGENTS, permissionOf, valueIn, type Layer } from './config-layer';
import type { AgentConfig } from './config-schema';
import type { Instruction } from './instructions';
import type { LoadedConfig } from './load-config';
import type { Skill } from './skills';
import { matchesGlob } from './wildcard';

/** Where a part of an agent is defined. Line 0: the whole file. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

interface Sourced<T> {
  readonly value: T;
  readonly from: readonly Origin[];
}

export interface SourcedRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  readonly from: Origin;
}

export interface ResolvedAgent {
  readonly name: string;
  /** whether OpenCode has it built in; what no file defines is unknown then */
  readonly builtIn: boolean;
  readonly disabled: boolean;
  /** whether OpenCode hides it */
  readonly hidden: boolean;
  /** the definitions, the last of which counts most; empty if it is only built in */
  readonly said: readonly Origin[];
  readonly mode: Sourced<string>;
  /** undefined if there is none, or it is OpenCode's own */
  readonly prompt: Sourced<string> | undefined;
  readonly description: Sourced<string> | undefined;
  /** its own model, or that of the configuration */
  readonly model: Sourced<string> | undefined;
  readonly temperature: Sourced<number> | undefined;
  readonly topP: Sourced<number> | undefined;
  readonly steps: Sourced<number> | undefined;
  readonly color: Sourced<string> | undefined;
  readonly tools: Sourced<Readonly<Record<string, boolean>>> | undefined;
  /** rules from files, in addition to OpenCode's own; the last match applies */
  readonly permissions: readonly SourcedRule[];
  /** the skills that it may use; `whole`: the text is included in the prompt */
  readonly skills: readonly (Pick<Skill, 'name' | 'description' | 'file'> & {
    readonly whole: boolean;
  })[];
  readonly instructions: readonly Instruction[];
  /** prompt, instructions and skills as one text, as far as they can be read */
  readonly system: string;
}

/** Names of all agents, including disabled ones. */
export function agentNames({ config }: LoadedConfig): readonly string[] {
  const own = Object.entries(config.agent ?? {}).map(([key, { name }]) => agentNameOf(name, key));
  return [...new Set([...BUILT_IN_AGENTS.keys(), ...own])];
}

/** Collects everything that defines an agent; undefined if there is none with this name. */
export function resolveAgent(loaded: LoadedConfig, name: string): ResolvedAgent | undefined {
  const { config, instructions } = loaded;
  const found = agentEntry(config, name);
  const [key, agent] = found ?? [name, {}];
  const builtIn = BUILT_IN_AGENTS.get(key);
  if (found === undefined && builtIn === undefined) return undefined;
  const definitions = definitionsOf(loaded.layers, key);
  const part = <K extends keyof AgentConfig>(
    field: K,
  ): Sourced<NonNullable<AgentConfig[K]>> | undefined => {
    const value = agent[field];
    if (value === undefined || value === null) return undefined;
    return { value, from: originsOf(definitions, [field]) };
  };
  const permissions = rulesOf(loaded, definitions, agent);
  const inherited =
    config.model === undefined
      ? undefined
      : { value: config.model, from: originsOf(topLevelDefinitions(loaded.layers), ['model']) };
  const skills = skillsFor(loaded.skills, agent, builtIn?.denies === true, permissions);
  const prompt = part('prompt');
  return {
    ...{ name, builtIn: builtIn !== undefined, disabled: agent.disable === true },
    hidden: agent.hidden ?? builtIn?.hidden ?? false,
    said: definitions.map(({ layer: { file, lineOf }, path }) => ({ file, line: lineOf(path) })),
    mode: part('mode') ?? { value: builtIn?.mode ?? 'all', from: [] },
    ...{ prompt, description: part('description'), model: part('model') ?? inherited },
    ...{
      temperature: part('temperature'),
      topP: part('top_p'),
      steps: part('steps') ?? part('maxSteps'),
    },
    ...{ color: part('color'), tools: part('tools'), permissions },
    skills: skills.map(({ content: _, ...skill }) => skill),
    instructions,
    system: [
      prompt?.value ?? '',
      ...instructions.map(({ file, text = '' }) =>
        text === '' ? '' : `Instructions from: ${file}\n${text}`,
      ),
      skillText(skills),
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
  };
}

/** An agent's configuration from files, with its key. */
export function agentEntry(
  { agent = {} }: LoadedConfig['config'],
  name: string,
): readonly [string, AgentConfig] | undefined {
  return Object.entries(agent).find(([id, one]) => agentNameOf(one.name, id) === name);
}

function agentNameOf(name: unknown, key: string): string {
  return typeof name === 'string' ? name : key;
}

/** A value in one file, with its path. */
interface Definition {
  readonly layer: Layer;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** All definitions of an agent. In OpenCode, the old `mode` overrides `agent`. */
function definitionsOf(layers: readonly Layer[], key: string): readonly Definition[] {
  return ['agent', 'mode'].flatMap((kind) =>
    layers.flatMap((layer) => {
      const path = [kind, key];
      const value = valueIn(layer.config, path);
      return value === undefined ? [] : [{ layer, path, value }];
    }),
  );
}

function topLevelDefinitions(layers: readonly Layer[]): readonly Definition[] {
  return layers.map((layer) => ({ layer, path: [], value: layer.config }));
}

/** Where a value was defined last, and the file that its text was read from. */
function originsOf(definitions: readonly Definition[], path: readonly string[]): readonly Origin[] {
  const last = definitions.findLast(({ value }) => valueIn(value, path) !== undefined);
  if (last === undefined) return [];
  const whole = [...last.path, ...path];
  const { file, lineOf, included } = last.layer;
  const taken = included.get(whole.join('.'));
  const origin = { file, line: lineOf(whole) };
  return taken === undefined ? [origin] : [origin, { file: taken, line: 0 }];
}

function rulesOf(
  { config, layers }: LoadedConfig,
  definitions: readonly Definition[],
  agent: AgentConfig,
): readonly SourcedRule[] {
  const withOrigins = (
    { permission: rules, tools = {} }: Pick<AgentConfig, 'permission' | 'tools'>,
    definitions: readonly Definition[],
  ): readonly SourcedRule[] =>
    Object.entries(typeof rules === 'object' ? rules : {}).flatMap(([permission, rule]) => {
      const patterns = typeof rule === 'string' ? [['*', rule] as const] : Object.entries(rule);
      return patterns.map(([pattern, action]) => {
        const own = ['permission', permission, ...(typeof rule === 'string' ? [] : [pattern])];
        const tool = toolOfRule(tools, permission, rule);
        const [from] = originsOf(definitions, tool === undefined ? own : ['tools', tool]);
        return { permission, pattern, action, from: from ?? { file: '', line: 0 } };
      });
    });
  return [...withOrigins(config, topLevelDefinitions(layers)), ...withOrigins(agent, definitions)];
}

/** The tool in the old `tools` setting that this rule comes from. */
function toolOfRule(
  tools: Readonly<Record<string, boolean>>,
  permission: string,
  rule: unknown,
): string | undefined {
  const found = Object.entries(tools).find(
    ([tool, on]) => permissionOf(tool) === permission && rule === (on ? 'allow' : 'deny'),
  );
  return found?.[0];
}

/**
 * Skills that have a description and are not denied. The agent's option `skills` names those to
 * include in full.
 */
function skillsFor(
  skills: readonly Skill[],
  { options = {} }: AgentConfig,
  denies: boolean,
  rules: readonly SourcedRule[],
): readonly (Skill & { readonly whole: boolean })[] {
  const wanted: unknown = options.skills;
  const isDenied = (name: string): boolean => {
    const rule = rules.findLast(
      ({ permission, pattern }) => matchesGlob(permission, 'skill') && matchesGlob(pattern, name),
    );
    return rule === undefined ? denies : rule.action === 'deny';
  };
  return skills
    .filter(({ name, description }) => description !== undefined && !isDenied(name))
    .map((skill) => ({ ...skill, whole: Array.isArray(wanted) && wanted.includes(skill.name) }));
}

function skillText(skills: readonly (Skill & { readonly whole: boolean })[]): string {
  if (skills.length === 0) return '';
  const list = skills.map(({ name, description = '' }) => `- ${name}: ${description}`);
  const texts = skills
    .filter(({ whole }) => whole)
    .map(({ name, content }) => `## Skill: ${name}\n\n${content.trim()}`);
  return ['# Skills', list.join('\n'), ...texts].join('\n\n');
}
