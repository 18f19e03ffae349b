import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Cleanup } from './cleanup';
import { writeDemoNotes } from './demo-notes';
import type { Reaper } from './reaper';

const BRIDGE = '.opencode/plugin/agent-task-boards.js';

/** A folder that is gone after the run, also where this program is killed. */
export async function throwAway(name: string, cleanup: Cleanup, reaper: Reaper): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `agent-task-boards-${name}-`));
  const forget = reaper.folder(folder);
  cleanup.add(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    forget();
  });
  return folder;
}

/**
 * The vault of a run: the user's folder, made if missing and never removed, or a throw-away one.
 * No package is faked in it: OpenCode is told in its environment to install nothing.
 */
export async function prepareVault(
  folder: string | undefined,
  bridge: string,
  throwAwayVault: () => Promise<string>,
): Promise<string> {
  const vault = folder === undefined ? await throwAwayVault() : resolve(folder);
  const target = join(vault, BRIDGE);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(bridge, target);
  if (folder === undefined) await writeDemoNotes(vault);
  return vault;
}
