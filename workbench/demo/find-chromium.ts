import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_PATHS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** Paths of a browser inside Playwright's folders. */
const PLAYWRIGHT_PATHS = [
  ['chrome-linux', 'chrome'],
  ['chrome-linux64', 'chrome'],
  ['chrome-mac', 'Chromium.app', 'Contents', 'MacOS', 'Chromium'],
  ['chrome-win', 'chrome.exe'],
  ['chrome-win64', 'chrome.exe'],
  ['chrome-headless-shell-linux64', 'chrome-headless-shell'],
];

/**
 * Finds a Chromium that starts: the one in `CHROMIUM_PATH`, the system's, or one that Playwright
 * installed. Each is asked for its version first, since on Ubuntu `chromium-browser` may be only a
 * stub.
 */
export async function findChromium(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  for (const path of candidates(env)) {
    if (existsSync(path) && (await canStart(path))) return path;
  }
  return undefined;
}

function candidates(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = env.CHROMIUM_PATH ? [env.CHROMIUM_PATH] : [];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const system = COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...named, ...system, ...MAC_PATHS, ...playwrightCandidates(env)];
}

function playwrightCandidates(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const home = env.HOME ?? homedir();
  const caches = [
    env.PLAYWRIGHT_BROWSERS_PATH,
    join(home, '.cache', 'ms-playwright'),
    join(home, 'Library', 'Caches', 'ms-playwright'),
    env.LOCALAPPDATA && join(env.LOCALAPPDATA, 'ms-playwright'),
  ].filter((folder): folder is string => !!folder && existsSync(folder));
  return caches.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith('chromium'))
      .sort()
      .reverse()
      .flatMap((name) => PLAYWRIGHT_PATHS.map((inside) => join(folder, name, ...inside))),
  );
}

async function canStart(path: string): Promise<boolean> {
  try {
    await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}
