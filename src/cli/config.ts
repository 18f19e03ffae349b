import { hookProblems } from '../core/config/check-hooks';
import { unreadableProblem } from '../core/config/config-folder';
import { fileProblem, suggestWord, type ConfigProblem } from '../core/config/config-problem';
import { readJsonc } from '../core/config/config-text';
import { loadConfig, type LoadedConfig } from '../core/config/load-config';
import { agentNames, resolveAgent } from '../core/config/resolve-agent';
import { StoreError } from '../core/ports';
import { configFiles, personalFiles } from '../node/config-files';
import {
  resultExit,
  usageExit,
  type CliEnvironment,
  type Command,
  type Exit,
  type CommandArgs,
  type OpenVault,
} from './command';
import { SHARED_SETTINGS_PATH } from '../core/shared-settings';

/**
 * `agent-boards config`: shows OpenCode's resolved configuration of the vault, and its problems.
 */
export const config: Command = {
  name: 'config',
  takes: 'check | show',
  opensAnyway: true,
  says: "what is wrong with OpenCode's configuration; what an agent is made of",
  rows: [
    ['check', 'what is wrong with configuration, agents, commands, skills and instructions'],
    ['show', 'an agent with its prompt, and from which file each part of it is'],
  ],
  options: { agent: { value: 'NAME', says: 'show: the agent' } },
  words: { least: 1, most: 1 },
  async run(given, { folder, store }, environment) {
    const [what] = given.words;
    if (what === 'check') {
      if (given.agent !== undefined) return usageExit('config check takes no --agent.');
      return check(await loadVaultConfig(folder, environment), given, await hookFaults(store));
    }
    if (what !== 'show') return usageExit('config takes check or show.');
    const found = await loadVaultConfig(folder, environment);
    if (given.agent !== undefined) return show(found, given.agent, given);
    return usageExit(`config show takes --agent NAME. There are: ${agentNames(found).join(', ')}.`);
  },
};

/** Problems of `hooks` in the shared settings, which OpenCode itself does not read. */
async function hookFaults(store: OpenVault['store']): Promise<readonly ConfigProblem[]> {
  try {
    const read = readJsonc((await store.read(SHARED_SETTINGS_PATH)) ?? '');
    if (read.ok) return hookProblems(SHARED_SETTINGS_PATH, read);
    return [fileProblem(SHARED_SETTINGS_PATH, 'error', read.message, read.fix, read.line)];
  } catch (error) {
    if (error instanceof StoreError) return [unreadableProblem(SHARED_SETTINGS_PATH, error)];
    throw error;
  }
}

function check(
  { problems: found }: LoadedConfig,
  given: CommandArgs,
  more: readonly ConfigProblem[],
): Exit {
  const problems = [...found, ...more];
  const ok = problems.every(({ severity }) => severity !== 'error');
  const text = problems.length === 0 ? 'All is well.' : problems.map(lineOf).join('\n');
  return resultExit(given, ok ? 0 : 1, { ok, problems }, text);
}

function lineOf({ file, line, key, severity, message, fix }: ConfigProblem): string {
  return `${placeOf({ file, line })}: ${severity}${key === '' ? '' : ` in ${key}`}: ${message} ${fix}`;
}

function placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
  return line === 0 ? file : `${file}:${line}`;
}

function show(found: LoadedConfig, name: string, given: CommandArgs): Exit {
  const agent = resolveAgent(found, name);
  if (agent === undefined) {
    const names = agentNames(found);
    const meant = suggestWord(name, names);
    const hint =
      meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${meant}"?`;
    const isBroken = found.problems.some(({ severity }) => severity === 'error');
    const errors = isBroken ? ' Files have errors: agent-boards config check names them.' : '';
    return usageExit(`there is no agent "${name}". ${hint}${errors}`);
  }
  const prompt = agent.prompt ?? { value: null, from: [] };
  const note = agent.prompt === undefined && agent.builtIn ? NOT_READABLE : undefined;
  const result = { ok: true, agent: { ...agent, prompt: { ...prompt, ...(note && { note }) } } };
  return resultExit(given, 0, result, agentText(agent));
}

const NOT_READABLE = 'built into OpenCode, prompt not readable';

const RULES = "OpenCode's own";

type Agent = NonNullable<ReturnType<typeof resolveAgent>>;

function agentText(agent: Agent): string {
  const { mode, builtIn, disabled, prompt, permissions, skills, instructions } = agent;
  const row = (
    name: string,
    value: string,
    from: readonly Parameters<typeof placeOf>[0][] = [],
  ): string =>
    [
      `${name.padEnd(13)}${value}`,
      ...(from.length === 0 ? [] : [`[${from.map(placeOf).join(', ')}]`]),
    ].join(value === '' ? '' : '  ');
  const part = (
    name: string,
    of: Agent['steps' | 'model' | 'tools'],
    otherwise: string,
  ): string => {
    if (of === undefined) return row(name, otherwise);
    const { value } = of;
    const text = typeof value === 'object' ? switches(value) : String(value);
    return row(name, text, of.from);
  };
  const list = (name: string, lines: readonly string[], first = ''): readonly string[] => [
    lines.length === 0 ? row(name, first || 'none') : row(name, first).trimEnd(),
    ...lines.map((line) => `  ${line}`),
  ];
  const own = builtIn ? 'built into OpenCode' : 'none';
  return [
    row(
      agent.name,
      [mode.value, builtIn ? 'built into OpenCode' : '', disabled ? 'switched off' : '']
        .filter((word) => word !== '')
        .join(', '),
      mode.from,
    ),
    part('Description', agent.description, own),
    part('Model', agent.model, 'the one that is chosen in OpenCode'),
    part('Temperature', agent.temperature, "the model's own"),
    part('Top P', agent.topP, "the model's own"),
    part('Steps', agent.steps, 'no limit'),
    part('Color', agent.color, own),
    part('Tools', agent.tools, 'all that its permissions allow'),
    ...list(
      'Permissions',
      permissions.map(
        (one) => `${one.action.padEnd(6)}${one.permission} ${one.pattern}  [${placeOf(one.from)}]`,
      ),
      permissions.length === 0 ? RULES : `${RULES}, then these; the last that matches counts`,
    ),
    ...list(
      'Skills',
      skills.map(({ name, description = '', file }) => `${name}: ${description}  [${file}]`),
    ),
    ...list(
      'Instructions',
      instructions.map(({ file, text }) =>
        text === undefined ? file : `${file}  (${text.length} characters)`,
      ),
    ),
    prompt === undefined
      ? row('Prompt', builtIn ? NOT_READABLE : 'none')
      : row('Prompt', '', prompt.from),
    ...(prompt === undefined ? [] : prompt.value.split('\n').map((line) => `  ${line}`.trimEnd())),
  ].join('\n');
}

function switches(tools: Readonly<Record<string, boolean>>): string {
  return Object.entries(tools)
    .map(([tool, on]) => `${tool} ${on ? 'on' : 'off'}`)
    .join(', ');
}

/** The vault's configuration merged with the person's own. */
export async function loadVaultConfig(
  folder: string,
  { env }: CliEnvironment,
): Promise<LoadedConfig> {
  return loadConfig(configFiles(folder), await personalFiles(env));
}
