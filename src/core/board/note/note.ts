import type { Board } from '../task';

/**
 * A note as it was parsed: the board that it says, and the text that it says it in. Immutable; an edit
 * answers a new text, which is parsed again. `layout` belongs to the modules of this folder.
 */
export interface Note {
  readonly board: Board;
  readonly text: string;
  readonly layout: unknown;
}
