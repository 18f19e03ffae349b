import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { readBoards, connect, makeVault, removeVaults } from './mcp-rig';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../..');

afterAll(removeVaults);

it('[INSTALL5] the package, installed in an empty folder with an empty cache and no network, runs', async () => {
  const folder = await makeVault();
  const vault = await makeVault();
  // Already built before the tests: a build now would remove programs that other tests use.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const [tarball = ''] = await readdir(folder);
  await mkdir(join(folder, 'app'));
  const cache = join(folder, 'cache');
  await run('npm', ['install', '--offline', '--cache', cache, '--prefix', '.', `../${tarball}`], {
    cwd: join(folder, 'app'),
  });
  const bin = join(folder, 'app/node_modules/.bin/agent-boards');
  const { stdout: version } = await run(bin, ['--version']);
  const { version: expected } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(version.trim()).toBe(expected);
  const { client, tasks, close } = await connect({ vault, program: bin });
  expect((await client.listTools()).tools).not.toHaveLength(0);
  expect((await tasks({ type: 'add', title: 'From the package' })).ok).toBe(true);
  await close();
  expect([...(await readBoards(vault)).values()].join()).toContain('- [ ] From the package');
  const { stdout: dry } = await run(bin, [
    'connect',
    'claude',
    '--vault',
    vault,
    '--project',
    folder,
    '--dry-run',
  ]);
  expect(dry).toContain(join(folder, 'app/node_modules/agent-task-boards/dist/cli.js'));
});
