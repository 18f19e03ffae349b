import { isFinished } from '../../core/board/facts';
import type { TaskDrag } from './task-drag';
import type { ItemRow } from './rows';
import { NONE_SELECTED, type Selection } from '../model/selection';
import type { SessionSort } from '../session/session-list';
import { targetOf } from '../board/task-moves';
import { useMemo, useRef } from 'preact/hooks';
import type { Board, Task } from '../../core/board/task';
import type { Intents } from '../board/intents';
import type { Undo } from '../../core/ports';

/** State of one sidebar; none of it is stored in notes. */
export interface UiState {
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  readonly selected: string | undefined;
  /** the row that stays visible, finished or not, while it is the current one */
  readonly pinned: string | undefined;
  /** number of times that a command or a closed field sent the focus to the tree */
  readonly treeFocusRequests: number;
  readonly editing: Editing | undefined;
  readonly selection: Selection;
  /** tasks that were picked up */
  readonly drag: TaskDrag | undefined;
  readonly showFinished: boolean;
  /** undefined: the filter's field is hidden */
  readonly filter: string | undefined;
  /** number of requests for the field; it takes the focus on each */
  readonly filterFocusRequests: number;
  readonly sort: SessionSort;
}

export type SetUi = (change: (ui: UiState) => UiState) => void;

export const INITIAL_UI: UiState = {
  folded: new Set(),
  opened: new Set(),
  selected: undefined,
  pinned: undefined,
  treeFocusRequests: 0,
  editing: undefined,
  selection: NONE_SELECTED,
  drag: undefined,
  showFinished: false,
  filter: undefined,
  filterFocusRequests: 0,
  sort: 'newest',
};

/** Selects a row; the row of an open task stays visible when it is ticked. */
export function withSelected(ui: UiState, row: ItemRow): UiState {
  const open = row.kind === 'task' && !isFinished(row.row.task);
  const before = ui.selected === row.id ? ui.pinned : undefined;
  const pinned = open ? row.id : before;
  if (ui.selected === row.id && ui.pinned === pinned) return ui;
  return { ...ui, selected: row.id, pinned };
}

/** After the focus left the tree: a ticked task may be folded with the other finished ones. */
export function withoutPinned(ui: UiState, items: readonly ItemRow[]): UiState {
  const row = items.find(({ id }) => id === ui.pinned);
  const open = row?.kind === 'task' && !isFinished(row.row.task);
  return open || ui.pinned === undefined ? ui : { ...ui, pinned: undefined };
}

/** After a task was added behind a row: moves selection and open field to the new task. */
function withAdded(ui: UiState, row: string, added: string): UiState {
  const { selected, editing } = ui;
  if (selected !== row) return ui;
  const goesOn = editing?.kind === 'add' && editing.id === row;
  return {
    ...ui,
    ...{ selected: added, pinned: added },
    editing: goesOn ? { ...editing, id: added } : editing,
  };
}

/** Shows and focuses the filter's field. */
export function withFilter(ui: UiState): UiState {
  return { ...ui, filter: ui.filter ?? '', filterFocusRequests: ui.filterFocusRequests + 1 };
}

/** Hides the filter's field and returns the focus to the tree. */
export function withoutFilter(ui: UiState): UiState {
  return { ...ui, filter: undefined, treeFocusRequests: ui.treeFocusRequests + 1 };
}

/** Closes the field for a title; `back`: the focus goes to its row. */
export function withoutField(ui: UiState, back: boolean): UiState {
  return { ...ui, editing: undefined, treeFocusRequests: ui.treeFocusRequests + (back ? 1 : 0) };
}

/** Folds or opens a row; groups of finished tasks are folded unless opened. */
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

/** The open field: for a new title of a row, a task after it, or one under it. */
export interface Editing {
  readonly kind: 'rename' | 'add' | 'under';
  readonly id: string;
}

interface AddAnchor {
  /** id of the row */
  readonly row: string;
  readonly board: Board;
  readonly task: Task;
}

/** Adds a task after another, or under it. */
export type AddTask = (beside: AddAnchor, title: string, under: boolean) => void;

/**
 * Adds tasks in the order in which they are typed: a task typed at a row while the one before it is
 * still being written goes after that one. The new task becomes the current row.
 */
export function useAdd(intents: Intents, setUi: SetUi): AddTask {
  const last = useRef<
    { readonly row: string; readonly added: Promise<Task | undefined> } | undefined
  >(undefined);
  return useMemo(() => {
    const addAfter = async ({ row, board, task }: AddAnchor, title: string) => {
      const before = last.current?.row === row ? await last.current.added : undefined;
      const added = await intents.add(board, title, { after: targetOf(before ?? task) });
      const at = before === undefined ? row : `${board.path}\n${before.key}`;
      if (added !== undefined) setUi((ui) => withAdded(ui, at, `${board.path}\n${added.key}`));
      return added;
    };
    return (beside, title, under) => {
      const { board, task, row } = beside;
      if (under) return void intents.add(board, title, { parent: targetOf(task) });
      const now = { row, added: addAfter(beside, title) };
      last.current = now;
      void now.added.finally(() => {
        if (last.current === now) last.current = undefined;
      });
    };
  }, [intents, setUi]);
}

type SidebarRequest = 'next-ready' | 'filter' | 'needs-you';

/** Passes requests of commands to the open sidebars. */
export class SidebarRequests {
  private readonly listeners = new Set<(request: SidebarRequest) => void>();

  onRequest(listener: (request: SidebarRequest) => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(request: SidebarRequest): void {
    for (const listener of [...this.listeners]) listener(request);
  }
}
