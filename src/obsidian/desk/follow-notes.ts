import { FileView, type App, type WorkspaceLeaf } from 'obsidian';
import { NOTE_VIEW } from '../note/note-view';

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
