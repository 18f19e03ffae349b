import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentProgram } from '../../src/core/session/program-host';
import { nodeProgramHost } from '../../src/node/programs/program-host';

let base: string;
let vault: string;
let agent: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'atb-agent-'));
  vault = join(base, 'vault');
  mkdirSync(vault);
  agent = program(join(base, 'my-agent'), 'sleep 1000');
});
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const says = (...lines: string[]): string => lines.map((line) => `echo '${line}' >&2`).join('; ');

const SECRETS = { OPENCODE_SERVER_PASSWORD: 'canary-own', AGENT_BOARDS_KEY: 'canary-key' };

/** Starts a shell script that prints its arguments and secrets, then runs `rest`. */
function start(given: AgentProgram, rest = 'echo "Sessions of here run on it."; exec sleep 1000') {
  const tells = 'for one in "$@"; do echo "arg $one"; done; env | grep canary | sed "s/^/env /"';
  const path = program(join(base, 'agent-boards'), `${tells}\n${rest}`);
  const lines: string[] = [];
  let ended: (how: string) => void;
  const errors: (string | undefined)[] = [];
  const exited = new Promise<string>((resolve) => (ended = resolve));
  const env = { ...process.env, ...SECRETS };
  const started = nodeProgramHost(() => ({ platform: process.platform, env, home: base })).agent({
    ...{ path, folder: vault, agent: given },
    onLine: (line) => void lines.push(line),
    onExit: (how, error) => {
      errors.push(error);
      ended(how);
    },
  });
  const args = () => lines.flatMap((line) => (line.startsWith('arg ') ? [line.slice(4)] : []));
  return { started, lines, args, exited, errors };
}

const acp = (command: string, ...args: string[]): AgentProgram => ({
  ...{ kind: 'acp', name: 'My agent', command, args },
});

describe('an agent that is started from Obsidian', () => {
  test('[START14] is run by the command line for this vault, word by word, and is ready when clients find it', async () => {
    const { started, args, lines, exited } = start(acp(agent, '--mode', 'a b; rm -rf "$HOME"'));
    expect(await started.ready).toEqual({ ok: true });
    expect(args()).toEqual([
      ...['serve', '--vault', vault, '--engine', 'acp', '--name', 'My agent', '--'],
      ...[agent, '--mode', 'a b; rm -rf "$HOME"'],
    ]);
    expect(lines.filter((line) => line.startsWith('env '))).toEqual([]);
    started.kill();
    expect(await exited).toMatch(/^My agent ended \(SIGTERM\)\.$/);
  });

  test('[START14] the password of a server goes to it alone, and not into the log', async () => {
    const url = 'http://10.0.0.2:4096';
    const server = { kind: 'opencode', name: 'Server', url, password: 'canary-server' } as const;
    const { started, args, lines } = start(server);
    expect(await started.ready).toEqual({ ok: true });
    expect(args().slice(3)).toEqual(['--engine', 'opencode', '--name', 'Server', '--url', url]);
    const there = start({ ...server, directory: '/srv/vault' });
    expect(await there.started.ready).toEqual({ ok: true });
    expect(there.args().slice(7)).toEqual(['--url', url, '--directory', '/srv/vault']);
    there.started.kill();
    const env = lines.filter((line) => line.startsWith('env '));
    expect(env).toEqual(['env OPENCODE_SERVER_PASSWORD=•••']);
    expect(lines.join(' ')).not.toContain('canary');
    started.kill();
    const told = start(server, 'echo "has $OPENCODE_SERVER_PASSWORD"; exit 2');
    await told.exited;
    expect(told.lines).toContain('has •••');
  });

  test('[START15] one in the vault, or none, is not started; one that ends says how', async () => {
    const inside = program(join(vault, 'agent'), 'exit 0');
    for (const command of [inside, join(base, 'missing'), 'my-agent']) {
      const { started, lines } = start(acp(command));
      expect(await started.ready).toMatchObject({ ok: false, code: 'not_found' });
      expect(lines).toEqual([]);
    }
    const { started, exited } = start(acp(agent), 'echo "no such model" >&2; exit 1');
    expect(await started.ready).toEqual({
      ...{ ok: false, code: 'not_started' },
      message: 'My agent ended before it was ready (exit code 1).',
      lastError: 'no such model',
    });
    await exited;
  });

  const TRACE = [
    'a.js:1',
    'throw new Error()',
    '^',
    '',
    'Error: no model',
    '    at a.js:1:1 {',
    '  port: 80',
    '}',
    '',
  ];
  test.each([
    ['an uncaught error', `${says(...TRACE, 'Node.js v20.20.2')}; exit 1`, 'Error: no model'],
    ['progress', `${says('no model', '', '…', '50 %')}; exit 1`, 'no model'],
    ['nothing but output', 'echo done; exit 1', undefined],
    ['an end in good order', `${says('a warning')}; exit 0`, undefined],
    ['SIGTERM', `${says('a warning')}; kill -TERM $$`, undefined],
    ['SIGKILL', `${says('a warning')}; kill -KILL $$`, undefined],
    ['SIGABRT', `${says('out of memory')}; kill -ABRT $$`, 'out of memory'],
  ])('[START12] of one that ended by %s its last error is told: %#', async (_, ends, error) => {
    const { exited, errors } = start(acp(agent), `echo "Sessions of here run on it."; ${ends}`);
    await exited;
    expect(errors).toEqual([error]);
  });
});
