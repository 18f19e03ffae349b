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

/** The app, and where the notes of boards stand in it. */
export interface NotePlaces {
  readonly app: App;
  readonly store: Pick<NamedStore, 'fileOf'>;
}

/** A file by the path that programs know it by; null where the app does not know it. */
function fileIn({ app, store }: NotePlaces, path: string): TFile | null {
  return app.vault.getFileByPath(store.fileOf(path));
}

/**
 * Opens a board's note at a task: in the app's own editor where the app knows the file (a visible
 * root), else in our note view.
 */
export async function openBoard(
  places: NotePlaces,
  board: Board,
  task: Task | undefined,
  newTab: boolean,
): Promise<void> {
  const { app } = places;
  const line = task?.line ?? board.broken?.line ?? 0;
  const file = fileIn(places, board.path);
  if (file !== null) {
    const leaf = newTab ? app.workspace.getLeaf('tab') : app.workspace.getLeaf(false);
    await leaf.openFile(file, { active: true, eState: { line: Math.max(0, line - 1) } });
    return;
  }
  await showNote(app, newTab, {
    path: board.path,
    ...(task !== undefined && { key: task.key }),
    // What is broken is repaired as text.
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

/** Opens a board's note, or its archive, as text at a line; 0: at its head. */
export async function openAtLine(
  places: NotePlaces,
  path: string,
  line: number,
  board: Board,
): Promise<void> {
  const task = board.tasks.find((one) => one.line === line && path === board.path);
  if (task !== undefined || fileIn(places, path) !== null) {
    const place = { ...board, path, broken: board.broken ?? { line, reason: '' } };
    return openBoard(places, task === undefined ? place : board, task, false);
  }
  await showNote(places.app, false, { path, line });
}

/** Opens a board's note as text at a line, whatever stands there: at a line with two versions. */
export function openAsText(app: App, path: string, line: number): Promise<void> {
  return showNote(app, false, { path, line });
}

/** Opens a note that stands beside boards, as text where the app does not know it. */
export async function openBeside(places: NotePlaces, path: string): Promise<void> {
  const { app } = places;
  const file = fileIn(places, path);
  if (file !== null) return app.workspace.getLeaf(false).openFile(file, { active: true });
  await showNote(app, false, { path, line: 0 });
}

/** The leaf that shows the board already, else a fresh one. */
function noteLeaf(app: App, path: string, newTab: boolean): WorkspaceLeaf {
  const { workspace } = app;
  const there = workspace
    .getLeavesOfType(NOTE_VIEW)
    .find((leaf) => leaf.getViewState().state?.['path'] === path);
  if (there !== undefined && !newTab) return there;
  const busy = workspace.getActiveViewOfType(MarkdownView) !== null;
  return workspace.getLeaf(newTab || busy ? 'tab' : false);
}

/** The commands of the note view, there while one is the active view. */
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
 * Shows the boards that are open where they are now, each in its own tab: in the app's editor where
 * the app knows the file by now, else in our view. What was typed in the old place is saved there
 * first, by the view that goes.
 */
export async function followNotes(app: App, from: string, to: string): Promise<void> {
  for (const type of [NOTE_VIEW, 'markdown']) {
    for (const leaf of app.workspace.getLeavesOfType(type)) {
      const path = pathOf(leaf);
      if (path?.startsWith(`${from}/`) !== true) continue;
      await show(app, leaf, `${to}${path.slice(from.length)}`);
    }
  }
}

function pathOf(leaf: WorkspaceLeaf): string | undefined {
  if (leaf.view instanceof FileView) return leaf.view.file?.path;
  const path = leaf.getViewState().state?.['path'];
  return typeof path === 'string' ? path : undefined;
}

async function show(app: App, leaf: WorkspaceLeaf, path: string): Promise<void> {
  const file = app.vault.getFileByPath(path);
  if (file !== null) await leaf.openFile(file, { active: false });
  else await leaf.setViewState({ type: NOTE_VIEW, active: false, state: { path } });
}
