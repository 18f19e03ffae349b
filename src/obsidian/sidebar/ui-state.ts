import type { Carry } from './carry';
import type { SessionSort } from './session-item';
import type { Editing } from './tree';

/** What one sidebar remembers for itself: nothing of it is in the notes. */
export interface UiState {
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  readonly selected: string | undefined;
  /** how often a command or a field that closed sent the keyboard to the tree */
  readonly toTree: number;
  readonly editing: Editing | undefined;
  /** a task that was picked up */
  readonly carry: Carry | undefined;
  readonly showFinished: boolean;
  /** undefined: the field is not shown */
  readonly filter: string | undefined;
  /** how often it was asked for: each time it takes the keyboard */
  readonly toFilter: number;
  readonly sort: SessionSort;
}

export const FRESH_UI: UiState = {
  folded: new Set(),
  opened: new Set(),
  selected: undefined,
  toTree: 0,
  editing: undefined,
  carry: undefined,
  showFinished: false,
  filter: undefined,
  toFilter: 0,
  sort: 'newest',
};

/** The same with the filter's field shown, which takes the keyboard. */
export function withFilter(ui: UiState): UiState {
  return { ...ui, filter: ui.filter ?? '', toFilter: ui.toFilter + 1 };
}

/** The same without it; the keyboard goes back to the tree. */
export function withoutFilter(ui: UiState): UiState {
  return { ...ui, filter: undefined, toTree: ui.toTree + 1 };
}

/** The same with no title being typed; `back`: the keyboard goes to the row that it was typed in. */
export function withoutField(ui: UiState, back: boolean): UiState {
  return { ...ui, editing: undefined, toTree: ui.toTree + (back ? 1 : 0) };
}

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
