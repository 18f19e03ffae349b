import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Exit } from '../../src/cli/command';
import { inProcessCli } from './in-process-cli';

const STATE = '.opencode/agent-task-boards';
const HISTORY = `${STATE}/history/s1/build.jsonl`;

const here = inProcessCli();

async function board(): Promise<void> {
  expect(await here.runAsAgent('init', 'Plan')).toMatchObject({ code: 0 });
  expect(await here.runAsAgent('add', 'One')).toMatchObject({ code: 0 });
}

async function put(kind: 'file' | 'folder' | 'pipe', path: string): Promise<void> {
  const at = join(here.vault, path);
  await fs.rm(at, { recursive: true, force: true });
  if (kind === 'file') await fs.writeFile(at, 'x');
  else if (kind === 'folder') await fs.mkdir(at);
  else execFileSync('mkfifo', [at]);
}

const said = ({ out, err }: Exit): string => `${out}${err}`;

describe.each([
  ['folder', HISTORY, `${HISTORY} is a folder, where a file has to be. Move it away or remove it`],
  ['pipe', HISTORY, `${HISTORY} is a pipe, where a file has to be. Move it away or remove it`],
  [
    'file',
    `${STATE}/history`,
    `${STATE}/history is a file, where a folder has to be. Move it away`,
  ],
] as const)('[HIST20] a %s at %s', (kind, path, told) => {
  test.each([['undo'], ['undo', '--as-person'], ['history']])('%s %s', async (...args) => {
    await board();
    await put(kind, path);
    const exit = await here.runAsAgent(...args);
    expect(exit.code).toBe(1);
    expect(said(exit)).toContain(told);
    expect(await here.runAsAgent('add', 'Two', '--as-person')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`can't be undone later: ${told}`) as unknown,
    });
  });
});

const READS = [
  ['list'],
  ['list', '--session', 's1'],
  ['ready'],
  ['get', '1'],
  ['analyze'],
  ['history'],
  ['checkpoints'],
  ['export', '--to', 'json'],
  ['add', 'Two', '--session', 's1', '--agent', 'build'],
];

describe.each(['.opencode', '.opencode/todos'])('[STORE50] a file in the place of %s', (path) => {
  const told = `${path} is a file, where a folder has to be. Move it away`;

  test.each(READS)('%s %s %s', async (...args) => {
    await board();
    await put('file', path);
    const exit = await here.run([...args, '--vault', here.vault]);
    expect([exit.code, said(exit)]).toEqual([1, expect.stringContaining(told)]);
  });

  test('doctor names it', async () => {
    await board();
    await put('file', path);
    const exit = await here.run(['doctor', '--vault', here.vault]);
    expect([exit.code, said(exit)]).toEqual([
      path === '.opencode' ? 1 : 3,
      expect.stringContaining(told),
    ]);
  });
});

test('[STORE50] without --vault a file in the place of .opencode is named too', async () => {
  await put('file', '.opencode');
  const exit = await here.run(['list']);
  expect(exit.code).toBe(2);
  expect(exit.err).toContain('.opencode is a file, where a folder has to be.');
});

test.each([
  ['audit', ['audit', 'verify']],
  ['audit', ['audit', 'tail']],
  ['runs', ['run', 'status']],
  ['runs', ['run', 'list']],
  ['checkpoints', ['checkpoints']],
  ['checkpoints', ['rollback', '1']],
])('[STORE50] a file in the place of %s of the state: %s', async (name, args) => {
  await board();
  await put('file', `${STATE}/${name}`);
  const exit = await here.run(args);
  expect(exit.code).toBe(1);
  expect(said(exit)).toContain(`${STATE}/${name} is a file, where a folder has to be.`);
  expect(await here.runAsAgent('list')).toMatchObject({ code: 0 });
});
