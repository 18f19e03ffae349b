import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the clients and agents, about 1.5 GB, unless they are installed. */
export default function install(): void {
  const cwd = import.meta.dirname;
  if (existsSync(join(cwd, 'node_modules/.package-lock.json'))) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
}
