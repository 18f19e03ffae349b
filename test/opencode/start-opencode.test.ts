import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineCleaner } from '../../src/node/programs/clean-line';
import { findProgram, programFolders } from '../../src/node/programs/find-program';
import { nodeProgramHost } from '../../src/node/programs/program-host';
import { commandPlan, spawnPlan } from '../../src/node/programs/spawn-plan';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';

let base: string;
let vault: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'atb-start-'));
  vault = join(base, 'vault');
  mkdirSync(join(vault, '.opencode/plugin'), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function program(name: string, script: string): string {
  const path = join(base, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

interface Heard {
  readonly lines: string[];
  readonly exits: string[];
  readonly exited: Promise<void>;
}

function start(path: string, env: Readonly<Record<string, string | undefined>> = process.env) {
  const lines: string[] = [];
  const exits: string[] = [];
  let tell = (): void => undefined;
  const exited = new Promise<void>((resolve) => (tell = resolve));
  const host = nodeProgramHost(() => ({ platform: process.platform, env, home: base }));
  const started = host.openCode({
    path,
    folder: vault,
    onLine: (line) => void lines.push(line),
    onExit: (how) => {
      exits.push(how);
      tell();
    },
  });
  const heard: Heard = { lines, exits, exited };
  return { started, heard };
}

const SERVE = ['serve', '--port', '0', '--hostname', '127.0.0.1'];

const openCode = (path: string) => ({ name: 'OpenCode', path, args: SERVE });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the program of OpenCode', () => {
  test('[START1] is looked for in the folders of the environment and where shells find it, never in a relative one', async () => {
    const home = join(base, 'home');
    mkdirSync(join(home, '.opencode/bin'), { recursive: true });
    const around = { platform: 'linux' as const, env: { PATH: 'bin::.:/opt/x' }, home };
    expect(programFolders(around).slice(0, 2)).toEqual(['/opt/x', join(home, '.opencode/bin')]);
    expect(programFolders(around).every((folder) => folder.startsWith('/'))).toBe(true);
    writeFileSync(join(home, '.opencode/bin/opencode'), 'not to be run');
    const elsewhere = await findProgram('opencode', around);
    chmodSync(join(home, '.opencode/bin/opencode'), 0o755);
    expect(await findProgram('opencode', around)).toBe(join(home, '.opencode/bin/opencode'));
    expect(elsewhere).not.toBe(join(home, '.opencode/bin/opencode'));
  });

  test('[START2] is started with an array of arguments; only a script of Windows goes through its shell', () => {
    const mac = { platform: 'darwin' as const, env: { PATH: '/usr/bin' }, home: '/Users/a' };
    const plan = spawnPlan(openCode('/Users/a/my tools/opencode'), mac);
    expect(plan).toMatchObject({
      file: '/Users/a/my tools/opencode',
      args: ['serve', '--port', '0', '--hostname', '127.0.0.1'],
      verbatim: false,
    });
    const folders = 'env' in plan ? (plan.env.PATH ?? '').split(':') : [];
    expect(folders).toEqual(expect.arrayContaining(['/opt/homebrew/bin', '/Users/a/my tools']));
    const windows = {
      platform: 'win32' as const,
      env: { ComSpec: 'C:\\W\\cmd.exe', Path: 'C:\\n' },
      home: 'C:\\Users\\a',
    };
    expect(spawnPlan(openCode('C:\\Program Files\\n\\opencode.cmd'), windows)).toMatchObject({
      file: 'C:\\W\\cmd.exe',
      args: [
        ...['/d', '/s', '/v:off', '/c'],
        '""C:\\Program Files\\n\\opencode.cmd" serve --port 0 --hostname 127.0.0.1"',
      ],
      verbatim: true,
    });
    expect(spawnPlan(openCode('C:\\n\\opencode.exe'), windows)).toMatchObject({ verbatim: false });
    for (const path of ['opencode', '.\\opencode.cmd', 'C:\\a%PATH%\\o.cmd', 'C:\\a"&b\\o.cmd']) {
      expect(spawnPlan(openCode(path), windows)).toEqual({ problem: expect.any(String) as string });
    }
  });

  test('[START2] a script of Windows gets each argument as it is, or is refused with what to do', async () => {
    const around = {
      platform: 'win32' as const,
      env: { ComSpec: 'C:\\W\\cmd.exe' },
      home: 'C:\\u',
    };
    const find = (name: string) =>
      Promise.resolve(name === 'claude-agent-acp' ? `C:\\n\\${name}.cmd` : undefined);
    const line = (...args: string[]) => commandPlan(['claude-agent-acp', ...args], around, find);
    // Otherwise an argument with a trailing backslash would swallow the next one.
    expect(await line('--at', 'C:\\', 'a & b|c>d^(e)', '', 'é')).toEqual({
      file: 'C:\\W\\cmd.exe',
      args: [
        ...['/d', '/s', '/v:off', '/c'],
        '""C:\\n\\claude-agent-acp.cmd" --at "C:\\\\" "a & b|c>d^(e)" "" "é""',
      ],
      env: expect.any(Object) as object,
      verbatim: true,
    });
    for (const bad of ['%PATH%', 'a"&calc"', '!x!', 'a\r\ncalc', 'a\0b']) {
      expect(await line(bad)).toEqual({ problem: expect.any(String) as string });
    }
    const refused = { problem: expect.stringContaining('node C:\\…\\agent.js') as string };
    expect(await line('100%')).toEqual(refused);
    // Never from the folder that it starts in, which is the vault.
    for (const command of ['other', '.\\agent.cmd', 'tools/agent.exe', 'C:agent.exe']) {
      const plan = await commandPlan([command], around, find);
      expect(plan).toEqual({ problem: expect.stringContaining('path') as string });
    }
    const mac = { ...around, platform: 'darwin' as const };
    expect(await commandPlan(['agent', '%a"'], mac, find)).toEqual({
      ...{ file: 'agent', args: ['%a"'], verbatim: false },
    });
  });

  test('[START3] that is missing, may not be run or stands in the vault is not started', async () => {
    const inside = join(vault, 'opencode');
    writeFileSync(inside, '#!/bin/sh\n');
    chmodSync(inside, 0o755);
    writeFileSync(join(base, 'text'), 'no program');
    for (const path of [join(base, 'missing'), join(base, 'text'), base, inside, 'opencode']) {
      const { started, heard } = start(path);
      expect(await started.ready).toMatchObject({ ok: false, code: 'not_found' });
      expect(heard.exits).toEqual([]);
    }
    rmSync(inside);
  });

  test('[START4] that ends before it listens is told with its exit code and its last error', async () => {
    const { started, heard } = start(program('ends', 'echo one; echo two >&2; exit 3'));
    expect(await started.ready).toEqual({
      ok: false,
      code: 'not_started',
      message: 'OpenCode ended before it was ready (exit code 3).',
      lastError: 'two',
    });
    await heard.exited;
    expect([...heard.lines].sort()).toEqual(['one', 'two']);
    expect(heard.exits).toEqual(['OpenCode ended (exit code 3).']);
  });

  test('[START5] ends with all that it started', async () => {
    const { started, heard } = start(program('parent', 'sleep 1000 & echo child $!; wait'));
    await expect.poll(() => heard.lines.length).toBe(1);
    const child = Number(heard.lines[0]?.split(' ')[1]);
    expect(isAlive(child)).toBe(true);
    started.kill();
    started.kill();
    await heard.exited;
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(await started.ready).toMatchObject({ ok: false, code: 'not_started' });
  });

  test('[START6] writes no secret of its environment, no colours and no endless line into the log', async () => {
    const clean = lineCleaner({ MY_API_KEY: 'canary/secret', SHORT_TOKEN: 'abc', OTHER: 'stays' });
    expect(clean('\u001b[31mkey canary/secret canary%2Fsecret abc stays\u0007')).toBe(
      'key ••• ••• abc stays ',
    );
    expect(clean('Authorization: Bearer abc.def Basic QWxhZGRpbg==')).toBe(
      'Authorization: Bearer ••• Basic •••',
    );
    expect(clean('x'.repeat(5_000))).toHaveLength(2_001);
    const lines = lineCleaner({ SIGNING_KEY: 'first line\nsecond line\r\n' });
    expect(['-- first line', 'second line'].map(lines)).toEqual(['-- •••', '•••']);
    const { heard } = start(program('tells', 'echo "pw $OPENCODE_SERVER_PASSWORD"'));
    await heard.exited;
    expect(heard.lines).toEqual(['pw •••']);
  });

  test('[START7] the real OpenCode listens on a free port behind a password, and has loaded the bridge', async () => {
    const found = findOpencode(
      process.cwd(),
      thisMachine((path) => readFileSync(path, 'utf8')),
    );
    if (!found.ok) throw new Error(found.message);
    const folder = join(vault, '.opencode');
    copyFileSync('main.js', join(folder, 'plugin/agent-task-boards.js'));
    lookInstalled(folder);
    const env = isolatedEnvironment({ home: join(base, 'own'), modelUrl: 'http://127.0.0.1:9/v1' });
    const { started, heard } = start(found.path, env);
    const ready = await started.ready;
    if (!ready.ok) throw new Error(`${ready.message} ${heard.lines.join(' ')}`);
    const runs = readdirSync(join(vault, RUN_FOLDER)).filter((name) => name.endsWith('.json'));
    const text = readFileSync(join(vault, RUN_FOLDER, runs[0] ?? ''), 'utf8');
    const run = parseRunFile(text);
    expect(run?.directory).toBe(vault);
    expect((await fetch(`${ready.url}/config`)).status).toBe(401);
    started.kill();
    await heard.exited;
    await expect.poll(() => isAlive(run?.pid ?? 0)).toBe(false);
  });
});

/** Keeps OpenCode from installing its plugin package into the vault. */
function lookInstalled(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const dependencies = { '@opencode-ai/plugin': '1.18.33' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  const lock = { lockfileVersion: 3, packages: { '': { dependencies } } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}
