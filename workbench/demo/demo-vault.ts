import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Cleanup } from './cleanup';
import { writeDemoNotes } from './demo-notes';
import type { Reaper } from './reaper';

const BRIDGE_PATH = '.opencode/plugin/agent-task-boards.js';

/** Creates a folder that is removed after the run, even if this program is killed. */
export async function makeTemporaryFolder(
  name: string,
  cleanup: Cleanup,
  reaper: Reaper,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `agent-task-boards-${name}-`));
  const forget = reaper.addFolder(folder);
  cleanup.add(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    forget();
  });
  return folder;
}

/**
 * The vault of a run: the user's folder, created if missing and never removed, or a throw-away one.
 * No package is faked in it: OpenCode's environment tells it to install nothing.
 * @param bridge file that OpenCode loads; absent for an OpenCode without the bridge
 * @param own whether the demo's own script is played, which works on the demo's notes: they are added to the user's folder if it is empty
 */
export async function prepareVault(
  folder: string | undefined,
  own: boolean,
  bridge: string | undefined,
  makeVault: () => Promise<string>,
): Promise<string> {
  const vault = folder === undefined ? await makeVault() : resolve(folder);
  const addNotes = folder === undefined || (own && (await isEmpty(vault)));
  const target = join(vault, BRIDGE_PATH);
  await mkdir(dirname(target), { recursive: true });
  if (bridge !== undefined) await copyFile(bridge, target);
  if (addNotes) await writeDemoNotes(vault);
  return vault;
}

async function isEmpty(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  return (await readdir(folder)).length === 0;
}
