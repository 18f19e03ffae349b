import { access, constants, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenCodeHooks } from '../../src/bridge/opencode/hooks';
import bridge from '../../src/bridge/plugin';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import { FakeOpencode } from './fake-opencode';

/** The whole bridge as OpenCode loads it, in this process, on its own vault. */
export interface LocalBridge {
  readonly vault: string;
  readonly opencode: FakeOpencode;
  readonly hooks: OpenCodeHooks;
  readonly run: RunFile;
  /** Ends the bridge and removes its vault. */
  close(): Promise<void>;
}

/** @param sessions ids of the sessions that exist */
export async function startBridge(sessions: readonly string[]): Promise<LocalBridge> {
  const vault = await mkdtemp(join(await memoryFolder(), 'atb-link-'));
  await mkdir(join(vault, '.opencode'));
  return loadBridge(vault, sessions);
}

/** Uses a folder in memory if the system has one: the load is for the link, not the disk. */
async function memoryFolder(): Promise<string> {
  try {
    await access(SHARED_MEMORY, constants.W_OK);
    return SHARED_MEMORY;
  } catch {
    return tmpdir();
  }
}

/** A folder that Linux keeps in memory. */
const SHARED_MEMORY = '/dev/shm';

/** Loads the bridge on an existing vault, as a restart of OpenCode does. */
export async function loadBridge(
  vault: string,
  sessions: readonly string[],
  opencode = new FakeOpencode(vault),
): Promise<LocalBridge> {
  for (const id of sessions) opencode.addSession(id, id);
  const input = { client: { _client: opencode }, directory: vault, worktree: '/' };
  const hooks = (await bridge.server(input)) as OpenCodeHooks; // all hooks, since the bridge serves this vault
  const text = await readFile(join(vault, RUN_FOLDER, `${process.pid}.json`), 'utf8');
  const run = parseRunFile(text);
  if (run === undefined) throw new Error('The bridge left no run file that can be read.');
  return {
    ...{ vault, opencode, hooks, run },
    close: async () => {
      await hooks.dispose();
      await rm(vault, { recursive: true, force: true });
    },
  };
}
