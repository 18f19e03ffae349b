import type { NoteStore } from '../../core/ports';
import { saveShared } from './save-shared';

/**
 * Writes the board root into the shared settings and leaves everything else in them as it is; an
 * empty root takes the entry out. @returns why it was not saved, undefined where it was
 */
export function saveRoot(store: NoteStore, root: string): Promise<string | undefined> {
  return saveShared(store, { root });
}
