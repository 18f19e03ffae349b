import {
  FileView,
  MarkdownView,
  type App,
  type Command,
  type TFile,
  type WorkspaceLeaf,
} from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import type { NamedStore } from '../../core/board/names/named-store';
import { NOTE_VIEW, NoteView } from './note-view';
import { t } from '../language/text';

/** The app, and a function that maps paths of notes to files. */
export interface NoteLocator {
  readonly app: App;
  readonly store: Pick<NamedStore, 'fileOf'>;
}

/** Finds a file by the path that programs use for it; null if the app does not list it. */
function fileAt({ app, store }: NoteLocator, path: string): TFile | null {
  return app.vault.getFileByPath(store.fileOf(path));
}

/**
 * Opens a board's note at a task: in the app's own editor if the app lists the file (a visible
 * root), else in the plugin's note view.
 */
export async function openBoard(
  places: NoteLocator,
  board: Board,
  task: Task | undefined,
  newTab: boolean,
): Promise<void> {
  const { app } = places;
  const line = task?.line ?? board.broken?.line ?? 0;
  const file = fileAt(places, board.path);
  if (file !== null) {
    const leaf = newTab ? app.workspace.getLeaf('tab') : app.workspace.getLeaf(false);
    await leaf.openFile(file, { active: true, eState: { line: Math.max(0, line - 1) } });
    return;
  }
  await showNote(app, newTab, {
    path: board.path,
    ...(task !== undefined && { key: task.key }),
    // A broken note is opened as text, to be repaired.
    ...(board.broken !== null && line > 0 && { line }),
  });
}

async function showNote(
  app: App,
  newTab: boolean,
  state: { readonly path: string; readonly key?: string; readonly line?: number },
): Promise<void> {
  const leaf = noteLeaf(app, state.path, newTab);
  await leaf.setViewState({ type: NOTE_VIEW, active: true, state });
  await app.workspace.revealLeaf(leaf);
}

/** Opens a board's note, or its archive, as text at a line; 0: at the start. */
export async function openAtLine(
  places: NoteLocator,
  path: string,
  line: number,
  board: Board,
): Promise<void> {
  const task = board.tasks.find((one) => one.line === line && path === board.path);
  if (task !== undefined || fileAt(places, path) !== null) {
    const place = { ...board, path, broken: board.broken ?? { line, reason: '' } };
    return openBoard(places, task === undefined ? place : board, task, false);
  }
  await showNote(places.app, false, { path, line });
}

/** Opens a board's note as text at a line, in the plugin's view, to choose between two versions. */
export function openAsText(app: App, path: string, line: number): Promise<void> {
  return showNote(app, false, { path, line });
}

/** Opens a note beside the boards, as text if the app does not list it. */
export async function openNoteFile(places: NoteLocator, path: string): Promise<void> {
  const { app } = places;
  const file = fileAt(places, path);
  if (file !== null) return app.workspace.getLeaf(false).openFile(file, { active: true });
  await showNote(app, false, { path, line: 0 });
}

/** The leaf that already shows the board, else a new one. */
function noteLeaf(app: App, path: string, newTab: boolean): WorkspaceLeaf {
  const { workspace } = app;
  const there = workspace
    .getLeavesOfType(NOTE_VIEW)
    .find((leaf) => leaf.getViewState().state?.['path'] === path);
  if (there !== undefined && !newTab) return there;
  const busy = workspace.getActiveViewOfType(MarkdownView) !== null;
  return workspace.getLeaf(newTab || busy ? 'tab' : false);
}

/** Commands of the note view, available while it is the active view. */
export function noteCommands(app: App): readonly Command[] {
  const when = (
    id: string,
    name: string,
    run: (view: NoteView) => unknown,
    can: (view: NoteView) => boolean = () => true,
  ): Command => ({
    id,
    name,
    checkCallback: (checking) => {
      const view = app.workspace.getActiveViewOfType(NoteView);
      if (view === null || !can(view)) return false;
      if (!checking) void run(view);
      return true;
    },
  });
  return [
    when('toggle-source', t('note.toggleSource'), (view) => view.toggleMode()),
    when(
      'next-conflict',
      t('note.nextConflict'),
      (view) => view.source?.nextConflict(),
      (view) => (view.source?.conflicts ?? 0) > 0,
    ),
  ];
}

/**
 * Updates the tabs of open boards after their folder moved: each opens the new file, in the app's
 * editor if the app lists it by now, else in the plugin's view. Unsaved text is first saved to the
 * old file, by the view that closes.
 */
export async function moveOpenNotes(app: App, from: string, to: string): Promise<void> {
  for (const type of [NOTE_VIEW, 'markdown']) {
    for (const leaf of app.workspace.getLeavesOfType(type)) {
      const path = leafPath(leaf);
      if (path?.startsWith(`${from}/`) !== true) continue;
      await reopenAt(app, leaf, `${to}${path.slice(from.length)}`);
    }
  }
}

function leafPath(leaf: WorkspaceLeaf): string | undefined {
  if (leaf.view instanceof FileView) return leaf.view.file?.path;
  const path = leaf.getViewState().state?.['path'];
  return typeof path === 'string' ? path : undefined;
}

async function reopenAt(app: App, leaf: WorkspaceLeaf, path: string): Promise<void> {
  const file = app.vault.getFileByPath(path);
  if (file !== null) await leaf.openFile(file, { active: false });
  else await leaf.setViewState({ type: NOTE_VIEW, active: false, state: { path } });
}
