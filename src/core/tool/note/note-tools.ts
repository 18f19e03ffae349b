import type { Tool } from '../tool';
import { createNoteTool, updateNoteTool } from './write-note';
import { getNoteMetadataTool } from './get-note-metadata';
import { listNotesTool } from './list-notes';
import type { NoteIndex } from './note-index';
import { readNoteTool } from './read-note';
import { searchVaultTool } from './search-vault';
import type { VaultNotes } from './vault-notes';

/** The note tools, by their names in the protocol. */
export function noteTools(
  notes: VaultNotes,
  index: Pick<NoteIndex, 'search'>,
): ReadonlyMap<string, Tool> {
  const tools = [
    searchVaultTool(notes, index),
    readNoteTool(notes),
    listNotesTool(notes),
    getNoteMetadataTool(notes),
    createNoteTool(),
    updateNoteTool(),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
