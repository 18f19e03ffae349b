import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { StoreError, type Entry } from '../core/ports';
import { isMissing } from './is-missing';
import type { Place, Places } from './places';
import { systemCode } from './store-error';

/**
 * What is directly in a folder of a vault, in the order of the system; undefined where none is there.
 * A link inside the vault is what it leads to; one that leads out or nowhere is left out.
 * @param named whether an entry of this name is looked at
 */
export function placeEntries(
  places: Places,
  folder: string,
  named: (name: string) => boolean = () => true,
): Promise<readonly Entry[] | undefined> {
  return places.folder(folder, async (at) => {
    if (at === undefined) return undefined;
    const entries = await readdir(at, { withFileTypes: true });
    const listed = await Promise.all(
      entries
        .filter(({ name }) => named(name))
        .map(async (entry) => {
          const found = entry.isSymbolicLink() ? await linked(places, folder, entry.name) : entry;
          return found === undefined ? [] : entryOf(entry.name, found);
        }),
    );
    return listed.flat();
  });
}

/** What stands at a place; no link, since those were followed. */
export async function found({ file, check }: Place): Promise<Stats | undefined> {
  if (file === undefined) return undefined;
  try {
    const there = await lstat(file);
    check();
    return there;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** What a link stands for; undefined for one that leads out of the vault, or nowhere. */
async function linked(places: Places, folder: string, name: string): Promise<Stats | undefined> {
  try {
    return await places.file(`${folder}/${name}`, found);
  } catch (error) {
    if (error instanceof StoreError || systemCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function entryOf(name: string, there: Pick<Stats, 'isFile' | 'isDirectory'>): Entry[] {
  if (there.isDirectory()) return [{ name, kind: 'folder' }];
  return there.isFile() ? [{ name, kind: 'file' }] : [];
}
