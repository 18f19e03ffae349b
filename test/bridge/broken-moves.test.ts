import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChildLines } from '../../soak/child-lines';
import { loadBridge } from '../../soak/link/local-bridge';
import { NO_MOVES } from '../../src/core/board/pending-moves';
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { connect } from '../mcp/mcp-rig';

const FROM = '.opencode/todos/ses_1/build-tasks.md';
const TO = '.opencode/todos/ses_2/build-tasks.md';
const JOURNAL = '.opencode/agent-task-boards/transfers.json';

let base = '';
let vault = '';

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'atb-moves-')));
  await build({
    ...{ bundle: true, format: 'esm', platform: 'node', logLevel: 'error' },
    ...{ entryPoints: [join(import.meta.dirname, 'moving-child.ts')] },
    outfile: join(base, 'moving-child.mjs'),
  });
});
beforeEach(async () => {
  vault = await mkdtemp(join(base, 'vault-'));
  const store = new DiskStore(vault);
  const manager = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
  const add = (sessionId: string, ...titles: readonly string[]) => {
    const operations = titles.map((title) => ({ type: 'add', title }));
    return manager.call({ sessionId, agent: 'build' }, { operations });
  };
  await add('ses_1', 'Read', 'Write');
  await add('ses_2', 'Plan');
  await killedHalfway();
  expect([await titles(FROM), await titles(TO)]).toEqual([
    ['Read', 'Write'],
    ['Plan', 'Write'],
  ]);
});
afterAll(() => rm(base, { recursive: true, force: true }));

/** `kill -9` of a program that moves a task, between its writes of the two notes. */
async function killedHalfway(): Promise<void> {
  const args = [join(base, 'moving-child.mjs'), vault, FROM, TO];
  const child = new ChildLines(
    spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  if (!(await child.waitForLines(1)))
    throw new Error(`The program ended by itself: ${child.fault ?? ''}`);
  await child.kill();
}

async function titles(path: string): Promise<readonly string[]> {
  const note = await readFile(join(vault, path), 'utf8');
  return [...note.matchAll(/^- \[.\] (\w+)/gm)].map(([, title = '']) => title);
}

async function expectMoved(): Promise<void> {
  expect([await titles(FROM), await titles(TO)]).toEqual([['Read'], ['Plan', 'Write']]);
  expect(await readFile(join(vault, JOURNAL), 'utf8')).toBe(NO_MOVES);
}

test('[TASKS84] the start of the bridge finishes a move whose program was killed between the two notes', async () => {
  const bridge = await loadBridge(vault, ['ses_1', 'ses_2']);
  await expectMoved();
  await bridge.hooks.dispose();
});

test('[TASKS84] so does the start of an MCP server, before its client is served', async () => {
  const { close } = await connect({ vault });
  await expectMoved();
  await close();
});
