import type { App, Command } from 'obsidian';
import { NoteView } from './note-view';

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
    when('toggle-source', 'Toggle reading and source mode', (view) => view.toggleMode()),
    when(
      'next-conflict',
      'Go to next conflict',
      (view) => view.source?.nextConflict(),
      (view) => (view.source?.conflicts ?? 0) > 0,
    ),
  ];
}
