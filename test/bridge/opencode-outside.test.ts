import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  tasksCall,
} from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;
let other: OpencodeProcess;

/** A configuration that loads the vault's bridge in all folders. */
function forAll(vault: string) {
  const url = pathToFileURL(join(vault, '.opencode/plugin/agent-task-boards.js')).href;
  return { plugin: [[url, { vault }]] };
}

function folderNamed(name: string): string {
  const folder = join(run.vault, '..', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

beforeAll(async () => {
  run = await startRun({ config: forAll });
  other = await run.startElsewhere(folderNamed('code'));
});

afterAll(() => run.close());

async function post(
  { url }: OpencodeProcess,
  directory: string,
  path: string,
  body: object,
): Promise<{ readonly id: string }> {
  const target = new URL(path, url);
  target.searchParams.set('directory', directory);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as { id: string };
}

/** Starts a session in a folder in which the agent makes a plan. @returns its id */
async function planIn(process: OpencodeProcess, folder: string): Promise<string> {
  const { id } = await post(process, folder, '/session', { title: 'Of code' });
  run.model.play(id, tasksCall(PLAN), { text: 'planned' });
  const parts = [{ type: 'text', text: 'plan' }];
  await post(process, folder, `/session/${id}/message`, { parts });
  return id;
}

/** Run files of the reachable bridges, by the folder in which OpenCode works. */
function reached(): Map<string, RunFile> {
  const folder = join(run.vault, RUN_FOLDER);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = files.map((name) => parseRunFile(readFileSync(join(folder, name), 'utf8')));
  return new Map(read.flatMap((file) => (file ? [[file.directory, file]] : [])));
}

describe('OpenCode outside the vault', () => {
  test('[BRIDGE64] plans of a code repository stand in the vault, its run file too, beside that of the vault', async () => {
    const code = folderNamed('code');
    const id = await planIn(other, code);
    expect(readFileSync(boardFile(run, id), 'utf8')).toContain('# Plan');
    expect(existsSync(join(code, '.opencode'))).toBe(false);
    expect([...reached().keys()].sort()).toEqual([code, run.vault].sort());
    expect(reached().get(code)?.pid).toBe(other.pid);
  });

  test('[BRIDGE64] a client of the vault runs the calls of both', async () => {
    const code = folderNamed('code');
    const file = reached().get(code);
    if (!file) throw new Error('no bridge of the repository');
    const client = await TestClient.connect(file);
    expect((await client.next('welcome')).payload.directory).toBe(code);
    const id = await client.start('Called');
    run.model.play(id, tasksCall(PLAN), { text: 'planned' });
    client.send({ type: 'session.message', sessionId: id, payload: { text: 'plan' } });
    expect((await client.next('tool.call')).payload.originSessionId).toBe(id);
    await client.close();
  });

  test('[BRIDGE64] in the vault the bridge serves once, though OpenCode finds it and has it in its configuration', async () => {
    const { id } = await post(run.opencode, run.vault, '/session', { title: 'Once' });
    run.model.play(id, tasksCall(PLAN), { text: 'a' }, { text: 'b' });
    await promptByHttp(run, id, 'plan');
    await promptByHttp(run, id, 'go on');
    const last = requestsOf(run, id).at(-1);
    expect(newestContent(last, 'user').split('Your task board').length).toBe(2);
    expect(last?.tools.filter(({ name }) => name === 'tasks')).toHaveLength(1);
    const pids = readdirSync(join(run.vault, RUN_FOLDER)).filter((name) =>
      name.startsWith(`${run.opencode.pid}`),
    );
    expect(pids).toEqual([`${run.opencode.pid}.json`]);
  });

  test('[BRIDGE64] one process in two folders is reached twice', async () => {
    const more = folderNamed('more');
    const id = await planIn(other, more);
    expect(existsSync(boardFile(run, id))).toBe(true);
    expect([folderNamed('code'), more].map((folder) => reached().get(folder)?.pid)).toEqual([
      other.pid,
      other.pid,
    ]);
  });

  test('[BRIDGE64] a vault that is none is refused in OpenCode’s log, and no tool is offered', async () => {
    const lost = folderNamed('lost');
    const bad = await startRun({ config: () => forAllIn(run.vault, 'notes') });
    const { id } = await post(bad.opencode, lost, '/session', { title: 'Lost' });
    await post(bad.opencode, lost, `/session/${id}/message`, {
      parts: [{ type: 'text', text: 'hi' }],
    });
    const tools = bad.model.requests.find(({ sessionId }) => sessionId === id)?.tools ?? [];
    expect(tools.map(({ name }) => name)).not.toContain('tasks');
    expect(tools.map(({ name }) => name)).toContain('bash');
    const words = 'must be an absolute path';
    await expect.poll(() => bad.filesWith(words).some((file) => file.endsWith('.log'))).toBe(true);
    await bad.close();
  });
});

function forAllIn(bridgeOf: string, vault: string) {
  const [[url] = []] = forAll(bridgeOf).plugin;
  return { plugin: [[url, { vault }]] };
}
