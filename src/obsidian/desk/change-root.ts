import type { NoteStore } from '../../core/ports';
import { SHARED_SETTINGS_PATH } from '../../core/shared-settings';
import type { Notify } from './notify';
import { saveRoot } from './save-root';

/** Boards go to another folder from now on. Tells the person, also where that could not be saved. */
export async function changeRoot(
  store: NoteStore,
  root: string,
  at: {
    readonly now: () => string;
    readonly look: () => Promise<void>;
    /** why that can't be now */
    readonly held: string | undefined;
  },
  notify: Notify,
): Promise<void> {
  if (at.held !== undefined) {
    notify(at.held);
    return;
  }
  const problem = await saveRoot(store, root);
  if (problem !== undefined) {
    notify(`${SHARED_SETTINGS_PATH} was not saved. ${problem}`);
    return;
  }
  const before = at.now();
  await at.look();
  notify(
    `New boards go to ${at.now()}. Boards in ${before} stay there; "Move boards…" takes them along.`,
  );
}
