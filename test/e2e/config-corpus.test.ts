import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig, type LoadedConfig } from '../../src/core/config/load-config';
import { agentNames, resolveAgent } from '../../src/core/config/resolve-agent';
import { configFiles } from '../../src/node/config-files';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper, type Reaper } from '../../workbench/demo/reaper';
import { startModel, type Model } from '../bridge/model';
import { fakePluginInstall } from '../bridge/opencode-run';
import { CONFIG_CASES, type ConfigCase } from './config-cases';

let base: string;
let personal: string;
let model: Model;
let reaper: Reaper;
let opencode: OpencodeProcess;

type Json = Record<string, unknown>;

interface Refusal {
  readonly name: string;
  readonly data: {
    readonly path: string;
    readonly issues?: readonly { readonly path: readonly string[] }[];
  };
}

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'atb-config-')));
  model = await startModel();
  const env = isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url });
  personal = join(base, 'home/.config/opencode');
  write(personal, {
    // In a file, not in the environment: both have to be able to read it.
    'opencode.json': `{"$schema":"x",${(env.OPENCODE_CONFIG_CONTENT ?? '{}').slice(1)}`,
    'agent/personal.md': '---\ndescription: of the person\nmode: subagent\n---\nA personal agent.',
    'skills/own/SKILL.md': '---\nname: own\ndescription: of the person\n---\nA personal skill.',
    'AGENTS.md': 'personal instructions\n',
  });
  fakePluginInstall(personal);
  delete env.OPENCODE_CONFIG_CONTENT;
  delete env.OPENCODE_DISABLE_CLAUDE_CODE;
  delete env.OPENCODE_DISABLE_EXTERNAL_SKILLS;
  env.CORPUS_MODEL = 'from/variable';
  writeFileSync(join(base, 'outside.txt'), 'canary of outside');
  const found = findOpencode(
    process.cwd(),
    thisMachine((path) => readFileSync(path, 'utf8')),
  );
  if (!found.ok) throw new Error(found.message);
  reaper = startReaper();
  reaper.addFolder(base);
  const vault = join(base, 'first');
  mkdirSync(vault);
  opencode = await launchOpencode({ binary: found.path, vault, env, port: 0, reaper });
});

afterAll(async () => {
  await opencode.kill();
  await model.close();
  reaper.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function ask(
  path: string,
  directory: string,
  body?: object,
): Promise<{ ok: boolean; json: unknown }> {
  const url = new URL(path, opencode.url);
  url.searchParams.set('directory', directory);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(
    url,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
  );
  return { ok: answer.ok, json: await answer.json() };
}

const KEYS = [
  ...['model', 'small_model', 'default_agent', 'agent', 'mode', 'command', 'permission', 'tools'],
  ...['instructions', 'skills', 'provider', 'mcp', 'share', 'compaction', 'enabled_providers'],
];

/** The parts of a configuration that are compared. */
function essence(config: Json): Json {
  const plain = JSON.parse(JSON.stringify(config)) as Json;
  const chosen = KEYS.map((key) => [key, plain[key] ?? {}] as const);
  return Object.fromEntries(chosen);
}

function said({ problems }: LoadedConfig): string[] {
  return problems.map(({ severity, file, line, key }) =>
    `${severity} ${file}:${line} ${key}`.trim(),
  );
}

/** For a value with several forms OpenCode lists what each lacks: the name is enough then. */
const related = (one: string, other: string): boolean => {
  const start = (key: string): string => key.split('.').slice(0, 2).join('.');
  const isOf = (key: string): boolean => /^(?:mcp|references)\./.test(key);
  if (isOf(one) && isOf(other)) return start(one) === start(other);
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
};

/** Asserts that we report the file and keys because of which OpenCode does not start. */
function expectRefused(ours: LoadedConfig, folder: string, { data }: Refusal): void {
  const file = relative(folder, data.path);
  const keys = ours.problems
    .filter((one) => one.file === file && /OpenCode (?:1 )?does not start/.test(one.message))
    .map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(0);
  const theirs = (data.issues ?? []).map(({ path }) => path.join('.'));
  expect(theirs.filter((key) => !keys.some((own) => related(own, key)))).toEqual([]);
  if (theirs.length > 0) {
    expect(keys.filter((own) => !theirs.some((key) => related(own, key)))).toEqual([]);
  }
}

async function expectSame(
  one: ConfigCase,
  ours: LoadedConfig,
  folder: string,
  config: Json,
): Promise<void> {
  expect(essence(ours.config as Json)).toEqual(essence(config));
  await expectSameAgents(ours, folder);
  const skills = (await ask('/skill', folder)).json as Record<string, string>[];
  const theirSkills = skills
    .filter(({ location }) => location !== '<built-in>')
    .map(({ name, description, location = '', content }) => ({
      name,
      description: description ?? undefined,
      content,
      file: nameOf(folder, location),
    }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }): number =>
    (a.name ?? '') < (b.name ?? '') ? -1 : 1;
  expect([...ours.skills].sort(byName)).toEqual(theirSkills.sort(byName));
  if (one.prompts === true) expect(instructions(ours)).toEqual(await instructionsOf(folder));
}

interface TheirAgent extends Json {
  readonly name: string;
  readonly native: boolean;
  readonly permission: readonly Json[];
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

/** Compares each agent as it runs, with its rules in order. */
async function expectSameAgents(ours: LoadedConfig, folder: string): Promise<void> {
  const theirs = (await ask('/agent', folder)).json as TheirAgent[];
  const resolved = agentNames(ours)
    .map((name) => resolveAgent(ours, name))
    .filter((one) => one !== undefined && !one.disabled);
  expect(resolved.map((one) => one?.name).sort()).toEqual(theirs.map(({ name }) => name).sort());
  for (const their of theirs) {
    const own = resolved.find((one) => one?.name === their.name);
    if (own === undefined) throw new Error(their.name);
    // OpenCode's built-in agents have texts that we can't read.
    const value = <T>(part: { value: T } | undefined, known: unknown): T | undefined =>
      part?.value ?? (their.native ? (known as T | undefined) : undefined);
    const model =
      their.model && `${their.model.providerID}/${their.model.modelID}`.replace(/\/$/, '');
    expect({
      ...{ mode: own.mode.value, builtIn: own.builtIn, steps: own.steps?.value ?? null },
      temperature: value(own.temperature, their.temperature) ?? null,
      description: value(own.description, their.description) ?? null,
      prompt: value(own.prompt, their.prompt) ?? null,
      ...{ topP: own.topP?.value ?? null, color: own.color?.value ?? null },
      model: ours.config.agent?.[own.name]?.model,
    }).toEqual({
      ...{ mode: their.mode, builtIn: their.native, steps: their.steps ?? null },
      ...{ temperature: their.temperature ?? null, description: their.description ?? null },
      ...{ prompt: their.prompt ?? null, topP: their.topP ?? null, color: their.color ?? null },
      model,
    });
    const rule = ({ permission, pattern, action }: Json): string =>
      [permission, pattern, action].join(' ');
    const rules = own.permissions.map((one) => rule({ ...one }));
    const all = their.permission.map(rule);
    const starts = all.map((_, at) => all.slice(at, at + rules.length).join('\n'));
    expect(starts).toContain(rules.join('\n'));
  }
}

function instructions(ours: LoadedConfig): string[] {
  return ours.instructions.map(({ file, text }) => `${file}\n${text ?? ''}`.trim()).sort();
}

/** The instructions in the prompt that the model gets. */
async function instructionsOf(folder: string): Promise<string[]> {
  const session = (await ask('/session', folder, { title: 'x' })).json as { id: string };
  await ask(`/session/${session.id}/message`, folder, { parts: [{ type: 'text', text: 'hi' }] });
  const request = model.requests.find(({ sessionId }) => sessionId === session.id);
  const system =
    request?.messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => String(content)) ?? [];
  const [, ...parts] = system.join('\n').split('Instructions from: ');
  return parts
    .map((part) => {
      const [path = '', ...lines] = part.split('\n');
      const end = lines.findIndex(
        (line) => line.startsWith('Skills provide') || line.startsWith('<'),
      );
      return `${nameOf(folder, path)}\n${lines.slice(0, end < 0 ? undefined : end).join('\n')}`.trim();
    })
    .sort();
}

function nameOf(folder: string, path: string): string {
  return path.startsWith(personal)
    ? `~/.config/opencode/${relative(personal, path)}`
    : relative(folder, path);
}

describe('the configuration as OpenCode reads it', () => {
  test('the corpus has at least 60 folders', () => {
    expect(CONFIG_CASES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(CONFIG_CASES.map(({ name }) => name)).size).toBe(CONFIG_CASES.length);
  });

  test.each(CONFIG_CASES)('[CONFIG1] $name', async (one) => {
    const folder = join(base, 'vaults', one.name.replaceAll(/\W+/g, '-'));
    mkdirSync(join(folder, '.opencode'), { recursive: true });
    write(join(folder, '..'), { 'outside.txt': 'canary of outside' });
    fakePluginInstall(join(folder, '.opencode'));
    // OpenCode looks no further up than the git repository.
    execFileSync('git', ['init', '-q'], { cwd: folder });
    write(folder, one.files);
    for (const [path, to] of Object.entries(one.links ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(folder, '..', to), join(folder, path));
    }
    // Ours first: OpenCode writes to the files that it reads.
    const ours = await loadConfig(configFiles(folder), configFiles(personal));
    expect(said(ours)).toEqual(one.says ?? []);
    const { ok, json } = await ask('/config', folder);
    if (one.differs === undefined) {
      if (ok) await expectSame(one, ours, folder, json as Json);
      else expectRefused(ours, folder, json as Refusal);
      return;
    }
    expect(ok).toBe(true);
    const prompted = one.prompts === true ? await instructionsOf(folder) : [];
    expect(JSON.stringify([json, prompted])).toContain(one.differs);
    if (one.differs !== '') expect(JSON.stringify(ours)).not.toContain(one.differs);
  });
});

test('[AGENTS7] what was written after OpenCode started for a folder is not taken up, until it starts anew there', async () => {
  const folder = join(base, 'later');
  write(folder, { '.opencode/agent/one.md': '---\ndescription: One\n---\nYou are one.' });
  const told = async () => {
    const agents = (await ask('/agent', folder)).json as { name: string; description?: string }[];
    const skills = (await ask('/skill', folder)).json as { name: string }[];
    return [
      agents.find(({ name }) => name === 'one')?.description,
      agents.some(({ name }) => name === 'two'),
      skills.some(({ name }) => name === 'cut'),
    ];
  };
  expect(await told()).toEqual(['One', false, false]);
  write(folder, {
    '.opencode/agent/one.md': '---\ndescription: Changed\n---\nYou are one.',
    '.opencode/agent/two.md': '---\ndescription: Two\n---\nYou are two.',
    '.opencode/skills/cut/SKILL.md': '---\nname: cut\ndescription: Cuts\n---\nCut.',
  });
  expect(await told()).toEqual(['One', false, false]);
  await ask('/instance/dispose', folder, {});
  expect(await told()).toEqual(['Changed', true, true]);
});
