import type { Ask } from '../../core/permission/ask';
import { sentLines } from './sent-lines';
import { changeView } from './note-change';
import { noteName } from './note-name';

/** What one of our tools asks, in words. Everything in it is plain text, never markup. */
export interface AskText {
  /** "Allow an edit of Index format?" */
  readonly question: string;
  /** after "Needs you": "Edit a note" */
  readonly short: string;
  /** "Note", "Folder", "Board" */
  readonly label: string;
  /** path of the note or folder */
  readonly object: string;
  /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
  readonly change: string | undefined;
  /** of the region that shows what is written */
  readonly changeName: string;
  /** what the agent sent, where the change does not show it: one entry each */
  readonly sent: readonly string[];
}

type Words = Pick<AskText, 'question' | 'short' | 'label' | 'object'>;

export function askText(ask: Ask): AskText {
  const { change } = ask;
  const shown = change === undefined || change === 'restricted' ? undefined : changeView(change);
  const words = askWords(ask);
  return {
    ...words,
    change: shown?.words,
    changeName: `Change to ${noteName(words.object)}`,
    sent: shown === undefined ? sentLines(ask) : [],
  };
}

function askWords(ask: Ask): Words {
  const { operation, tool } = ask;
  const object = ask.path ?? '';
  const note = { label: 'Note', object };
  const name = noteName(object);
  switch (operation) {
    case 'update':
      return { question: `Allow an edit of ${name}?`, short: 'Edit a note', ...note };
    case 'create':
      return { question: `Create the note ${name}?`, short: 'Create a note', ...note };
    case 'delete':
      return { question: `Allow deleting ${name}?`, short: 'Delete a note', ...note };
    case 'read':
      return (
        readWords(tool, object) ?? {
          ...{ question: `Allow reading ${name}?`, short: 'Read a note' },
          ...note,
        }
      );
    case 'tasks':
      return {
        ...{ question: 'Allow this use of the board?', short: 'Use the board' },
        ...{ label: 'Board', object: object === '' ? 'the board of this session' : object },
      };
  }
}

/** Of tools that look into a folder. */
function readWords(tool: string, path: string): Words | undefined {
  const folder = path === '' ? 'the whole vault' : path;
  const place = { label: 'Folder', object: folder };
  if (tool === 'obsidian.search_vault') {
    return { question: `Allow a search in ${folder}?`, short: 'Search notes', ...place };
  }
  if (tool !== 'obsidian.list_notes') return undefined;
  return { question: `Allow a list of the notes in ${folder}?`, short: 'List notes', ...place };
}
