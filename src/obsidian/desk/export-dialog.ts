import type { App, TFile } from 'obsidian';
import {
  exportBoard,
  type ExportedFile,
  type ExportKind,
} from '../../core/board/export/export-board';
import type { Board } from '../../core/board/task';
import type { NoteStore } from '../../core/ports';
import type { BoardWrites } from './board-writes';
import { pick } from './pick';

export interface ExportDeps {
  readonly app: App;
  readonly store: NoteStore;
  readonly writes: BoardWrites;
}

const KINDS: readonly (readonly [ExportKind, string])[] = [
  ['kanban', 'Kanban note'],
  ['mermaid', 'Note with a Mermaid graph'],
  ['notes', 'Folder with one note per task'],
  ['json', 'JSON file'],
  ['csv', 'CSV file'],
  ['dot', 'DOT file'],
];

/** Writes a board in another form where new notes go; nothing that is there is written over. */
export async function exportDialog(deps: ExportDeps, board: Board): Promise<void> {
  const { app, store, writes } = deps;
  const choices = KINDS.map(([value, text]) => ({ text, value }));
  const kind = await pick(app, choices, `Export ${board.title} as…`);
  if (kind === undefined) return;
  const text = await writes.tried(() => store.read(board.path));
  if (typeof text !== 'string') {
    writes.notify(text?.message ?? 'The note of this board is no longer there.');
    return;
  }
  const exported = exportBoard(board.path, text, kind);
  if (!exported.ok) return writes.notify(exported.message);
  try {
    const first = await writeFiles(app, board, exported.files, kind);
    const place = kind === 'notes' ? (first.parent?.path ?? first.path) : first.path;
    writes.notify(`Exported to ${place}.`, {
      label: 'Open',
      onClick: () => void app.workspace.getLeaf('tab').openFile(first),
    });
  } catch (error) {
    writes.notify(
      `The export was not finished. ${error instanceof Error ? error.message : ''}`.trim(),
    );
  }
}

/** @returns what to open: the file, or the index of a folder, which the app lists first */
async function writeFiles(
  { vault, fileManager }: App,
  board: Board,
  files: readonly ExportedFile[],
  kind: ExportKind,
): Promise<TFile> {
  const parent = fileManager.getNewFileParent('').path.replace(/^\/$/, '');
  const base = `${parent === '' ? '' : `${parent}/`}${fileName(board.title)}`;
  const folder = kind === 'notes' ? free(vault, base, '') : undefined;
  if (folder !== undefined) await vault.createFolder(folder);
  let made: TFile | undefined;
  for (const file of files) {
    const { ending, text } = formOf(kind, file);
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    const path = folder === undefined ? free(vault, base, ending) : `${folder}/${name}`;
    const one = await vault.create(path, text);
    made ??= one;
  }
  if (made === undefined) throw new Error('The board has nothing to export.');
  return made;
}

/** A graph in a note is drawn by the app; in a file of its own it is not. */
function formOf(kind: ExportKind, { path, text }: ExportedFile): { ending: string; text: string } {
  if (kind === 'mermaid')
    return { ending: '.md', text: `\`\`\`mermaid\n${text.trimEnd()}\n\`\`\`\n` };
  return { ending: kind === 'kanban' ? '.md' : path.slice(path.lastIndexOf('.')), text };
}

/** What file systems and links take. */
export function fileName(title: string): string {
  const name = title
    .replace(/[\\/:*?"<>|#^[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '');
  return name.slice(0, 80).trim() || 'Board';
}

/** A path that nothing stands at: with a number where its name is taken. */
export function free(vault: App['vault'], base: string, ending: string): string {
  for (let n = 1; ; n += 1) {
    const path = `${base}${n === 1 ? '' : ` ${n}`}${ending}`;
    if (vault.getAbstractFileByPath(path) === null) return path;
  }
}
