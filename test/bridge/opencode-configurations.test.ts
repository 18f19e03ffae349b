import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChildLines } from '../../soak/child-lines';
import { findPrograms, type Programs } from '../../soak/goal/programs';
import { ScriptedRunAgents } from '../../workbench/demo/scripted-run-agents';
import { goalScriptOf } from '../../workbench/demo/goal-script';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper, type Reaper } from '../../workbench/demo/reaper';
import { startScriptedModel, type ScriptedModel } from '../../workbench/demo/scripted-model';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import { stepSize } from '../in-full';
import { SETUPS, type Setup } from './configurations';
import { LIST } from './opencode-steps';
import { fakePluginInstall } from './opencode-run';
import { TestClient } from './test-client';

const GOAL = 'A wall';
const plan = [
  { type: 'init', title: GOAL },
  { type: 'add', title: 'Dig' },
];
const SCRIPT = goalScriptOf({
  plan: [{ tools: [{ name: 'tasks', args: { operations: plan } }] }, { text: 'Planned.' }],
  tasks: [{ task: 'Dig', work: [{ result: 'A metre deep.' }] }],
});

let base: string;
let reaper: Reaper;
let programs: Programs;
let model: ScriptedModel;
let opencode: OpencodeProcess;

beforeAll(async () => {
  programs = findPrograms(join(import.meta.dirname, '../..'));
  base = mkdtempSync(join(tmpdir(), 'atb-configurations-'));
  reaper = startReaper();
  reaper.addFolder(base);
  model = await startScriptedModel({ defaultDelayMs: 0, cast: new ScriptedRunAgents(SCRIPT) });
  const home = join(base, 'home');
  const env = isolatedEnvironment({ home, modelUrl: model.url });
  const {
    permission,
    model: named,
    enabled_providers,
    ...common
  } = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '') as Record<string, unknown>;
  delete env.OPENCODE_CONFIG_CONTENT;
  write(join(env.XDG_CONFIG_HOME ?? '', 'opencode/opencode.json'), JSON.stringify(common));
  fakePluginInstall(join(env.XDG_CONFIG_HOME ?? '', 'opencode'));
  SETUPS.forEach((setup, at) => furnish(folderOf(at), { model: named, ...setup.config }, setup));
  opencode = await launchOpencode({
    ...{ binary: programs.opencode, vault: folderOf(0), env, port: 0, reaper },
  });
});

afterAll(async () => {
  await opencode.kill();
  await model.close();
  reaper.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

const folderOf = (at: number): string => join(base, `vault ${at}`);

function furnish(folder: string, config: object, { files = {} }: Setup): void {
  write(join(folder, 'opencode.json'), JSON.stringify(config));
  write(join(folder, '.opencode/plugin/agent-task-boards.js'), readFileSync(programs.bridge));
  fakePluginInstall(join(folder, '.opencode'));
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Makes OpenCode load a folder, and its bridge, with a first request for it. */
async function bridgeOf(folder: string): Promise<RunFile> {
  const config = await fetch(`${opencode.url}/config?directory=${encodeURIComponent(folder)}`);
  expect(config.status, await config.text()).toBe(200);
  const file = join(folder, RUN_FOLDER, `${opencode.pid}.json`);
  const run = existsSync(file) ? parseRunFile(readFileSync(file, 'utf8')) : undefined;
  if (!run) throw new Error(`No bridge in ${folder}.`);
  return run;
}

/** Allows every permission request. */
function agreeing(client: TestClient): void {
  client.socket.on('message', (data: Buffer) => {
    const { type, sessionId, payload } = JSON.parse(data.toString()) as {
      type: string;
      sessionId: string;
      payload: { requestId: string };
    };
    if (type !== 'permission.request') return;
    const { requestId } = payload;
    client.send({ type: 'permission.response', sessionId, payload: { requestId, reply: 'once' } });
  });
}

const NUMBERED = SETUPS.map((setup, at) => ({ ...setup, at }));

describe('OpenCode with the configurations that people have', () => {
  test.each(NUMBERED.filter(({ at }) => at % stepSize(3) === 0))(
    '[BRIDGE90] [USAGE1] $name: the catalog, a session and a turn',
    async ({ at, agent, agents = ['build'], models = [], config }) => {
      const client = await TestClient.connect(await bridgeOf(folderOf(at)), ['permissions']);
      agreeing(client);
      client.send({ type: 'catalog.get', payload: {} });
      const { payload } = await client.next('catalog');
      expect(payload.agents.map(({ name }) => name)).toEqual(expect.arrayContaining([...agents]));
      const wanted = ['scripted/script', ...models];
      expect(payload.models.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted));
      expect(payload.model).toBe('model' in config ? undefined : 'scripted/script');

      const sessionId = await client.start('Turn', agent === undefined ? {} : { agent });
      model.play(sessionId, [{ tools: [{ name: 'tasks', args: LIST }] }, { text: 'fine' }]);
      const end = await client.prompt(sessionId, 'go');
      expect(end.payload).toMatchObject({ reason: 'completed' });
      expect(client.ofType('message.final').map(({ payload: { text } }) => text)).toContain('fine');
      const month = new Date().toISOString().slice(0, 7);
      const usage = join(folderOf(at), '.opencode/agent-task-boards/usage', `${month}.jsonl`);
      await expect
        .poll(() => (existsSync(usage) ? readFileSync(usage, 'utf8').split('\n').length : 0))
        .toBe(2);
      const turn = { engine: 'opencode', model: 'scripted/script', reason: 'completed' };
      expect(JSON.parse(readFileSync(usage, 'utf8'))).toMatchObject({
        session: sessionId,
        ...turn,
      });
      await client.close();
    },
  );

  test.each(NUMBERED.filter(({ run }) => run).filter((_, nth) => nth % stepSize(3) === 0))(
    '[BRIDGE90] $name: a run',
    async ({ at, agent }) => {
      await bridgeOf(folderOf(at));
      const named = agent === undefined ? [] : ['--agent', agent];
      const words = ['run', 'start', GOAL, '--no-approve', '--json', ...named];
      const child = new ChildLines(programs.cli(folderOf(at), words));
      await child.ended;
      const last: unknown = JSON.parse(child.lines.at(-1) ?? '{}');
      expect(last, child.fault).toMatchObject({ type: 'end', state: 'completed', ok: true });
    },
  );
});
