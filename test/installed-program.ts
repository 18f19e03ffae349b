import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The name of a system program that starts; installs its Debian package if it is missing and we
 * may.
 * @throws Error with one sentence that says what to do
 */
export async function installedProgram(name: string, debian: string): Promise<string> {
  const starts = () =>
    run(name, ['--version']).then(
      () => true,
      () => false,
    );
  if (await starts()) return name;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write(`No ${name} is here. Installing it: apt-get install ${debian}.\n`);
    // Waits for another apt process.
    const wait = ['-o', 'DPkg::Lock::Timeout=120', '-qq'];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const fine = await run('apt-get', [...wait, 'update'], { env })
      .then(() => run('apt-get', [...wait, '-y', 'install', debian], { env }))
      .then(starts, () => false);
    if (fine) return name;
  }
  throw new Error(
    `${name} is needed and could not be installed. Install it (Debian: apt-get install ${debian}).`,
  );
}
