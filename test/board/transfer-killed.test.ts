import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { stepSize } from '../in-full';
import { bundleChild } from '../store/bundle-child';
import { boardPathOf } from './manager-fixture';

const FROM = boardPathOf('build');
const TO = boardPathOf('build', 'ses_2');
const OLD = ['Read', 'Write', 'Draft'];
let child = '';
let root = '';

beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'transfer-child.ts'));
  root = await fs.mkdtemp(join(tmpdir(), 'atb-transfer-'));
});

afterAll(async () => {
  await fs.rm(dirname(child), { recursive: true, force: true });
  await fs.rm(root, { recursive: true, force: true });
});

const start = () => new TodoManager({ store: new DiskStore(root), clock: nodeClock, ids: nodeIds });

async function planned(): Promise<void> {
  await fs.rm(root, { recursive: true, force: true });
  await fs.mkdir(root);
  const manager = start();
  const adds = [
    ['ses_1', { type: 'add', title: 'Read' }],
    ['ses_1', { type: 'add', title: 'Write' }],
    ['ses_1', { type: 'add', title: 'Draft', parent: 2 }],
    ['ses_2', { type: 'add', title: 'Plan' }],
  ] as const;
  for (const [sessionId, operation] of adds) {
    const context = { sessionId, agent: 'build', sessionTitle: 'The session' };
    expect((await manager.call(context, { operations: [operation] })).ok).toBe(true);
  }
}

async function moved(dieAt: number): Promise<{ readonly killed: boolean; readonly said: string }> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const running = spawn(process.execPath, [child, root, FROM, TO, String(dieAt)], {
    stdio: [...stdio],
  });
  let said = '';
  running.stdout.on('data', (data: Buffer) => (said += data.toString()));
  const [, signal] = (await once(running, 'close')) as [number | null, string | null];
  return { killed: signal === 'SIGKILL', said };
}

async function titles(manager: TodoManager): Promise<string[][]> {
  const boards = await Promise.all([FROM, TO].map((path) => manager.load(path)));
  return boards.map((board) => board?.tasks.map(({ title }) => title) ?? []);
}

test('[TASKS84, TASKS85] a process that moves tasks is killed at any of its writes: each task stands on one board after, and one undo brings back what was moved', async () => {
  await planned();
  const { steps, ok } = JSON.parse((await moved(0)).said) as { steps: number; ok: boolean };
  expect(ok).toBe(true);
  expect(steps).toBeGreaterThan(10);
  const ends = new Set<string>();
  for (let dieAt = 1; dieAt <= steps; dieAt += stepSize(3)) {
    await planned();
    expect(await moved(dieAt)).toEqual({ killed: true, said: '' });
    const manager = start();
    await manager.scan();
    await manager.moves.finish();
    const [old = [], now = []] = await titles(manager);
    expect([...old, ...now].sort(), `died at ${dieAt}`).toEqual([...OLD, 'Plan'].sort());
    expect(now.includes('Draft')).toBe(now.includes('Write'));
    ends.add(now.join());
    if (!now.includes('Write')) continue;
    const undone = await start().undoLast(TO, PERSON);
    expect(await titles(start()), `died at ${dieAt}`).toEqual(
      undone.ok ? [OLD, ['Plan']] : [old, now],
    );
    expect(undone.ok ? '' : undone.message).toMatch(/^$|lacks its part of the move/);
    if (undone.ok) ends.add('undone');
  }
  expect([...ends].sort()).toEqual(['Plan', 'Plan,Write,Draft', 'undone']);
});
