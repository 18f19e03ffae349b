import type { Changed, ToolFault } from '../tool-plan';
import { defineTool, type Tool } from '../tool';
import { checkedArgs, createNote } from './definitions';
import { halfCharacterFault, lineWords } from './new-text';

/** Makes a note of just the text that is sent, or, if told to, puts that in place of another. */
export function createNoteTool(): Tool {
  return defineTool({
    ...createNote,
    input: checkedArgs(createNote),
    plan({ path, content, overwrite, dryRun }) {
      const fault = halfCharacterFault(content);
      if (fault !== undefined) return fault;
      return {
        kind: 'change',
        path,
        dryRun,
        change: (before) => created(before, content, overwrite),
      };
    },
  });
}

function created(
  before: string | undefined,
  content: string,
  overwrite: boolean,
): Changed | (ToolFault & { readonly ok: false }) {
  if (before === undefined)
    return { ok: true, after: content, words: `New note, ${lineWords(content)}` };
  if (!overwrite) {
    const message =
      'Nothing was done: there is a note with this path. Change it with obsidian_update_note, or send overwrite true.';
    return { ok: false, code: 'exists', message };
  }
  return { ok: true, after: content, words: `Replaced all of it with ${lineWords(content)}` };
}
