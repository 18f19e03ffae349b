import { Drafts } from '../../core/board/merge/drafts';
import { KeptVersions } from '../../core/board/merge/kept-versions';
import { StateFiles } from '../../core/board/state-file';
import { STATE_ROOT } from '../../core/board/todo-manager';
import type { NoteStore } from '../../core/ports';
import type { CurrentManager } from './current-manager';

/** Saving of notes that are edited as text, through the manager of the root that is set then. */
export function noteDrafts(store: NoteStore, manager: CurrentManager, root: () => string): Drafts {
  return new Drafts({
    store,
    versions: new KeptVersions(new StateFiles(store, STATE_ROOT)),
    root,
    edit: (...change) => manager.now.edit(...change),
  });
}
