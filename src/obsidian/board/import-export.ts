import type { App, TFile } from 'obsidian';
import { importInto, type ImportedBoard } from '../../core/exchange/import-into';
import type { ImportLoss, ImportSource } from '../../core/exchange/imported-plan';
import type { Board } from '../../core/board/task';
import type { NoteStore } from '../../core/ports';
import type { CoreServices } from '../app/core-services';
import type { CurrentManager } from './board-root';
import { failureWords } from '../ui/notify';
import { boardItem } from './task-commands';
import type { BoardWrites } from './board-actions';
import { ask, pick, type PickItem } from '../ui/dialog';
import { exportBoard, type ExportedFile, type ExportKind } from '../../core/exchange/export-board';
import { COMMA, faultText, sentenceText, t } from '../language/text';

const ELSEWHERE = t('board.importElsewhere');

/** Imports the plan of another program, and reports what was taken, what was not and why. */
export async function importDialog(
  app: App,
  { store, clock }: Pick<CoreServices, 'store' | 'clock'>,
  managers: CurrentManager,
  writes: BoardWrites,
): Promise<void> {
  const source = await chooseSource(app, store, writes);
  if (source === undefined) return;
  const boards = managers.now.boards().filter(({ broken }) => broken === null);
  const targets: PickItem<Board | null>[] = [
    { text: t('board.aPlanOfItsOwn'), value: null },
    ...boards.map(boardItem),
  ];
  const target = await pick(app, targets, t('board.putItsTasksOn'));
  if (target === undefined) return;
  const wish = target === null ? {} : { session: target.session, agent: target.agent };
  const done = await importInto(
    { manager: managers.now, clock },
    { ...source, reader: store, place: `${app.vault.getName()}/${source.path}` },
    wish,
  );
  if (!done.ok) return writes.notify(t('board.nothingWasImported', { message: faultText(done) }));
  const by = { kind: 'import' as const, name: done.kind };
  for (const board of done.boards) {
    const { change } = board;
    if (change !== undefined) writes.recordChange(change, importedWords(board), by);
  }
  const notImported = [...done.boards.flatMap(notImportedLines), ...done.left.map(notImportedLine)];
  if (notImported.length > 0) await showNotImported(app, notImported);
  else if (done.boards.every(({ change }) => change === undefined)) {
    writes.notify(t('board.importedBefore'));
  }
}

async function chooseSource(
  app: App,
  store: NoteStore,
  writes: BoardWrites,
): Promise<Omit<ImportSource, 'reader'> | undefined> {
  const paths = app.vault.getFiles().map(({ path }) => path);
  const choices = await importChoices(store, paths);
  if (choices.length === 0) writes.notify(t('board.nothingToImport', { elsewhere: ELSEWHERE }));
  return pick(app, choices, t('board.importFrom', { elsewhere: ELSEWHERE }), true);
}

function notImportedLines({ name, left, fault }: ImportedBoard): readonly string[] {
  if (fault !== undefined) return [t('board.wasNotImported', { name, message: faultText(fault) })];
  return left.map(notImportedLine);
}

function notImportedLine({ what, why, said }: ImportLoss): string {
  return sentenceText([`${what}: ${why}`, said]);
}

async function showNotImported(app: App, lines: readonly string[]): Promise<void> {
  await ask(app, {
    title: t('board.importedDifferently'),
    text: t('board.sourceUnchanged'),
    answers: [],
    draw: (element) => {
      const list = element.createEl('ul', { cls: 'atb-lines' });
      for (const text of lines) list.createEl('li', { text });
    },
  });
}

/** Paths in a vault where other programs keep their plans; the app does not list hidden ones. */
const KNOWN_PLAN_PATHS: readonly (readonly [string, ImportSource['kind']])[] = [
  ['.beads/issues.jsonl', 'file'],
  ['.beads/beads.jsonl', 'file'],
  ['.taskmaster/tasks/tasks.json', 'file'],
  ['backlog', 'folder'],
  ['.backlog', 'folder'],
  ['.tasks', 'folder'],
  ['.claude/tasks', 'folder'],
];

/**
 * What can be imported from a vault: hidden plans of known programs, then folders and files.
 * @param files all files that the app lists
 */
export async function importChoices(
  store: Pick<NoteStore, 'stat' | 'list'>,
  files: readonly string[],
): Promise<readonly PickItem<Omit<ImportSource, 'reader'>>[]> {
  const choices: PickItem<Omit<ImportSource, 'reader'>>[] = [];
  for (const [path, kind] of KNOWN_PLAN_PATHS) {
    const there = kind === 'file' ? await store.stat(path) : (await store.list(path))[0];
    if (there !== undefined) choices.push({ text: path, value: { path, kind } });
  }
  const plans = files.filter((path) => /\.(?:jsonl?|md)$/i.test(path));
  const known = new Set(choices.map(({ value }) => value.path));
  const folders = new Set(plans.flatMap((path) => /^(.+)\/[^/]*$/.exec(path)?.[1] ?? []));
  for (const path of folders) {
    if (!known.has(path)) choices.push({ text: path, value: { path, kind: 'folder' } });
  }
  for (const path of plans) choices.push({ text: path, value: { path, kind: 'file' } });
  return choices;
}

/** Counts of added, changed and removed tasks for a folder of notes; else of added tasks. */
export function importedWords({
  name,
  added,
  changed,
  removed = 0,
}: Pick<ImportedBoard, 'name' | 'added' | 'changed' | 'removed'>): string {
  if (changed === undefined) return t('board.tasksImported', { count: added, name });
  const parts = [
    ...(added === 0 ? [] : [t('board.countAdded', { count: added })]),
    ...(changed === 0 ? [] : [t('board.countChanged', { count: changed })]),
    ...(removed === 0 ? [] : [t('board.countRemoved', { count: removed })]),
  ];
  return parts.length === 0
    ? t('board.importedOrder', { name })
    : t('board.importedCounts', { name, counts: parts.join(COMMA) });
}

const EXPORT_CHOICES: readonly (readonly [ExportKind, string])[] = [
  ['kanban', t('board.kanbanNote')],
  ['mermaid', t('board.noteWithAMermaidGraph')],
  ['notes', t('board.folderWithOneNotePerTask')],
  ['json', t('board.jsonFile')],
  ['csv', t('board.csvFile')],
  ['dot', t('board.dotFile')],
];

/** Writes a board in another format to the folder for new notes; overwrites nothing. */
export async function exportDialog(
  app: App,
  store: NoteStore,
  writes: BoardWrites,
  board: Board,
): Promise<void> {
  const choices = EXPORT_CHOICES.map(([value, text]) => ({ text, value }));
  const kind = await pick(app, choices, t('board.exportTitleAs', { title: board.title }));
  if (kind !== undefined) await exportAs(app, store, writes, board, kind);
}

/** Exports a board without asking. */
export async function exportAs(
  app: App,
  store: NoteStore,
  writes: BoardWrites,
  board: Board,
  kind: ExportKind,
): Promise<void> {
  const text = await writes.catchStoreErrors(() => store.read(board.path));
  if (typeof text !== 'string') {
    writes.notify(text === undefined ? t('board.noteNotThere') : faultText(text));
    return;
  }
  const exported = exportBoard(board.path, text, kind);
  if (!exported.ok) return writes.notify(faultText(exported));
  await notifyExported(app, writes, async () => {
    const first = await writeFiles(app, board, exported.files, kind);
    return { first, place: kind === 'notes' ? (first.parent?.path ?? first.path) : first.path };
  });
}

/** Shows a notice with the path of an export, and offers to open it. */
export async function notifyExported(
  app: App,
  writes: BoardWrites,
  write: () => Promise<{ readonly first: TFile; readonly place: string }>,
): Promise<void> {
  try {
    const { first, place } = await write();
    writes.notify(t('board.exportedToPlace', { place }), {
      label: t('board.open'),
      onClick: () => void app.workspace.getLeaf('tab').openFile(first),
    });
  } catch (error) {
    writes.notify(failureWords(t('board.exportNotFinished'), error));
  }
}

/** A free path for a new file of this name in the folder for new notes. */
export function exportPath({ vault, fileManager }: App, title: string, ending: string): string {
  const parent = fileManager.getNewFileParent('').path.replace(/^\/$/, '');
  return freePath(vault, `${parent === '' ? '' : `${parent}/`}${fileName(title)}`, ending);
}

/** @returns the file to open; for a folder its first file, the index */
async function writeFiles(
  app: App,
  board: Board,
  files: readonly ExportedFile[],
  kind: ExportKind,
): Promise<TFile> {
  const { vault } = app;
  const folder = kind === 'notes' ? exportPath(app, board.title, '') : undefined;
  if (folder !== undefined) await vault.createFolder(folder);
  let made: TFile | undefined;
  for (const file of files) {
    const { ending, text } = exportedForm(kind, file);
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    const path = folder === undefined ? exportPath(app, board.title, ending) : `${folder}/${name}`;
    const one = await vault.create(path, text);
    made ??= one;
  }
  if (made === undefined) throw new Error(t('board.nothingToExport'));
  return made;
}

/** Puts a Mermaid graph into a note, since the app draws it only there. */
function exportedForm(
  kind: ExportKind,
  { path, text }: ExportedFile,
): { ending: string; text: string } {
  if (kind === 'mermaid')
    return { ending: '.md', text: `\`\`\`mermaid\n${text.trimEnd()}\n\`\`\`\n` };
  return { ending: kind === 'kanban' ? '.md' : path.slice(path.lastIndexOf('.')), text };
}

/** The title without characters that file systems or links don't allow. */
export function fileName(title: string): string {
  const name = title
    .replace(/[\\/:*?"<>|#^[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '');
  return name.slice(0, 80).trim() || 'Board';
}

/** A path where nothing exists yet: with a number if the name is taken. */
export function freePath(vault: App['vault'], base: string, ending: string): string {
  for (let n = 1; ; n += 1) {
    const path = `${base}${n === 1 ? '' : ` ${n}`}${ending}`;
    if (vault.getAbstractFileByPath(path) === null) return path;
  }
}
