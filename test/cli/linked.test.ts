import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import packageFile from '../../package.json';

const ROOT = join(import.meta.dirname, '../..');
let bin = '';

beforeEach(async () => {
  bin = await fs.mkdtemp(join(tmpdir(), 'atb-bin-'));
});
afterEach(() => fs.rm(bin, { recursive: true, force: true }));

describe('the built program', () => {
  test('[CLI21] starts by its name, as npm link leaves it', async () => {
    await fs.symlink(join(ROOT, packageFile.bin['agent-boards']), join(bin, 'agent-boards'));
    const PATH = [bin, dirname(process.execPath)].join(delimiter);
    const { stdout } = await promisify(execFile)('agent-boards', ['--version'], { env: { PATH } });
    expect(stdout).toBe(`${packageFile.version}\n`);
  });

  test('[CLI34] installs the bridge that was built with it', async () => {
    const program = join(ROOT, packageFile.bin['agent-boards']);
    await promisify(execFile)(process.execPath, [program, 'install-bridge', '--vault', bin]);
    const installed = await fs.readFile(join(bin, '.opencode/plugin/agent-task-boards.js'), 'utf8');
    expect(installed).toBe(await fs.readFile(join(ROOT, 'main.js'), 'utf8'));
  });
});
