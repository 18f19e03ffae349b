import type * as z from 'zod/mini';
import type { ToolFault } from '../tool-plan';
import { defineTool, type Tool } from '../tool';
import { checkedArgs, updateNote } from './definitions';
import { editNote, type NoteEdit } from './edit-note';
import { halfCharacterFault } from './new-text';

/** Changes a note that is there; what stands where is looked at when it is written. */
export function updateNoteTool(): Tool {
  return defineTool({
    ...updateNote,
    input: checkedArgs(updateNote),
    plan(input) {
      const { path, content, dryRun, mode } = input;
      const edit = readEdit(input);
      if ('code' in edit) return edit;
      const fault = halfCharacterFault(content);
      if (fault !== undefined) return fault;
      return {
        kind: 'change',
        path,
        dryRun,
        byText: mode === 'insert',
        change: (before) =>
          before === undefined
            ? { ok: false, code: 'not_found', message: NO_NOTE }
            : editNote(before, edit, content),
      };
    },
  });
}

const NO_NOTE =
  'Nothing was done: there is no note with this path. Make it with obsidian_create_note, or look for it with obsidian_search_vault.';

/** Exactly one place for `insert`, none for the others. */
function readEdit(input: z.infer<typeof updateNote.args>): NoteEdit | ToolFault {
  const { mode, line, heading, marker } = input;
  const places: readonly NoteEdit[] = [
    ...(line === undefined ? [] : [{ mode: 'insert', line } as const]),
    ...(heading === undefined ? [] : [{ mode: 'insert', heading } as const]),
    ...(marker === undefined ? [] : [{ mode: 'insert', marker } as const]),
  ];
  if (mode !== 'insert') {
    if (places.length === 0) return { mode };
    return bad(`line, heading and marker go with mode "insert", not with "${mode}"`);
  }
  const [place] = places;
  if (place === undefined || places.length > 1) {
    return bad('mode "insert" takes exactly one of line, heading and marker');
  }
  if (marker !== undefined && /[\r\n]/.test(marker)) {
    return bad('the marker must stand within one line. Send a part of one line');
  }
  return place;
}

function bad(why: string): ToolFault {
  return { code: 'bad_arguments', message: `Nothing was done: ${why}.` };
}
