import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** root may write to any folder, whatever its permissions are. */
const isRoot = process.getuid?.() === 0;
const NOBODY = isRoot ? { uid: 65_534, gid: 65_534 } : {};

let base: string;
/** the built program, where every user can read it */
let program: string;
let home: string;
let vault: string;

beforeAll(async () => {
  base = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-read-only-')));
  await fs.chmod(base, 0o755);
  await fs.cp(join(ROOT, 'dist'), join(base, 'dist'), { recursive: true });
  for (const file of ['package.json', 'main.js']) await fs.cp(join(ROOT, file), join(base, file));
  program = join(base, 'dist/cli.js');
  home = join(base, 'home');
});
afterAll(() => fs.rm(base, { recursive: true, force: true }));
beforeEach(async () => {
  vault = await fs.mkdtemp(join(base, 'vault-'));
  await fs.chmod(vault, 0o755);
  await fs.mkdir(join(vault, '.obsidian'));
  await fs.mkdir(join(vault, 'Notes'));
  await fs.writeFile(join(vault, 'Notes/A.md'), '# A\nalpha\n');
  await fs.mkdir(home, { recursive: true });
  await own(home);
});
afterEach(async () => {
  await mode(vault, 0o755);
  await fs.rm(vault, { recursive: true });
});

async function own(path: string): Promise<void> {
  if (isRoot) await fs.chown(path, 65_534, 65_534);
}

/** Sets the permissions of a folder and of all folders in it. */
async function mode(folder: string, bits: number): Promise<void> {
  if (bits === 0o755) await fs.chmod(folder, bits);
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await mode(join(folder, entry.name), bits);
  }
  await fs.chmod(folder, bits);
}

/** Runs the command line as an ordinary user. */
async function run(args: readonly string[], input = '') {
  const env = { PATH: process.env.PATH, HOME: home };
  const all = [program, ...args, '--vault', vault];
  const child = spawn(process.execPath, all, { cwd: base, env, ...NOBODY });
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(err).not.toMatch(/\n {4}at |Error:/);
  return { code: await code, out, err };
}

const REFUSED =
  /^agent-boards: [^\n]*\.opencode[^\n]*: the system does not allow it\. Check who owns the file and its folder, and their permissions\.[^\n]*\n$/;

describe('a vault that can only be read', () => {
  test('[CLI44] every command that writes or is audited says what to do; those that only look work', async () => {
    await mode(vault, 0o555);
    for (const args of [
      ['init', 'Plan', '--agent', 'a', '--session', 's1'],
      ['add', 'One', '--agent', 'a', '--session', 's1'],
      ['notes', 'search', 'alpha'],
      ['notes', 'read', 'Notes/A.md'],
      ['notes', 'list'],
      ['notes', 'meta', 'Notes/A.md'],
      ['notes', 'create', 'B.md', 'text', '--as-person'],
      ['notes', 'update', 'Notes/A.md', 'text', '--mode', 'append', '--as-person'],
      ['install-bridge'],
    ]) {
      const { code, err } = await run(args);
      expect([args, code, err]).toEqual([args, 1, expect.stringMatching(REFUSED)]);
    }
    for (const verb of ['list', 'ready', 'analyze']) {
      const out = expect.stringContaining('No boards') as unknown;
      expect(await run([verb])).toEqual({ code: 0, out, err: '' });
    }
    await mode(vault, 0o755);
    await own(vault);
    await run(['init', 'Plan', '--agent', 'a', '--session', 's1']);
    await mode(vault, 0o555);
    const { code, out } = await run(['add', 'One', '--session', 's1', '--as-person']);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('the system does not allow it. Check'),
    ]);
    expect((await run(['list'])).out).toContain('Plan (');
  });

  test('[DOC14] doctor, connect and mcp say that it can not be written', async () => {
    await mode(vault, 0o555);
    const words = '.: This user cannot write there, so boards cannot be changed';
    expect(await run(['doctor'])).toMatchObject({
      code: 3,
      out: expect.stringContaining(words) as unknown,
    });
    const dry = await run(['connect', 'claude', '--dry-run']);
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining(words) as unknown });
    const served = await run(['mcp'], SCRIPT);
    expect(served).toMatchObject({ code: 0, err: expect.stringContaining(words) as unknown });
    const answers = served.out.trim().split('\n').slice(1);
    expect(answers.length).toBe(2);
    for (const line of answers) {
      expect(line).toContain('"isError":true');
      expect(line).toContain('the system does not allow it. Check who owns');
    }
  });

  test('[CLI44] a search works where the index can not be kept, and none can be read', async () => {
    const state = join(vault, '.opencode/agent-task-boards');
    await fs.mkdir(join(state, 'index'), { recursive: true });
    for (const path of [vault, join(vault, '.opencode'), state]) await own(path);
    // Large enough to be stored in the index.
    await fs.writeFile(join(vault, 'Notes/Long.md'), 'beta '.repeat(50_000));
    const longAgo = new Date(Date.now() - 60_000);
    await fs.utimes(join(vault, 'Notes/Long.md'), longAgo, longAgo);
    for (const bits of [0o555, 0o000]) {
      await fs.chmod(join(state, 'index'), bits);
      const { code, out, err } = await run(['notes', 'search', 'alpha']);
      expect([code, out, err]).toEqual([0, '1 note for "alpha".\nNotes/A.md\n  2: alpha\n', '']);
    }
    expect(await fs.readdir(join(state, 'index')).catch(() => [])).toEqual([]);
  });

  test('[PERM15] of a folder that is closed, it is said that the system does not allow it', async () => {
    await fs.mkdir(join(vault, 'Closed'));
    await fs.mkdir(join(base, 'outside'), { recursive: true });
    await fs.symlink('../outside/deep', join(vault, 'Out'));
    await own(vault);
    await fs.chmod(join(vault, 'Closed'), 0o000);
    await fs.chmod(join(base, 'outside'), 0o000);
    const closed = await run(['notes', 'read', 'Closed/A.md']);
    expect(closed.err).toContain('Closed/A.md cannot be looked at: the system does not allow it.');
    const out = await run(['notes', 'read', 'Out/A.md']);
    expect(out.err).toContain('Out/A.md leads out of the vault.');
  });
});

test('[CLIENT16] a configuration that can not be written is named, with what was written before it', async () => {
  await fs.mkdir(join(home, '.claude'));
  const files = [join(home, '.claude.json'), join(home, '.claude/CLAUDE.md')] as const;
  await fs.chmod(join(home, '.claude'), 0o555);
  const { code, err } = await run(['connect', 'claude']);
  expect(code).toBe(1);
  expect(err).toBe(
    `agent-boards: ${files[1]}: the system does not allow it. Check who owns the file and its folder, and their permissions. ${files[0]} was written. Run it again once that is fixed.\n`,
  );
});

const SCRIPT = [
  {
    ...{ id: 1, method: 'initialize' },
    params: {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name: 'Reader', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  ...[
    { name: 'tasks', arguments: { operations: [{ type: 'add', title: 'One' }] } },
    { name: 'obsidian_search_vault', arguments: { query: 'alpha' } },
  ].map((params, at) => ({ id: at + 2, method: 'tools/call', params })),
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');
