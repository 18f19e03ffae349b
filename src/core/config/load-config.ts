import { checkShape, removeAtPath } from './check-shape';
import { ConfigFolder, type FolderReader } from './config-folder';
import {
  fileProblem,
  problemAt,
  type ConfigProblem,
  type KeyPath,
  type Located,
} from './config-problem';
import {
  agentSchema,
  commandSchema,
  configSchema,
  type AgentConfig,
  type Config,
  type PermissionConfig,
} from './config-schema';
import { resolveInside, permissionOf, type Layer, type Rules } from './config-layer';
import { isPlainObject, readJsonc, readMatter } from './config-text';
import { loadInstructions, type Instruction } from './instructions';
import { loadSkills, type Skill } from './skills';
import { checkMeaning } from './check-meaning';

export interface LoadedConfig {
  /** merged as in OpenCode */
  readonly config: Config;
  readonly layers: readonly Layer[];
  readonly skills: readonly Skill[];
  readonly instructions: readonly Instruction[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads the configuration of a vault as OpenCode 1.18.33 does, and collects problems. Files with
 * which OpenCode would refuse to start are left out, so that the rest can be used.
 * @param home the person's own OpenCode folder; undefined if there is none
 */
export async function loadConfig(
  vault: FolderReader,
  home: FolderReader | undefined,
): Promise<LoadedConfig> {
  const problems: ConfigProblem[] = [];
  const own = new ConfigFolder(vault, '', problems);
  const personal = home && new ConfigFolder(home, '~/.config/opencode/', problems);
  const files = [
    ...(personal ? await jsonLayers(personal, PERSONAL_FILES, problems) : []),
    ...(await jsonLayers(own, ['opencode.json', 'opencode.jsonc'], problems)),
    ...(personal ? await markdownLayers(personal, '', problems) : []),
    ...(await jsonLayers(own, ['.opencode/opencode.json', '.opencode/opencode.jsonc'], problems)),
    ...(await markdownLayers(own, '.opencode/', problems)),
  ];
  const layers = files.filter(({ isRefused }) => isRefused !== true);
  const config = configOf(layers);
  const found = { layers, own, personal, problems };
  const skills = await loadSkills(config, found);
  const instructions = await loadInstructions(config, found);
  const intendedConfig = configOf(files);
  if (files.length > layers.length) {
    const again = { layers: files, own: new ConfigFolder(vault, '', problems), problems };
    await loadSkills(intendedConfig, { ...again, personal: undefined });
    await loadInstructions(intendedConfig, { ...again, personal: undefined });
  }
  const wrong = new Set(problems.map(({ file, key }) => `${file}\n${key}`));
  const meaningProblems = checkMeaning(intendedConfig, files);
  problems.push(...meaningProblems.filter(({ file, key }) => !wrong.has(`${file}\n${key}`)));
  return { config, layers, skills, instructions, problems: sortProblems(problems) };
}

function configOf(layers: readonly Layer[]): Config {
  return convertOldForms(
    layers.reduce<Config>((all, { config: one }) => mergeConfigs(all, one), {}),
  );
}

const PERSONAL_FILES = ['config.json', 'opencode.json', 'opencode.jsonc'];

async function jsonLayers(
  folder: ConfigFolder,
  paths: readonly string[],
  problems: ConfigProblem[],
): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (const path of paths) {
    const text = await folder.read(path, 'configuration');
    if (text === undefined) continue;
    const file = folder.nameOf(path);
    const read = readJsonc(text);
    if (!read.ok) {
      const problem = fileProblem(file, 'error', read.message, read.fix, read.line);
      problems.push(read.isOwnLimit ? problem : withConsequence(problem, PREVENTS_START));
      continue;
    }
    const at = { file, lineOf: read.lineOf };
    const included = new Map<string, string>();
    const base = path.includes('/') ? path.replace(/\/[^/]*$/, '') : '';
    const including = { folder, base, at, problems, included };
    const value = toVersion1(await insertFiles(read.value, [], including), at, problems);
    const newer = findVersion2Rules(value, at, problems);
    const known = newer.reduce<unknown>(removeAtPath, value);
    const checked = checkShape(configSchema(), known, at);
    problems.push(...checked.problems.map((one) => withConsequence(one, PREVENTS_START)));
    if (checked.data === undefined) continue;
    const isRefused = !checked.ok || newer.length > 0;
    layers.push({ ...at, included, config: normalizeConfig(checked.data), isRefused });
  }
  return layers;
}

const PREVENTS_START = 'OpenCode does not start with it.';

/** Adds the consequence to an error's message. */
function withConsequence(problem: ConfigProblem, consequence: string): ConfigProblem {
  if (problem.severity !== 'error') return problem;
  return { ...problem, message: `${problem.message} ${consequence}` };
}

interface InclusionContext {
  readonly folder: ConfigFolder;
  /** folder of the configuration file, which paths are relative to */
  readonly base: string;
  readonly at: Located & { readonly file: string };
  readonly problems: ConfigProblem[];
  readonly included: Map<string, string>;
}

/** Sections that contain secrets. No files are read for them. */
const SECRET_SECTIONS = new Set(['provider', 'mcp', 'server', 'enterprise']);

/** Inserts the text of files for `{file:path}`. Keeps `{env:NAME}`; its value is never read. */
async function insertFiles(
  value: unknown,
  path: KeyPath,
  into: InclusionContext,
): Promise<unknown> {
  if (typeof value === 'string') return insertFilesInText(value, path, into);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at) => insertFiles(item, [...path, at], into));
    return Promise.all(items);
  }
  if (!isPlainObject(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    entries.push([key, await insertFiles(inner, [...path, key], into)]);
  }
  return Object.fromEntries(entries);
}

async function insertFilesInText(
  text: string,
  path: KeyPath,
  into: InclusionContext,
): Promise<string> {
  const { folder, base, at, problems, included } = into;
  let whole = text;
  for (const [reference, named = ''] of text.matchAll(/\{file:([^}]{1,4096})\}/g)) {
    const target = resolveInside(base, named);
    if (target === undefined) {
      const message = `"${named}" is outside of the ${folder.label === '' ? 'vault' : 'folder'}: OpenCode reads it, here it is not read.`;
      problems.push(problemAt(at, path, 'warning', message, 'Put the file beside this one.'));
    } else if (!(await folder.has(target))) {
      const message = `There is no file ${folder.nameOf(target)}; OpenCode does not start without it.`;
      problems.push(problemAt(at, path, 'error', message, 'Correct the path, or create the file.'));
    } else if (!SECRET_SECTIONS.has(String(path[0]))) {
      included.set(path.join('.'), folder.nameOf(target));
      const read = await folder.read(target, 'agent');
      whole = whole.replace(reference, () => read?.trim() ?? reference);
    }
  }
  return whole;
}

/**
 * Converts settings in OpenCode 2's form that version 1 accepts. Drops settings of the appearance,
 * as version 1 does.
 */
function toVersion1(
  value: unknown,
  at: Parameters<typeof problemAt>[0],
  problems: ConfigProblem[],
): unknown {
  if (!isPlainObject(value)) return value;
  const { theme, keybinds, tui, ...rest } = value;
  for (const [key] of Object.entries({ theme, keybinds, tui }).filter(
    ([, one]) => one !== undefined,
  )) {
    const message = `"${key}" is ignored here.`;
    problems.push(problemAt(at, [key], 'warning', message, 'Move it to tui.json.'));
  }
  const made: Record<string, unknown> = { ...rest };
  if (isPlainObject(made.model)) {
    const { providerID, model } = made.model;
    if (typeof providerID === 'string' && typeof model === 'string')
      made.model = `${providerID}/${model}`;
  }
  if (typeof made.model === 'string')
    made.model = made.model.replace(/^([^/#]+\/[^#]+)#[^#]+$/, '$1');
  if (
    Array.isArray(made.skills) &&
    made.skills.every((one): one is string => typeof one === 'string')
  ) {
    const isUrl = (one: string): boolean => /^https?:\/\//i.test(one);
    const skills: readonly string[] = made.skills;
    made.skills = { paths: skills.filter((one) => !isUrl(one)), urls: skills.filter(isUrl) };
  }
  if (isPlainObject(made.mcp) && isPlainObject(made.mcp.servers)) {
    const { servers: _, timeout: __, ...others } = made.mcp;
    made.mcp = others;
  }
  return made;
}

/**
 * Reports rules in OpenCode 2's form, with which version 1 doesn't start.
 * @returns their paths
 */
function findVersion2Rules(
  value: unknown,
  at: Parameters<typeof problemAt>[0],
  problems: ConfigProblem[],
): readonly (readonly string[])[] {
  if (!isPlainObject(value)) return [];
  const agents = ['agent', 'mode', 'agents'].flatMap((kind) =>
    Object.entries(isPlainObject(value[kind]) ? value[kind] : {}).flatMap(([name, agent]) =>
      isPlainObject(agent) && Object.hasOwn(agent, 'permissions')
        ? [[kind, name, 'permissions']]
        : [],
    ),
  );
  const paths = [...(Object.hasOwn(value, 'permissions') ? [['permissions']] : []), ...agents];
  for (const path of paths) {
    const message = '"permissions" is of OpenCode 2; OpenCode 1 does not start with it.';
    problems.push(problemAt(at, path, 'error', message, 'Write "permission": {"bash": "ask"}.'));
  }
  return paths;
}

/** Agents, modes and commands defined as notes, in OpenCode's order. */
async function markdownLayers(
  folder: ConfigFolder,
  root: string,
  problems: ConfigProblem[],
): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (const kind of ['command', 'agent', 'mode'] as const) {
    const taken = new Map<string, string>();
    for (const name of [kind, `${kind}s`]) {
      for (const path of await folder.filesBelow(root + name)) {
        const inner = path.slice(root.length + name.length + 1);
        // For modes, only files directly in the folder.
        if (!path.endsWith('.md') || (kind === 'mode' && inner.includes('/'))) continue;
        const layer = await markdownLayer(folder, path, { kind, id: inner.slice(0, -3) }, problems);
        if (layer === undefined) continue;
        const [id = ''] = Object.keys(layer.config[kind === 'command' ? 'command' : 'agent'] ?? {});
        const other = taken.get(id);
        if (other !== undefined) {
          const message = `defines "${id}" as ${other} does: which one counts is left to chance.`;
          problems.push(
            fileProblem(layer.file, 'warning', message, 'Remove or rename one of them.'),
          );
        }
        taken.set(id, layer.file);
        layers.push(layer);
      }
    }
  }
  return layers;
}

async function markdownLayer(
  folder: ConfigFolder,
  path: string,
  { kind, id }: { readonly kind: 'agent' | 'mode' | 'command'; readonly id: string },
  problems: ConfigProblem[],
): Promise<Layer | undefined> {
  const text = await folder.read(path, 'agent');
  if (text === undefined) return undefined;
  const file = folder.nameOf(path);
  const read = readMatter(text);
  if (!read.ok) {
    const message = read.isOwnLimit
      ? read.message
      : `${read.message} OpenCode leaves this ${kind} out.`;
    problems.push(fileProblem(file, 'error', message, read.fix, read.line));
    return undefined;
  }
  const { data, body, bodyLine, lineOf, doubt } = read;
  if (doubt !== undefined) problems.push({ file, key: '', ...doubt });
  const textKey = kind === 'command' ? 'template' : 'prompt';
  const value = { name: id, ...data, [textKey]: body.trim() };
  const name = String(value.name);
  if (kind !== 'command' && name !== id) {
    const message = `is called "${name}" by its "name", not "${id}" as its file.`;
    problems.push(problemAt({ file, lineOf }, ['name'], 'warning', message, 'Remove "name".'));
  }
  const place = { file, lineOf };
  const checked = checkShape(kind === 'command' ? commandSchema() : agentSchema(), value, place);
  const consequence = kind === 'mode' ? 'OpenCode leaves this mode out.' : PREVENTS_START;
  const wrong = checked.problems.filter(({ key }) => kind !== 'command' || key !== 'name');
  problems.push(...wrong.map((one) => withConsequence(one, consequence)));
  if (checked.data === undefined) return undefined;
  const layer = {
    file,
    isRefused: !checked.ok,
    included: new Map<string, string>(),
    above: 2,
    lineOf: ([, , key, ...rest]: KeyPath) =>
      key === undefined || key === textKey ? bodyLine : lineOf([key, ...rest]),
  };
  if (kind === 'command')
    return { ...layer, config: { command: { [name]: commandSchema().parse(checked.data) } } };
  const agent = agentSchema().parse(checked.data);
  const made = kind === 'mode' ? { ...agent, mode: 'primary' as const } : agent;
  return { ...layer, config: normalizeConfig({ agent: { [name]: made } }) };
}

/** Converts agents: `tools` to rules, and unknown keys to provider `options`. */
function normalizeConfig(config: Config): Config {
  const { agent, mode, permission } = config;
  const each = (agents: Readonly<Record<string, AgentConfig>>) =>
    Object.fromEntries(Object.entries(agents).map(([name, one]) => [name, normalizeAgent(one)]));
  return {
    ...config,
    ...(agent && { agent: each(agent) }),
    ...(mode && { mode: each(mode) }),
    ...(permission !== undefined && { permission: toRules(permission) }),
  };
}

function normalizeAgent(agent: AgentConfig): AgentConfig {
  const known = agentSchema().shape;
  const more = Object.entries(agent).filter(([key]) => !Object.hasOwn(known, key));
  const steps = agent.steps ?? agent.maxSteps;
  return {
    ...agent,
    options: { ...agent.options, ...Object.fromEntries(more) },
    permission: { ...rulesOfTools(agent.tools), ...toRules(agent.permission) },
    ...(steps !== undefined && { steps }),
  };
}

function toRules(permission: PermissionConfig | undefined): Rules {
  return typeof permission === 'string' ? { '*': permission } : (permission ?? {});
}

function rulesOfTools(tools: Readonly<Record<string, boolean>> = {}): Rules {
  const rules: Rules = {};
  for (const [tool, on] of Object.entries(tools)) {
    rules[permissionOf(tool)] = on ? 'allow' : 'deny';
  }
  return rules;
}

function mergeConfigs(all: Config, one: Config): Config {
  const made = mergeObjects(all, one);
  const { instructions } = one;
  if (all.instructions === undefined || instructions === undefined) return made;
  return { ...made, instructions: [...new Set([...all.instructions, ...instructions])] };
}

/** Merges objects key by key; for other values, the later one wins. */
function mergeObjects<T extends object>(before: T, after: T): T {
  const made = new Map<string, unknown>(Object.entries(before));
  for (const [key, value] of Object.entries(after)) {
    const old = made.get(key);
    made.set(key, isPlainObject(old) && isPlainObject(value) ? mergeObjects(old, value) : value);
  }
  return Object.fromEntries(made) as T;
}

/** Converts old forms to new ones, as OpenCode does at the end. */
function convertOldForms(config: Config): Config {
  const modes = Object.entries(config.mode ?? {}).map(
    ([name, mode]) => [name, { ...mode, mode: 'primary' as const }] as const,
  );
  const agent = mergeObjects(config.agent ?? {}, Object.fromEntries(modes));
  const { tools, permission } = config;
  const rules = tools && mergeObjects(rulesOfTools(tools), toRules(permission));
  return { ...config, agent, ...(rules && { permission: rules }) };
}

/** Most characters of a reported text, since it may contain long names. */
const MAX_PROBLEM_CHARS = 400;

function sortProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const by = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const cut = (text: string): string =>
    text.length > MAX_PROBLEM_CHARS ? `${text.slice(0, MAX_PROBLEM_CHARS)}…` : text;
  const seen = new Set<string>();
  return problems
    .map((one) => ({ ...one, key: cut(one.key), message: cut(one.message), fix: cut(one.fix) }))
    .filter((one) => seen.size < seen.add(JSON.stringify(one)).size)
    .sort((a, b) => by(a.file, b.file) || a.line - b.line || by(a.key, b.key));
}
