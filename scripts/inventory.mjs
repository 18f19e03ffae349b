// Lists what a built checkout offers (commands, menus, settings, verbs, tools, rules) by running
// it. `npm run inventory -- [DIR]` prints the lists as JSON. With `--against DIR` it prints what
// DIR offers and this checkout does not, and exits with 1 if no file in docs/adr names such an
// entry literally.
// Both checkouts must be built with `node esbuild.config.mjs workbench` first.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { pluginLists } from './inventory-page.mjs';

const ROOT = join(import.meta.dirname, '..');
/** A vault written by version 0.1.0, with boards, conversations and a run. */
const VAULT = join(ROOT, 'test/corpus/0.1.0/vault');
const PLAN = 'ses_df8cc22fbffeFivx7DpQOPRPIA';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' } },
});
const here = await inventory(resolve(positionals[0] ?? ROOT));
if (values.against === undefined) print(JSON.stringify(here, null, 2));
else process.exitCode = compare(await inventory(resolve(values.against)), here);
// The bridge's timers would keep the process alive.
print('', () => process.exit());

async function inventory(dir) {
  const vault = makeVault();
  const workbench = await startWorkbench(dir, vault);
  try {
    process.env.AGENT_TASK_BOARDS_ORIGIN = new URL(workbench.url).origin;
    const bridge = await startBridge(dir, vault);
    const lists = { rules: rules(dir), ...verbs(dir), tools: toolsOf(bridge) };
    Object.assign(lists, await pluginLists(workbench.url, await findBrowser(), PLAN));
    await bridge.dispose();
    for (const name in lists) lists[name] = [...new Set(lists[name])].sort();
    return lists;
  } finally {
    workbench.stop();
    fs.rmSync(vault, { recursive: true, force: true });
  }
}

/** @returns {number} the exit code */
function compare(before, after) {
  const folder = join(ROOT, 'docs/adr');
  const named = fs.readdirSync(folder).map((name) => fs.readFileSync(join(folder, name), 'utf8'));
  let faults = 0;
  for (const [list, entries] of Object.entries(before)) {
    const missing = entries.filter((entry) => !after[list].includes(entry));
    print(
      `${list}: ${entries.length} before, ${after[list].length} now, ${missing.length} missing`,
    );
    for (const entry of missing) {
      const known = named.some((text) => text.includes(`\`${entry}\``));
      if (!known) faults += 1;
      print(`  ${known ? 'named in an ADR' : 'MISSING'}: ${entry}`);
    }
  }
  return faults === 0 ? 0 : 1;
}

function print(text, then) {
  process.stdout.write(then ? text : `${text}\n`, then);
}

function makeVault() {
  const vault = fs.mkdtempSync(join(tmpdir(), 'atb-inventory-'));
  fs.cpSync(VAULT, vault, { recursive: true });
  const boards = join(vault, '.opencode/todos');
  // A long board; its four hundred tasks have the same menus as the others.
  fs.rmSync(join(boards, 'hand-long'), { recursive: true });
  // A session with two boards has a row for each.
  const text = fs.readFileSync(join(boards, 'hand-dataview/plan-tasks.md'), 'utf8');
  const second = text.replace('agent: plan', 'agent: build').replaceAll('dv0a', 'dv0b');
  fs.writeFileSync(join(boards, 'hand-dataview/build-tasks.md'), second);
  const settings = { aliases: true, noteTools: true, subagents: true };
  fs.writeFileSync(join(vault, '.opencode/agent-task-boards.json'), JSON.stringify(settings));
  return vault;
}

function rules(dir) {
  const text = fs.readFileSync(join(dir, 'docs/SPEC.md'), 'utf8');
  return [...text.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, id]) => id);
}

/** Verbs of the command line with their subcommands, and the options of each. */
function verbs(dir) {
  const help = (...verb) =>
    execFileSync(process.execPath, [join(dir, 'dist/cli.js'), ...verb, '--help'], {
      encoding: 'utf8',
    });
  const namesIn = (text) =>
    [...text.matchAll(/^ {2}([a-z][a-z-]*(?:, [a-z-]+)*)(?: [A-Z[].*?)? {2,}\S/gm)].flatMap(
      ([, names]) => names.split(', '),
    );
  const optionsIn = (text) => [...text.matchAll(/^ {2}(-.+?)(?: {2,}|$)/gm)].map(([, one]) => one);
  const found = { verbs: [], options: [] };
  const add = (...verb) => {
    const text = help(...verb);
    const name = verb.join(' ');
    if (!verb[0]?.startsWith('-')) found.verbs.push(name);
    found.options.push(...optionsIn(text).map((option) => `${name} ${option}`));
    return text;
  };
  for (const verb of namesIn(help())) {
    const text = add(verb);
    const [usage] = text.split('\n', 1);
    const below = usage.includes(' VERB ')
      ? namesIn(text)
      : usage.match(/[a-z]+(?= \|)|(?<=\| )[a-z]+/g);
    for (const one of below ?? []) add(verb, one);
  }
  for (const action of ['add', 'update', 'list', 'info']) add('--action', action);
  return found;
}

/**
 * The hooks that OpenCode would call, from the bridge in `main.js`, or in a separate file in
 * earlier builds.
 */
async function startBridge(dir, vault) {
  const before = join(dir, 'dist/bridge.js');
  const copy = join(vault, 'bridge.cjs');
  if (!fs.existsSync(before)) fs.cpSync(join(dir, 'main.js'), copy);
  let bridge = await import(pathToFileURL(fs.existsSync(before) ? before : copy));
  while (bridge.server === undefined) bridge = bridge.default;
  const { FakeOpencode } = await load('soak/link/fake-opencode.ts');
  const opencode = new FakeOpencode(vault);
  for (const id of fs.readdirSync(join(vault, '.opencode/agent-task-boards/sessions'))) {
    if (id.startsWith('ses_')) opencode.addSession(id, id);
  }
  const input = { client: { _client: opencode }, directory: vault, worktree: '/' };
  const hooks = await bridge.server(input, { vault });
  opencode.onEffect = () => {
    for (const { path, body } of opencode.takeEffects()) {
      const session = /^\/session\/(\w+)\/prompt_async$/.exec(path)?.[1];
      if (session !== undefined) setTimeout(() => takeTurn(hooks, session, body), 100);
    }
  };
  return hooks;
}

/**
 * Answers a prompt with the events of a turn. The turn of the planning session ends; the others
 * never do.
 */
async function takeTurn(hooks, sessionID, { messageID = `msg_${sessionID}`, parts }) {
  const tell = (type, properties) =>
    hooks.event({ event: { type, properties: { sessionID, ...properties } } });
  const time = { created: Date.now() };
  const id = `${messageID}_answer`;
  const answer = { id, role: 'assistant', parentID: messageID, mode: 'build', time };
  await tell('message.updated', { info: { id: messageID, role: 'user', time } });
  for (const part of parts) {
    await tell('message.part.updated', { part: { ...part, id: 'prt_1', messageID } });
  }
  await tell('session.status', { status: { type: 'busy' } });
  await tell('message.updated', { info: answer });
  if (sessionID !== PLAN) return;
  const completed = time.created + 1;
  await tell('message.updated', { info: { ...answer, time: { ...time, completed } } });
  await tell('session.status', { status: { type: 'idle' } });
}

/** Bundles and imports a module of this checkout. */
async function load(entry) {
  const options = { bundle: true, write: false, format: 'esm', platform: 'node' };
  const { outputFiles } = await build({ ...options, entryPoints: [join(ROOT, entry)] });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** Each tool with the names and the enum values of its parameters. */
function toolsOf({ tool }) {
  const under = (path, schema) => {
    if (schema === null || typeof schema !== 'object') return [];
    const { properties = {}, enum: choices = [], const: only } = schema;
    const words = only === undefined ? choices : [...choices, only];
    return [
      ...Object.entries(properties).flatMap(([name, one]) => [
        `${path}.${name}`,
        ...under(`${path}.${name}`, one),
      ]),
      ...words.map((word) => `${path} = ${word}`),
      ...[schema.items, schema.anyOf, schema.oneOf, schema.allOf]
        .flat()
        .flatMap((one) => under(path, one)),
    ];
  };
  return Object.entries(tool).flatMap(([name, { args }]) => [
    name,
    ...under(name, { properties: args }),
  ]);
}

async function startWorkbench(dir, vault) {
  const args = ['workbench/build/serve.js', '--vault', vault, '--plugin', dir];
  const server = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface(server.stdout), 'line');
  return { url, stop: () => server.kill() };
}

async function findBrowser() {
  const { findChromium } = await load('workbench/demo/find-chromium.ts');
  const path = await findChromium(process.env);
  if (path === undefined) throw new Error('Chromium is needed: set CHROMIUM_PATH.');
  return path;
}
