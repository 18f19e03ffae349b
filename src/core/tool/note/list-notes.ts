import { defineTool, type Tool, type ToolFault, type ToolOutcome } from '../tool';
import { byteLength, MOST_BYTES } from '../../board/answer/text-budget';
import { listNotes } from './definitions';
import type { VaultEntry, VaultNotes } from './vault-notes';

/** Levels of folders that are gone into: as many as a path has names. */
const DEEPEST = 256;

/** Lists what may be read in a folder; of what may not, nothing is told, nor that there is more. */
export function listNotesTool(notes: Pick<VaultNotes, 'list'>): Tool {
  return defineTool({
    ...listNotes,
    plan: ({ folder, recursive, includeFolders, limit }) => ({
      kind: 'read',
      place: 'folder',
      path: folder,
      run: async (look) => {
        const { path } = look.target;
        const entries = await notes.list(path);
        if (entries === undefined) return { ok: false, error: missingFolder(path) };
        /** From top to bottom; a folder before what is in it. */
        async function* walk(
          all: readonly VaultEntry[],
          depth: number,
        ): AsyncGenerator<VaultEntry> {
          for (const entry of all) {
            const { path, kind } = entry;
            const asked = kind === 'file' || includeFolders;
            if (asked && (await look.allows(path, kind))) yield entry;
            if (kind === 'folder' && recursive && depth < DEEPEST) {
              yield* walk((await notes.list(path)) ?? [], depth + 1);
            }
          }
        }
        const told: string[] = [];
        let bytes = 0;
        for await (const entry of walk(entries, 1)) {
          const line = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
          bytes += byteLength(line) + 1;
          if (told.length === limit || bytes > MOST_BYTES) return listed(path, told, true);
          told.push(line);
        }
        return listed(path, told, false);
      },
    }),
  });
}

export function missingFolder(path: string): ToolFault {
  const message = `There is no folder ${path}. Send "" for the whole vault.`;
  return { code: 'not_found', message };
}

function listed(path: string, told: readonly string[], more: boolean): ToolOutcome {
  const where = path === '' ? 'the vault' : path;
  const count = told.length === 1 ? '1 entry' : `${told.length} entries`;
  const head =
    told.length === 0
      ? `There are no notes to read in ${where}.`
      : more
        ? `The first ${count} in ${where}; list a folder in it for the others.`
        : `${count} in ${where}.`;
  const metadata = { folder: path, entries: told.length, more };
  return { ok: true, title: where, output: [head, ...told].join('\n'), metadata };
}
