import type { Board } from '../task';
import type { Header } from './header';
import type { Scan } from './scan';

/**
 * A note as it was parsed: the board that it says, and the text that it says it in. Immutable; an edit
 * answers a new text, which is parsed again. `layout` belongs to the modules of this folder.
 */
export interface Note {
  readonly board: Board;
  readonly text: string;
  /** null where the note is broken */
  readonly layout: Layout | null;
}

export interface Layout {
  readonly header: Header;
  /** its `blocks` stand in the order of `board.tasks` */
  readonly scan: Scan;
  /** the number that the next id takes */
  readonly next: number;
  /** what ends a new line where no neighbour shows it */
  readonly eol: string;
}
