import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { parseNote } from '../note/parse-note';
import type { Note } from '../note/note';
import { splitNote } from '../folder-layout/split-note';
import { csvText } from './csv-text';
import { dotText } from './dot-text';
import { jsonText } from './json-text';
import { kanbanText } from './kanban-text';
import { mermaidText } from './mermaid-text';

/** What a board can be exported as; `notes` is a folder with one note per task. */
export const EXPORT_KINDS = ['json', 'csv', 'mermaid', 'dot', 'kanban', 'notes'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** One file of an export; `path` is relative, and without a folder but for `notes`. */
export interface ExportedFile {
  readonly path: string;
  readonly text: string;
}

const ENDINGS = {
  json: '.json',
  csv: '.csv',
  mermaid: '.mmd',
  dot: '.dot',
  kanban: '.kanban.md',
} as const;

/**
 * A board in another form: one file, but for `notes`. Pure; nothing is written.
 * @param path of the board's note, which the files are named after
 * @param text of the board's note
 * @returns Fault `broken_note` where the note can't be parsed
 */
export function exportBoard(
  path: string,
  text: string,
  kind: ExportKind,
): { readonly ok: true; readonly files: readonly ExportedFile[] } | Fault {
  const note = parseNote(path, text);
  if (note.board.broken !== null) {
    return fault('broken_note', `${path} needs repair first. ${note.board.broken.reason}`);
  }
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  if (kind === 'notes') {
    const split = splitNote(note);
    if (!split.ok) return split;
    return {
      ok: true,
      files: split.files.map((file) => ({ path: `${name}/${file.path}`, text: file.text })),
    };
  }
  return { ok: true, files: [{ path: `${name}${ENDINGS[kind]}`, text: printed(note, kind) }] };
}

function printed({ board }: Note, kind: Exclude<ExportKind, 'notes'>): string {
  if (kind === 'json') return jsonText(board);
  if (kind === 'csv') return csvText(board);
  if (kind === 'mermaid') return mermaidText(board);
  if (kind === 'dot') return dotText(board);
  return kanbanText(board);
}
