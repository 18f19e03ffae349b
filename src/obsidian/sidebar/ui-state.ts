import type { Carry } from './carry';
import type { SessionSort } from './session-item';
import type { Editing } from './tree';

/** What one sidebar remembers for itself: nothing of it is in the notes. */
export interface UiState {
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  readonly selected: string | undefined;
  /** the row that a command went to last: it takes the keyboard */
  readonly wanted: string | undefined;
  readonly editing: Editing | undefined;
  /** a task that was picked up */
  readonly carry: Carry | undefined;
  readonly showFinished: boolean;
  /** undefined: the field is not shown */
  readonly filter: string | undefined;
  readonly sort: SessionSort;
}

export const FRESH_UI: UiState = {
  folded: new Set(),
  opened: new Set(),
  selected: undefined,
  wanted: undefined,
  editing: undefined,
  carry: undefined,
  showFinished: false,
  filter: undefined,
  sort: 'newest',
};

/** The same with a row folded or opened; groups of finished tasks are closed unless opened. */
export function withFold(
  ui: UiState,
  row: { readonly id: string; readonly finished: boolean },
  expanded: boolean,
): UiState {
  const set = new Set(row.finished ? ui.opened : ui.folded);
  if (expanded === row.finished) set.add(row.id);
  else set.delete(row.id);
  return row.finished ? { ...ui, opened: set } : { ...ui, folded: set };
}
