import { defineTool, type ReadAccess, type Tool, type ToolFault, type ToolOutcome } from '../tool';
import { byteLength, LONG_ANSWER, MAX_BYTES } from '../../board/answer/text-budget';
import { listNotes } from './definitions';
import type { VaultEntry, VaultNotes } from './vault-notes';

/** Deepest level of folders to list. A path can't have more names. */
export const MAX_FOLDER_DEPTH = 256;

/**
 * Tool that lists the notes and folders that the agent may read. Doesn't reveal that there are
 * others.
 */
export function listNotesTool(notes: Pick<VaultNotes, 'list'>): Tool {
  return defineTool({
    ...listNotes,
    plan: ({ folder, recursive, includeFolders, limit, after }) => ({
      kind: 'read',
      place: 'folder',
      path: folder,
      run: async (access) => {
        const { path } = access.target;
        const entries = await notes.list(path);
        if (entries === undefined) return { ok: false, error: missingFolder(path) };
        /** From top to bottom, each folder before its contents. */
        async function* walk(
          all: readonly VaultEntry[],
          depth: number,
        ): AsyncGenerator<VaultEntry> {
          for (const entry of all) {
            const { path, kind } = entry;
            const isIncluded = kind === 'file' || includeFolders;
            if (isIncluded && (await access.allows(path, kind))) yield entry;
            if (kind === 'folder' && recursive && depth < MAX_FOLDER_DEPTH) {
              yield* walk((await notes.list(path)) ?? [], depth + 1);
            }
          }
        }
        const notListed = await countNotesToAskAbout(
          notes,
          access,
          entries,
          recursive ? MAX_FOLDER_DEPTH : 1,
        );
        const lines: string[] = [];
        let bytes = 0;
        // One line less than fits, for the line above the list.
        const most = Math.min(limit, LONG_ANSWER - 1);
        const last = after?.replace(/\/$/, '');
        let isBehind = last === undefined;
        for await (const entry of walk(entries, 1)) {
          if (!isBehind) {
            isBehind = entry.path === last;
            continue;
          }
          const line = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
          bytes += byteLength(line) + 1;
          const more = lines.length === most || bytes > MAX_BYTES;
          if (more) return listOutcome(path, lines, { after: last, more, notListed });
          lines.push(line);
        }
        if (!isBehind) return { ok: false, error: startNotFound(path, last) };
        return listOutcome(path, lines, { after: last, more: false, notListed });
      },
    }),
  });
}

export function missingFolder(path: string): ToolFault {
  const message = `There is no folder ${path}. Send "" for the whole vault.`;
  return { code: 'not_found', message };
}

/**
 * Gives the same message whether the path doesn't exist, may not be read, or isn't part of this
 * list.
 */
function startNotFound(path: string, after = ''): ToolFault {
  const message = `A list of ${placeWords(path)} with these arguments has no ${JSON.stringify(after)}. Leave "after" out to begin anew.`;
  return { code: 'not_found', message };
}

function placeWords(path: string): string {
  return path === '' ? 'the vault' : path;
}

/**
 * Counts the notes that were left out because a rule asks about them. All of them count, whatever
 * their text: a count of those that match a query would reveal what they contain.
 * @param levels of folders to descend, including that of `entries`
 */
export async function countNotesToAskAbout(
  notes: Pick<VaultNotes, 'list'>,
  access: ReadAccess,
  entries: readonly VaultEntry[],
  levels: number,
): Promise<number> {
  if (access.isAskedAbout === undefined) return 0;
  let count = 0;
  for (const { path, kind } of entries) {
    if (kind === 'file') count += access.isAskedAbout(path) ? 1 : 0;
    else if (levels > 1)
      count += await countNotesToAskAbout(
        notes,
        access,
        (await notes.list(path)) ?? [],
        levels - 1,
      );
  }
  return count;
}

/** Names no note and no folder: the person has to be asked before the agent learns which exist. */
export function omittedWords(count: number, what: 'searched' | 'listed'): string {
  if (count === 0) return '';
  const notes = count === 1 ? '1 note was' : `${count} notes were`;
  return ` ${notes} not ${what}, because a rule asks the person about reading: send their folder to have the person asked.`;
}

function listOutcome(
  path: string,
  lines: readonly string[],
  {
    after,
    more,
    notListed,
  }: {
    /** path after which the list begins; undefined: at the start */
    readonly after: string | undefined;
    readonly more: boolean;
    /** number of notes that a rule asks about */
    readonly notListed: number;
  },
): ToolOutcome {
  const where = placeWords(path);
  const count = lines.length === 1 ? '1 entry' : `${lines.length} entries`;
  const which = after === undefined ? 'The first' : 'The next';
  const head =
    lines.length === 0
      ? `There are no ${after === undefined ? '' : 'more '}notes to read in ${where}.`
      : more
        ? `${which} ${count} in ${where}; for the others send "after": ${JSON.stringify(lines.at(-1))}.`
        : after === undefined
          ? `${count} in ${where}.`
          : `The last ${count} in ${where}.`;
  const entries = { folder: path, entries: lines.length, more };
  const metadata = { ...entries, ...(notListed > 0 && { notListed }) };
  const output = [head + omittedWords(notListed, 'listed'), ...lines].join('\n');
  return { ok: true, title: where, output, metadata };
}
