import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isAlive } from '../../src/node/lock';
import { EXIT_WITH_STDIN } from '../../src/node/processes';
import { nodeProgramHost } from '../../src/node/programs/program-host';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { startReaper } from '../../workbench/demo/reaper';
import { startModel } from '../bridge/model';
import { bundleChild } from '../store/bundle-child';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { opencodeBinary, fakePluginInstall } from '../bridge/opencode-run';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');
const AGENT = join(import.meta.dirname, 'listing-agent.mjs');

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close) await one();
  close = [];
});

function place() {
  const base = mkdtempSync(join(tmpdir(), 'atb-killed-'));
  const vault = join(base, 'vault');
  mkdirSync(join(vault, '.opencode'), { recursive: true });
  const reaper = startReaper();
  close.push(() => {
    reaper.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    return Promise.resolve();
  });
  const program = (name: string, script: string): string => {
    const path = join(base, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const served = (): number[] =>
    readdirSync(join(vault, RUN_FOLDER))
      .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number);
  return { base, vault, reaper, program, served };
}

async function gone(...pids: readonly number[]): Promise<void> {
  expect(pids.every((pid) => pid > 0)).toBe(true);
  await expect.poll(() => pids.filter((pid) => isAlive(pid)), { timeout: 30_000 }).toEqual([]);
}

test('[START20] an app that is killed takes the program that it started, and the agent of that, along', async () => {
  const { base, vault, reaper, program, served } = place();
  const node = process.execPath;
  const path = program('agent-boards', `exec "${node}" "${PROGRAM}" "$@"`);
  const pid = join(base, 'agent.pid');
  const command = program('agent', `echo $$ > "${pid}"\nexec "${node}" "${AGENT}"`);
  const app = spawn(
    node,
    [await bundleChild(join(import.meta.dirname, 'program-child.ts')), path, vault, command],
    {
      env: { PATH: process.env.PATH, HOME: base },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [said] = (await once(app.stdout, 'data')) as [Buffer];
  expect(JSON.parse(said.toString())).toEqual({ ok: true });
  const agent = (): number => Number(readFileSync(pid, 'utf8'));
  await expect.poll(() => isAlive(agent())).toBe(true);
  const [serve = 0] = served();
  reaper.addProcess(serve);
  reaper.addProcess(agent());
  app.kill('SIGKILL');
  await gone(serve, agent());
  // It ended by itself, not by a signal: it deleted the file that it had written for clients.
  expect(served()).toEqual([]);
});

test('[START20] an app that is killed takes the OpenCode that it started along, where that has our bridge', async () => {
  const { base, vault, reaper, served } = place();
  const model = await startModel();
  close.push(() => model.close());
  mkdirSync(join(vault, '.opencode/plugin'));
  mkdirSync(join(base, 'home'));
  fakePluginInstall(join(vault, '.opencode'));
  const bridge = join(vault, '.opencode/plugin/agent-task-boards.js');
  copyFileSync(join(import.meta.dirname, '../../main.js'), bridge);
  const child = await bundleChild(join(import.meta.dirname, 'program-child.ts'));
  const app = spawn(process.execPath, [child, opencodeBinary(), vault], {
    env: isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(app.stdout, 'data')) as [Buffer];
  expect(JSON.parse(said.toString())).toEqual({ ok: true });
  const [opencode = 0] = served();
  reaper.addProcess(opencode);
  expect(isAlive(opencode)).toBe(true);
  app.kill('SIGKILL');
  await gone(opencode);
  expect(served()).toEqual([]);
});

test('[START20] it ends with its input only where it is told so, on a model too', async () => {
  const { base, vault, reaper, served } = place();
  const model = await startModel();
  close.push(() => model.close());
  const args = [PROGRAM, 'serve', '--vault', vault, '--engine', 'model', '--provider', 'own'];
  const start = async (env: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, [...args, '--url', model.url], {
      env: { PATH: process.env.PATH, HOME: base, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    reaper.addProcess(child.pid ?? 0);
    await once(child.stdout, 'data');
    return child;
  };
  const [held, free] = [await start({ [EXIT_WITH_STDIN]: '1' }), await start({})];
  const ended = once(held, 'exit');
  for (const { stdin } of [free, held]) stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(served()).toEqual([free.pid]);
  free.kill('SIGTERM');
  await once(free, 'exit');
});

test('[START20] a program that is told to end does not wait for its input', async () => {
  const { base, vault } = place();
  const model = await startModel();
  close.push(() => model.close());
  const args = [PROGRAM, 'serve', '--vault', vault, '--engine', 'model', '--provider', 'own'];
  const child = spawn(process.execPath, [...args, '--url', model.url], {
    env: { PATH: process.env.PATH, HOME: base, [EXIT_WITH_STDIN]: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('[ACP25] [START5] an agent that ignores signals ends with the program that is stopped, and so does what it started', async () => {
  const { base, vault, reaper, program } = place();
  const node = process.execPath;
  const path = program('agent-boards', `exec "${node}" "${PROGRAM}" "$@"`);
  const child = join(base, 'child.pid');
  const starts = `(trap "" TERM; exec sleep 600) & echo $! > "${child}"`;
  const agent = join(import.meta.dirname, 'bad-agent.mjs');
  const command = program('agent', `${starts}\nexec "${node}" "${agent}" hangs stays`);
  const none = (): void => undefined;
  const started = nodeProgramHost().agent({
    ...{ path, folder: vault, onLine: none, onExit: none },
    agent: { kind: 'acp', name: 'Agent', command, args: [] },
  });
  expect(await started.ready).toEqual({ ok: true });
  const file = join(vault, 'pid');
  await expect.poll(() => existsSync(file)).toBe(true);
  const pids = [child, file].map((one) => Number(readFileSync(one, 'utf8')));
  for (const pid of pids) reaper.addProcess(pid);
  started.kill();
  await gone(...pids);
});

test.each(['', '  '])('[ACP17] the command “%s” is refused, and nothing is served', (command) => {
  const { base, vault } = place();
  const args = [PROGRAM, 'serve', '--vault', vault, '--engine', 'acp', '--', command];
  const env = { PATH: process.env.PATH, HOME: base };
  const ended = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(ended.stderr).toContain('takes the command of the agent after --');
  expect(ended.status).toBe(2);
  expect(existsSync(join(vault, RUN_FOLDER))).toBe(false);
});
