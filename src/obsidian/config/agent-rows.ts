import type { ConfigProblem } from '../../core/config/config-problem';
import type { Instruction } from '../../core/config/instructions';
import type { LoadedConfig } from '../../core/config/load-config';
import {
  agentNames,
  resolveAgent,
  type Origin,
  type ResolvedAgent,
} from '../../core/config/resolve-agent';
import type { Skill } from '../../core/config/skills';
import type { Catalog } from '../../core/session/bridge-runtime';
import type { PickItem } from '../ui/dialog';
import type { ConfigSource } from './config-source';

/** A row of the view: an agent, a skill, an instruction, or another file. */
export type ConfigRow = {
  /** unique among the rows */
  readonly id: string;
  readonly name: string;
  readonly problems: readonly ConfigProblem[];
  /** where it is defined, for opening; undefined for what OpenCode has built in */
  readonly from: Origin | undefined;
} & (
  | { readonly kind: 'agent'; readonly agent: ResolvedAgent }
  | { readonly kind: 'skill'; readonly skill: Skill }
  | { readonly kind: 'instruction'; readonly instruction: Instruction }
  /** OpenCode leaves it out, or it is a configuration */
  | { readonly kind: 'file' }
);

export type ConfigSection = 'agents' | 'skills' | 'instructions' | 'files';

/** All rows of the view by section; each problem is shown at one row. */
export function configRows(loaded: LoadedConfig): ReadonlyMap<ConfigSection, readonly ConfigRow[]> {
  const assigned = new Set<ConfigProblem>();
  const take = (concerns: (problem: ConfigProblem) => boolean): readonly ConfigProblem[] => {
    const found = loaded.problems.filter((one) => !assigned.has(one) && concerns(one));
    for (const one of found) assigned.add(one);
    return found;
  };
  const at = (file: string, line = 0): Origin => ({ file, line });
  const agents = agentNames(loaded).flatMap((name): readonly ConfigRow[] => {
    const agent = resolveAgent(loaded, name);
    if (agent === undefined || (agent.builtIn && agent.hidden && agent.said.length === 0))
      return [];
    const problems = take((problem) => concernsAgent(problem, agent));
    const from = agent.said.at(-1);
    // A note defines the whole agent, so it opens at its top.
    const head = from && at(from.file, isNote(from.file) ? 0 : from.line);
    return [{ kind: 'agent', id: `agent ${name}`, name, agent, problems, from: head }];
  });
  const skills = loaded.skills.map((skill): ConfigRow => {
    const { name, file } = skill;
    const problems = take((problem) => problem.file === file);
    return { kind: 'skill', id: `skill ${file}`, name, skill, problems, from: at(file) };
  });
  const instructions = loaded.instructions.map((instruction): ConfigRow => {
    const { file } = instruction;
    const problems = take((problem) => problem.file === file);
    const id = `instruction ${file}`;
    return { kind: 'instruction', id, name: file, instruction, problems, from: at(file) };
  });
  const rest = new Set(loaded.problems.filter((one) => !assigned.has(one)).map(({ file }) => file));
  const files = [...rest].map((file): ConfigRow => {
    const problems = take((problem) => problem.file === file);
    const line = problems.find((problem) => problem.line > 0)?.line;
    return { kind: 'file', id: `file ${file}`, name: file, problems, from: at(file, line) };
  });
  const filesOfSection = (section: ConfigSection) =>
    files.filter(({ name }) => sectionOf(name) === section);
  return new Map<ConfigSection, readonly ConfigRow[]>([
    ['agents', [...agents, ...filesOfSection('agents')]],
    ['skills', [...skills, ...filesOfSection('skills')]],
    ['instructions', [...instructions, ...filesOfSection('instructions')]],
    ['files', filesOfSection('files')],
  ]);
}

/** The section of a file that defines nothing for OpenCode. */
function sectionOf(file: string): ConfigSection {
  if (/\/skill\.md$/i.test(file)) return 'skills';
  return /\/(?:agents?|modes?)\/.*\.md$/.test(file) ? 'agents' : 'files';
}

/**
 * Whether a problem belongs to an agent: any problem of the agent's note; in other files only those
 * of its own keys.
 */
function concernsAgent({ file, key }: ConfigProblem, { name, said }: ResolvedAgent): boolean {
  if (!said.some((one) => one.file === file)) return false;
  const keys = ['agent', 'mode'].map((kind) => `${kind}.${name}`);
  return isNote(file) || keys.some((one) => key === one || key.startsWith(`${one}.`));
}

function isNote(file: string): boolean {
  return file.endsWith('.md');
}

/** Agents to choose from, each with its description, the program's or that of its files, and its colour. */
export async function agentChoices(
  agents: Catalog['agents'],
  config: Pick<ConfigSource, 'read'>,
): Promise<readonly PickItem<string>[]> {
  const loaded = await config.read();
  return agents
    .filter(({ mode }) => mode !== 'subagent')
    .map(({ name, title = name, description }) => {
      const own = loaded && resolveAgent(loaded, name);
      const about = description ?? own?.description?.value ?? '';
      const text = about === '' ? title : `${title} · ${about}`;
      return { text, value: name, color: own?.color?.value };
    });
}
