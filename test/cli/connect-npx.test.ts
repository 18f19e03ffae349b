import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PRODUCT_VERSION } from '../../src/core/version';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');
const OWN = 'sha512-own==';

let folder: string;
let registry: Server;
/** answers of the registry, by path */
let answers: Map<string, object>;
let asked: string[];

beforeEach(async () => {
  folder = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-npx-')));
  await fs.mkdir(join(folder, 'vault'));
  await fs.mkdir(join(folder, 'home'));
  answers = new Map();
  asked = [];
  registry = createServer(({ url = '' }, answer) => {
    asked.push(url);
    const found = answers.get(url);
    answer.writeHead(found === undefined ? 404 : 200);
    answer.end(JSON.stringify(found ?? { error: 'not found' }));
  });
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
});

afterEach(async () => {
  registry.close();
  await fs.rm(folder, { recursive: true, force: true });
});

/** Writes the package as npm installs it, with npm's list of installed packages. */
async function installed(entry: object): Promise<string> {
  const modules = join(folder, 'tool/node_modules');
  const program = join(modules, 'agent-task-boards/dist/cli.js');
  await fs.cp(join(PROGRAM, '..'), join(program, '..'), { recursive: true });
  await fs.writeFile(
    join(modules, '.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/agent-task-boards': entry } }),
  );
  return program;
}

function has(integrity: string): void {
  answers.set(`/npm/agent-task-boards/${PRODUCT_VERSION}`, {
    ...{ name: 'agent-task-boards', version: PRODUCT_VERSION },
    dist: { integrity },
  });
}

interface Ended {
  readonly code: number | null;
  readonly err: string;
  /** undefined: no configuration was written */
  readonly config: unknown;
}

async function connect(program: string, address?: string): Promise<Ended> {
  const { port } = registry.address() as AddressInfo;
  const home = join(folder, 'home');
  const args = [program, 'connect', 'gemini', '--npx', '--vault', join(folder, 'vault')];
  const npm_config_registry = address ?? `http://127.0.0.1:${port}/npm`;
  const child = spawn(process.execPath, args, {
    env: { ...process.env, HOME: home, GEMINI_CLI_HOME: '', npm_config_registry },
  });
  child.stdout.resume();
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, err] = await Promise.all([ended, text(child.stderr)]);
  const config = await fs.readFile(join(home, '.gemini/settings.json'), 'utf8').catch(() => 'null');
  return { code, err, config: JSON.parse(config) as unknown };
}

describe('agent-boards connect --npx', () => {
  test('[CLIENT11] writes the name only after the registry named the package that npm installed here', async () => {
    has(OWN);
    const done = await connect(await installed({ version: PRODUCT_VERSION, integrity: OWN }));
    expect(done).toMatchObject({ code: 0 });
    expect(asked).toEqual([`/npm/agent-task-boards/${PRODUCT_VERSION}`]);
    const args = [
      '-y',
      `agent-task-boards@${PRODUCT_VERSION}`,
      'mcp',
      '--vault',
      join(folder, 'vault'),
    ];
    expect(done.config).toEqual({
      mcpServers: { 'agent-task-boards': { command: 'npx', args } },
    });
  });

  test('[CLIENT11] refuses where the registry has another package, or none', async () => {
    const program = await installed({ version: PRODUCT_VERSION, integrity: OWN });
    const none = await connect(program);
    expect(none).toMatchObject({ code: 1, config: null });
    expect(none.err).toContain(
      `/npm/agent-task-boards/${PRODUCT_VERSION} does not say which package it has: status 404.`,
    );
    has('sha512-other==');
    const other = await connect(program);
    expect(other).toMatchObject({ code: 1, config: null });
    expect(other.err).toContain('as another package than the one that runs here');
  });

  test('[CLIENT11] refuses where it is not known which package runs, before anything is asked', async () => {
    has(OWN);
    for (const [program, why] of [
      [PROGRAM, 'npm did not install it in '],
      [await installed({ version: PRODUCT_VERSION, link: true }), 'does not say it.'],
      [await installed({ version: '0.0.9', integrity: OWN }), 'does not say it.'],
    ] as const) {
      const refused = await connect(program);
      expect(refused).toMatchObject({ code: 1, config: null });
      expect(refused.err).toContain('which package runs here is not known: ');
      expect(refused.err).toContain(why);
    }
    expect(asked).toEqual([]);
  });

  test('[CLIENT11] asks no registry over a plain connection to another machine', async () => {
    const program = await installed({ version: PRODUCT_VERSION, integrity: OWN });
    const { code, err, config } = await connect(program, 'http://registry.invalid/');
    expect([code, config]).toEqual([1, null]);
    expect(err).toContain('"http://registry.invalid/", is not reached by https.');
  });
});
