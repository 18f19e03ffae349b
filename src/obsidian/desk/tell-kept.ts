import type { Kept } from '../../core/board/journal/recover';
import { notify } from './notify';

/** Says that a note has another version beside it now, and where. */
export function tellKept({ note, kept }: Kept): void {
  const what = `A change of ${note} was broken off, and the note was written since. It stays as it is`;
  notify(`${what}; the text that the change would have made is in ${kept}.`);
}
