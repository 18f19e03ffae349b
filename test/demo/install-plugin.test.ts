import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleChild } from '../store/bundle-child';

const FOLDER = '.obsidian/plugins/agent-task-boards';
/** root may write to any folder, whatever its permissions are. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

describe('the installer of the plugin', () => {
  let program = '';
  let base = '';
  let vault = '';
  beforeAll(async () => {
    program = await bundleChild(join(import.meta.dirname, '../../workbench/install-plugin.ts'));
    await fs.chmod(dirname(program), 0o755);
  });
  afterAll(() => fs.rm(dirname(program), { recursive: true, force: true }));
  beforeEach(async () => {
    base = await fs.mkdtemp(join(tmpdir(), 'atb-install-'));
    await fs.chmod(base, 0o755);
    vault = join(base, 'vault');
    await fs.mkdir(join(vault, '.obsidian'), { recursive: true });
    await build('0.2.0');
  });
  afterEach(() => fs.rm(base, { recursive: true, force: true }));

  /** Writes what a build leaves next to the program's working directory. */
  async function build(version: string): Promise<void> {
    await fs.writeFile(join(base, 'main.js'), `// ${version}\n`);
    await fs.writeFile(join(base, 'styles.css'), '.a {}\n');
    await fs.writeFile(join(base, 'manifest.json'), JSON.stringify({ version }));
  }

  function install(args: readonly string[] = [], who: { uid?: number; gid?: number } = {}) {
    const { status, stderr } = spawnSync(process.execPath, [program, '--vault', vault, ...args], {
      ...{ cwd: base, encoding: 'utf8', timeout: 120_000 },
      ...who,
    });
    return { status, stderr };
  }

  const installed = (): Promise<string> => fs.readFile(join(vault, FOLDER, 'main.js'), 'utf8');
  const refused = (why: string) => ({
    status: 2,
    stderr: `The plugin was not installed. ${why}\n`,
  });

  test('[INSTALL1] a newer plugin is replaced by an older one only with --force', async () => {
    expect(install()).toEqual({ status: 0, stderr: '' });
    await build('0.1.9');
    expect(install()).toEqual(
      refused('The vault has version 0.2.0, which is newer than 0.1.9. --force replaces it.'),
    );
    expect(await installed()).toBe('// 0.2.0\n');
    expect(install(['--force'])).toEqual({ status: 0, stderr: '' });
    expect(await installed()).toBe('// 0.1.9\n');
    await build('0.10.0');
    expect(install()).toEqual({ status: 0, stderr: '' });
    expect(await fs.readFile(join(vault, '.obsidian/community-plugins.json'), 'utf8')).toBe(
      '[\n  "agent-task-boards"\n]\n',
    );
  });

  test('[INSTALL2] a link that leads out of the vault is not written through', async () => {
    const outside = join(base, 'outside');
    await fs.mkdir(outside);
    await fs.writeFile(join(outside, 'main.js'), 'of somebody else\n');
    const links = ['.obsidian/plugins', FOLDER, `${FOLDER}/main.js`];
    for (const link of links) {
      await fs.rm(join(vault, '.obsidian'), { recursive: true });
      await fs.mkdir(dirname(join(vault, link)), { recursive: true });
      const to = link.endsWith('.js') ? join(outside, 'main.js') : outside;
      await fs.symlink(to, join(vault, link));
      const { status, stderr } = install();
      expect(status).toBe(2);
      expect(stderr).toContain('a link leads out of the vault.');
      expect(await fs.readdir(outside)).toEqual(['main.js']);
      expect(await fs.readFile(join(outside, 'main.js'), 'utf8')).toBe('of somebody else\n');
    }
  });

  test('[INSTALL3] a vault that is read-only, or a file in the place of a folder, is told without a stack', async () => {
    await fs.chmod(join(vault, '.obsidian'), 0o555);
    const path = `${FOLDER}/main.js`;
    expect(install([], NOBODY)).toEqual(
      refused(
        `${path}: the system does not allow it. Check who owns the file and its folder, and their permissions.`,
      ),
    );
    await fs.chmod(join(vault, '.obsidian'), 0o755);
    await fs.writeFile(join(vault, '.obsidian/plugins'), 'x');
    expect(install()).toEqual(
      refused(
        '.obsidian/plugins is a file, where a folder has to be. Move it away or use another path, then try again.',
      ),
    );
  });
});
