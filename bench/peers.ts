import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const LOCK = 'bench/package-lock.json';
const INSTALLED = 'bench/node_modules/.package-lock.json';

/**
 * Installs the packages that the rows compare with (1.6 GB), on first use and when the lock file
 * has changed.
 */
export function installPeers(): void {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs) return;
  process.stderr.write('Installing what the benchmark compares with (1.6 GB, once) …\n');
  const { status } = spawnSync('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('The packages in bench/package.json could not be installed.');
}
