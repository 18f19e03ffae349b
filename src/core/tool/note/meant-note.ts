import type { ToolFault } from '../tool';
import type { VaultEntry, VaultNotes } from './vault-notes';

/** Names of one file that are asked about: notes with common names are many. */
const MOST_ASKED = 20;

/**
 * The note of the same name that stands elsewhere, in whatever case; the shortest path of several.
 * @param path that names no note, with `.md` or without
 * @param mayRead what may not be read is not named
 */
export async function meantNote(
  notes: Pick<VaultNotes, 'list'>,
  path: string,
  mayRead: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  const wanted = `${name}.md`.toLowerCase();
  const found: string[] = [];
  const look = async (entries: readonly VaultEntry[] = []): Promise<void> => {
    for (const entry of entries) {
      if (entry.kind === 'folder') await look(await notes.list(entry.path));
      else if (entry.path.toLowerCase().split('/').at(-1) === wanted) found.push(entry.path);
    }
  };
  await look(await notes.list(''));
  const others = found.filter((one) => one !== path);
  others.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const one of others.slice(0, MOST_ASKED)) if (await mayRead(one)) return one;
  return undefined;
}

/** @param meant another note of that name */
export function noNote(path: string, meant?: string): ToolFault {
  const look =
    meant === undefined
      ? 'Look for it with obsidian_search_vault or obsidian_list_notes.'
      : `Did you mean ${meant}?`;
  return { code: 'not_found', message: `There is no note ${path}. ${look}` };
}
