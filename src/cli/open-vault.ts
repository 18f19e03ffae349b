import { TodoManager } from '../core/board/todo-manager';
import { readSharedSettings } from '../core/shared-settings';
import { DiskStore } from '../node/disk-store';
import { nodeClock } from '../node/node-clock';
import { nodeIds } from '../node/node-ids';
import type { OpenVault } from './command';
import { VaultCalls } from './vault-calls';

/**
 * A folder as the vault of a run, as its shared settings say.
 * @param waitMs how long to wait for another program that writes a note; undefined: as usual
 * @returns with `problem`, what the settings say that can't be followed
 * @throws StoreError where the settings can't be read
 */
export async function openVault(
  folder: string,
  waitMs: number | undefined,
): Promise<OpenVault & { readonly problem: string | undefined }> {
  const store = new DiskStore(folder, { waitMs });
  const settings = await readSharedSettings(store);
  const { problem, root, defaultSession } = settings;
  const clock = nodeClock;
  const manager = new TodoManager({ store, clock, ids: nodeIds, root, defaultSession });
  const calls = new VaultCalls({ folder, manager, settings });
  return { folder, store, root, settings, manager, calls, problem };
}
