import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, watch } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noteKey } from '../../src/node/disk-store';
import { keyLockPath } from '../../src/node/lock';
import { inProcessCli } from './in-process-cli';
import { cliRun, parseOutput } from './cli-run';

const STATE = '.opencode/agent-task-boards';
const BOARD = '.opencode/todos/s1/build-tasks.md';

const cli = cliRun();
const here = inProcessCli();
const write = () => cli.run(['add', 'Next', '--session', 's1', '--agent', 'build']);

const MEND = 'Move it away or remove it, then try again.';

beforeEach(async () => {
  expect(await write()).toMatchObject({ code: 0 });
});

async function auditFiles(): Promise<{ readonly lines: string; readonly mark: string }> {
  const [lines = ''] = (await fs.readdir(join(cli.vault, STATE, 'audit'))).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const writer = lines.split('.')[1] ?? '';
  return {
    lines: `${STATE}/audit/${lines}`,
    mark: `${STATE}/audit/writers/${writer}.json`,
  };
}

async function put(kind: 'folder' | 'pipe', path: string, vault = cli.vault): Promise<void> {
  const file = join(vault, path);
  await fs.rm(file, { recursive: true, force: true });
  await fs.mkdir(dirname(file), { recursive: true });
  if (kind === 'pipe') execFileSync('mkfifo', [file]);
  else await fs.mkdir(file);
}

test('[CLI47] a note that is no UTF-8 text needs repair, and each answer names it once', async () => {
  const bytes = Buffer.concat([await fs.readFile(join(cli.vault, BOARD)), Buffer.from([0xfc])]);
  await fs.writeFile(join(cli.vault, BOARD), bytes);
  const mend = 'It is no valid UTF-8 text. Save it as UTF-8, then try again.';
  expect(await cli.run(['list'])).toMatchObject({
    ...{ code: 3, out: `${BOARD}: needs repair. ${mend}\n` },
  });
  const { code, out } = await write();
  expect(code).toBe(3);
  expect(out).toContain(`The board of build can't be read and needs the person: ${mend}`);
  expect(await fs.readFile(join(cli.vault, BOARD))).toEqual(bytes);
});

test('[CLI47] what can not be opened is not proposed to be made anew', async () => {
  const outside = join(cli.vault, '..', `${basename(cli.vault)}.md`);
  await fs.rename(join(cli.vault, BOARD), outside);
  await fs.symlink(outside, join(cli.vault, BOARD));
  const { code, out } = await write();
  await fs.rm(outside);
  expect(code).toBe(1);
  expect(out).toContain(
    'a link leads out of the vault. Put a file or folder in its place, then try again.',
  );
  expect(out).toContain('The board was not read or written: see the reason above.');
  expect(out).not.toContain('init');
});

test.each(['folder', 'pipe', 'link', 'dead folder'] as const)(
  '[CLI49] a board that can not be read is no missing board: a %s in its place',
  async (kind) => {
    const folder = dirname(BOARD);
    expect(await here.runAsAgent('add', 'One')).toMatchObject({ code: 0 });
    if (kind === 'link') {
      await fs.rm(join(here.vault, BOARD));
      await fs.symlink('/etc/hostname', join(here.vault, BOARD));
    } else if (kind === 'dead folder') {
      await fs.rm(join(here.vault, folder), { recursive: true });
      await fs.symlink('nowhere', join(here.vault, folder));
    } else {
      await put(kind, BOARD, here.vault);
    }
    const at = kind === 'dead folder' ? folder : BOARD;
    for (const command of ['list', 'analyze']) {
      const { code, out, err } = await here.run([command]);
      expect({ code, out }).toEqual({ code: 3, out: 'No board can be read.\n' });
      expect(err).toMatch(new RegExp(`^agent-boards: ${at}:? .+\\n$`));
      const programs = await here.run([command, '--json']);
      expect(programs.code).toBe(3);
      expect(parseOutput(programs)).toMatchObject({ boards: [], unread: [{ path: at }] });
    }
    for (const args of [['ready'], ['get', '1'], ['export', '--to', 'json']]) {
      const { code, out, err } = await here.run(args);
      expect({ args, code, out }).toEqual({ args, code: 3, out: '' });
      expect(err).toContain(`there is no board that can be read. ${at}`);
    }
    const whole = ['--session', basename(folder)];
    for (const args of [['list'], ['list', '--agent', 'build'], ['analyze'], ['ready']]) {
      const { code, out, err } = await here.run([...args, ...whole]);
      expect({ args, code, out }).toEqual({ args, code: 3, out: '' });
      expect(err).toContain(at);
    }
    const other = ['--session', 's2', '--agent', 'build'];
    expect(await here.run(['add', 'Other', ...other])).toMatchObject({ code: 0 });
    expect((await here.run(['list'])).code).toBe(3);
    // A path that is no board's may belong to anyone.
    const named = await here.run(['list', ...other]);
    expect(named.code).toBe(kind === 'dead folder' ? 3 : 0);
    expect(named.out).toContain('#1 Other');
  },
);

describe.each(['folder', 'pipe'] as const)('a %s in the place of a file of the state', (kind) => {
  const told = (path: string): string => `${path} is a ${kind}, where a file has to be. ${MEND}`;

  test('[STORE48] a board, its lock, the settings: each write names it and what to do', async () => {
    const settings = '.opencode/agent-task-boards.json';
    for (const path of [settings, keyLockPath(noteKey(BOARD)), BOARD]) {
      await put(kind, path);
      const { code, out, err } = await write();
      expect({ path, code, told: `${out}${err}` }).toMatchObject({
        code: 1,
        told: expect.stringContaining(told(path)) as unknown,
      });
      await fs.rm(join(cli.vault, path), { recursive: true });
    }
  });

  test('[AUD33] a file of the audit: writes and verify name it and what to do', async () => {
    const { lines, mark } = await auditFiles();
    for (const path of [lines, mark]) {
      await put(kind, path);
      for (const { code, err } of [await write(), await cli.run(['audit', 'verify'])]) {
        expect({ path, code, err }).toMatchObject({
          code: 1,
          err: expect.stringContaining(told(path)) as unknown,
        });
        expect(err.trim().split('\n')).toHaveLength(1);
      }
      await fs.rm(join(cli.vault, path), { recursive: true });
    }
  });

  test('[DOC12] what the programs do without is named by doctor, and no write waits for it', async () => {
    const paths = [
      `${STATE}/history/s1/build.jsonl`,
      `${STATE}/seen/s1/build.md`,
      `${STATE}/sessions/s1/boards.json`,
      `${STATE}/checkpoints/s1/build/1.md`,
      `${STATE}/runs/r1.json`,
      '.opencode/run/17.json',
    ];
    for (const path of paths) await put(kind, path);
    expect(await write()).toMatchObject({ code: 0 });
    const { code, out } = await cli.run(['doctor']);
    expect(code).toBe(3);
    for (const path of paths) expect(out).toContain(told(path));
  });
});

test.each([
  ['list', '--json'],
  ['add', 'x', '--json'],
])('[CLI28] a shell whose folder is gone: %s %s', async (...args) => {
  const gone = await fs.mkdtemp(join(cli.vault, 'gone-'));
  const script = 'rmdir "$1"; node=$2; shift 2; exec "$node" "$@"';
  const all = ['-c', script, 'sh', gone, process.execPath, cli.program, ...args];
  const { status, stdout, stderr } = spawnSync('sh', all, { cwd: gone, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, '']);
  expect(parseOutput({ out: stdout })).toMatchObject({
    ok: false,
    error: { code: 'io', message: expect.stringContaining('folder') as unknown },
  });
});

test('[CLI28] a fault of the program itself is JSON for programs, and told whole on standard error', async () => {
  const fault = new TypeError('a fault of ours');
  const other = { bridge: () => Promise.reject(fault) };
  const args = ['install-bridge'];
  await expect(here.run(args, '', other)).rejects.toBe(fault);
  const { code, out, err } = await here.run([...args, '--json'], '', other);
  expect(code).toBe(1);
  expect(parseOutput({ out })).toMatchObject({ ok: false, error: { code: 'internal' } });
  expect(err).toBe(`${fault.stack ?? ''}\n`);
});

test('[DOC12] doctor names a file in the place of a folder', async () => {
  for (const path of [`${STATE}/history`, '.opencode/todos', STATE, '.opencode/run']) {
    await fs.rm(join(cli.vault, path), { recursive: true, force: true });
    await fs.writeFile(join(cli.vault, path), 'x');
    const { code, out } = await cli.run(['doctor']);
    expect([path, code]).toEqual([path, 3]);
    expect(out).toContain(`${path} is a file, where a folder has to be. Move it away`);
  }
});

test('[STORE48] a file in the place of a folder of the state is named, with what to do', async () => {
  await fs.rm(join(cli.vault, STATE, 'audit'), { recursive: true });
  await fs.writeFile(join(cli.vault, STATE, 'audit'), 'x');
  expect(await write()).toMatchObject({
    code: 1,
    err: expect.stringContaining('audit is a file, where a folder has to be.') as unknown,
  });
});

// Either the store refuses it or the last check before the answer finds the note gone, by chance.
test.each(['', '--json'])(
  '[CLI38] a change whose note is removed before the answer is not acknowledged: %s',
  async (option) => {
    expect(await here.runAsAgent('add', 'One')).toMatchObject({ code: 0 });
    const folder = join(here.vault, dirname(BOARD));
    const removed = new Promise<void>((resolve) => {
      const watching = watch(folder, (_, name) => {
        if (name !== 'build-tasks.md') return;
        watching.close();
        rmSync(folder, { recursive: true, force: true });
        resolve();
      });
    });
    const said = await here.runAsAgent('add', 'Two', ...(option === '' ? [] : [option]));
    await removed;
    expect(said.code).toBe(1);
    expect(`${said.out}${said.err}`).toMatch(
      /removed by another program|moved or removed meanwhile/,
    );
    expect(said.out).not.toMatch(/#2|"n":2/);
    if (option === '--json') expect(parseOutput(said)).toMatchObject({ ok: false });
  },
);
