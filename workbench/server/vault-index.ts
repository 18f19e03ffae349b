import { isHidden } from './vault-path';
import type { DiskStat, VaultDisk } from './vault-disk';

export type IndexEntry = DiskStat & { readonly path: string };

/** Everything below a folder that the app would index, folders first; no segment starts with a dot. */
export async function visibleEntries(disk: VaultDisk, folder = ''): Promise<IndexEntry[]> {
  const { files, folders } = await disk.list(folder);
  const here = await Promise.all(
    [...folders, ...files].filter((path) => !isHidden(path)).map((path) => entryOf(disk, path)),
  );
  const found = here.filter((entry) => entry !== undefined);
  const below = await Promise.all(
    found.filter((entry) => entry.type === 'folder').map((one) => visibleEntries(disk, one.path)),
  );
  return [...found, ...below.flat()];
}

async function entryOf(disk: VaultDisk, path: string): Promise<IndexEntry | undefined> {
  const stat = await disk.stat(path);
  return stat === null ? undefined : { path, ...stat };
}
