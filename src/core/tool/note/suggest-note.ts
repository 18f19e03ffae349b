import type { ToolFault } from '../tool';
import type { VaultEntry, VaultNotes } from './vault-notes';

/** Most candidates of one name to check for permission, since common names occur often. */
const MAX_ASKED = 20;

/**
 * Finds a note with the same name elsewhere, ignoring case; the one with the shortest path.
 * @param path doesn't lead to a note; with or without `.md`
 * @param mayRead only notes for which this is true are suggested
 */
export async function suggestNote(
  notes: Pick<VaultNotes, 'list'>,
  path: string,
  mayRead: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  const wanted = `${name}.md`.toLowerCase();
  const found: string[] = [];
  const walk = async (entries: readonly VaultEntry[] = []): Promise<void> => {
    for (const entry of entries) {
      if (entry.kind === 'folder') await walk(await notes.list(entry.path));
      else if (entry.path.toLowerCase().split('/').at(-1) === wanted) found.push(entry.path);
    }
  };
  await walk(await notes.list(''));
  const others = found.filter((one) => one !== path);
  others.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const one of others.slice(0, MAX_ASKED)) if (await mayRead(one)) return one;
  return undefined;
}

/** @param meant a note of the same name, to suggest */
export function noteNotFound(path: string, meant?: string): ToolFault {
  const advice =
    meant === undefined
      ? 'Look for it with obsidian_search_vault or obsidian_list_notes.'
      : `Did you mean ${meant}?`;
  return { code: 'not_found', message: `There is no note ${path}. ${advice}` };
}
