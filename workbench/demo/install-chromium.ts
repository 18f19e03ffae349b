import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findChromium } from './find-chromium';

export type Progress = (sentence: string) => void;

/**
 * The path of a Chromium that starts; installs one if none is found and that is allowed.
 * @throws Error with a sentence that says what to do
 */
export async function ensureChromium(progress: Progress): Promise<string> {
  const found = await findChromium(process.env);
  if (found !== undefined) return found;
  for (const way of installMethods()) {
    progress(`No Chromium is here. Installing it: ${way.description}.`);
    const fine = await way.run();
    const now = fine ? await findChromium(process.env) : undefined;
    if (now !== undefined) return now;
  }
  throw new Error(
    'Chromium is needed and could not be installed. Install it (Debian: apt-get install chromium), ' +
      'or set CHROMIUM_PATH to the path of a Chromium or Chrome.',
  );
}

interface InstallMethod {
  readonly description: string;
  readonly run: () => Promise<boolean>;
}

function installMethods(): readonly InstallMethod[] {
  const cli = join(
    dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
    'cli.js',
  );
  const playwright = (...options: string[]): InstallMethod => ({
    description: `playwright-core install ${[...options, 'chromium'].join(' ')}`,
    run: () => run(process.execPath, [cli, 'install', ...options, 'chromium']),
  });
  const apt: InstallMethod = { description: 'apt-get install chromium', run: installByApt };
  const canUseApt = isRoot() && existsSync('/usr/bin/apt-get');
  return [...(canUseApt ? [apt] : []), playwright('--with-deps'), playwright()];
}

/** Whether this process is root, for whom Chromium's sandbox refuses to run. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function installByApt(): Promise<boolean> {
  // Waits for another apt (a second test run, a fresh machine's own update).
  const wait = ['-o', 'DPkg::Lock::Timeout=120'];
  const updated = await run('apt-get', [...wait, 'update', '-qq']);
  const packages = ['chromium', 'fonts-liberation', 'fonts-noto-color-emoji'];
  return updated && (await run('apt-get', [...wait, 'install', '-y', '-qq', ...packages]));
}

/** Its output goes to our standard error, since standard output is reserved for the demo's result. */
function run(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
