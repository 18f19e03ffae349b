import { BUILT_IN_AGENTS, originOf, permissionOf, type Layer, type Rules } from './config-layer';
import { suggestWord, problemAt, type ConfigProblem, type KeyPath } from './config-problem';
import { PERMISSIONS, type AgentConfig, type Config } from './config-schema';

/** Checks valid values that don't do what they seem to. */
export function checkMeaning(config: Config, layers: readonly Layer[]): readonly ConfigProblem[] {
  const problems = layers.flatMap((layer) => checkLayer(layer));
  const { default_agent: id } = config;
  const origin = originOf(layers, ['default_agent']);
  if (id === undefined || origin === undefined) return problems;
  const agent = config.agent?.[id];
  const mode = agent?.mode ?? BUILT_IN_AGENTS.get(id)?.mode;
  const known = [...new Set([...BUILT_IN_AGENTS.keys(), ...Object.keys(config.agent ?? {})])];
  const why = !known.includes(id)
    ? 'there is no such agent'
    : agent?.disable === true
      ? 'it is switched off'
      : mode === 'subagent'
        ? 'it is a subagent'
        : agent?.hidden === true
          ? 'it is hidden'
          : undefined;
  if (why === undefined) return problems;
  const meant = suggestWord(id, known);
  const fix =
    meant === undefined ? 'Name an agent of mode "primary" or "all".' : `Write "${meant}".`;
  const message = `No session can begin with "${id}": ${why}.`;
  return [...problems, problemAt(origin, ['default_agent'], 'error', message, fix)];
}

function checkLayer(layer: Layer): readonly ConfigProblem[] {
  const { config } = layer;
  const { agent = {}, mode = {}, command = {}, provider = {}, mcp = {} } = config;
  const found: ConfigProblem[] = [];
  const report = (
    path: KeyPath,
    message: string,
    fix: string,
    severity: 'error' | 'warning' = 'error',
  ): void => void found.push(problemAt(layer, path, severity, message, fix));
  const model = (value: string | undefined, path: KeyPath): void => {
    if (value === undefined || isModelName(value) || value.includes('{env:')) return;
    report(
      path,
      `"${String(path.at(-1))}" names no model of a provider.`,
      'Write "provider/model", as in "anthropic/claude-sonnet-4-6".',
    );
  };
  const url = (value: string | undefined, path: KeyPath): void => {
    if (value === undefined || isHttpUrl(value) || value.includes('{')) return;
    report(
      path,
      `"${String(path.at(-1))}" is not an address.`,
      'Write a full one, as in "https://example.com/v1".',
    );
  };
  model(config.model, ['model']);
  model(config.small_model, ['small_model']);
  for (const [name, one] of Object.entries(command)) model(one.model, ['command', name, 'model']);
  for (const [kind, agents] of Object.entries({ agent, mode })) {
    for (const [name, one] of Object.entries(agents)) {
      model(one.model, [kind, name, 'model']);
      found.push(...checkAgent(layer, [kind, name], one));
    }
  }
  for (const [id, one] of Object.entries(provider)) {
    if (!isProviderId(id)) {
      report(
        ['provider', id],
        'The id of this provider has characters that are not allowed.',
        'Write letters, digits, ".", "_" and "-".',
        'warning',
      );
    }
    url(one.options?.baseURL, ['provider', id, 'options', 'baseURL']);
  }
  for (const [name, one] of Object.entries(mcp)) {
    if ('url' in one) url(one.url, ['mcp', name, 'url']);
  }
  for (const [at, one] of (config.skills?.urls ?? []).entries()) url(one, ['skills', 'urls', at]);
  return [...found, ...checkRules(layer, ['permission'], config.permission)];
}

function checkAgent(layer: Layer, path: KeyPath, agent: AgentConfig): readonly ConfigProblem[] {
  const found = checkRules(layer, [...path, 'permission'], agent.permission);
  const isOffered = agent.mode === 'subagent' && agent.disable !== true && agent.hidden !== true;
  if (!isOffered || agent.description !== undefined || BUILT_IN_AGENTS.has(String(path[1])))
    return found;
  const message = 'A subagent without "description": other agents are not told what it is for.';
  const fix = 'Add "description": what it does, and when to call it.';
  return [...found, problemAt(layer, [...path, 'description'], 'warning', message, fix)];
}

/** Checks for rules that no call uses, and for rules that a later one overrides. */
function checkRules(
  layer: Layer,
  path: KeyPath,
  rules: Rules | string | undefined,
): readonly ConfigProblem[] {
  if (rules === undefined || typeof rules === 'string') return [];
  const found: ConfigProblem[] = [];
  const report = (key: KeyPath, message: string, fix: string): void =>
    void found.push(problemAt(layer, [...path, ...key], 'warning', message, fix));
  const lateStar = (names: readonly string[], key: KeyPath): void => {
    if (names.indexOf('*') > 0) {
      report(
        [...key, '*'],
        'The last rule that matches counts: "*" makes those before it mean nothing.',
        'Write "*" first.',
      );
    }
  };
  lateStar(Object.keys(rules), []);
  for (const [name, rule] of Object.entries(rules)) {
    if (typeof rule === 'object') lateStar(Object.keys(rule), [name]);
    if (permissionOf(name) !== name) {
      report(
        [name],
        `Nothing asks for "${name}": what changes files asks for "edit".`,
        'Write "edit".',
      );
    } else if (!PERMISSIONS.includes(name)) {
      const meant = suggestWord(name, PERMISSIONS);
      if (meant !== undefined)
        report([name], `"${name}" is not a permission of OpenCode.`, `Write "${meant}".`);
    }
  }
  return found;
}

type ModelName = `${string}/${string}`;

export function isModelName(text: string): text is ModelName {
  return /^[^\s/]+\/\S+$/.test(text);
}

function isProviderId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text);
}

function isHttpUrl(text: string): text is `http${string}` {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
