import { ItemView, type App, type Command, type Menu } from 'obsidian';
import type { Board } from '../../core/board/task';
import { when } from './menu';

/**
 * What can be done in a view of ours and nowhere else: by the id of its command, the name that palette
 * and menus show, its icon, and whether it is about the task that the person is on.
 */
const VIEW_ACTIONS = {
  'tick-task': ['Tick or untick task', 'square-check', 'task'],
  'open-task': ['Open task in its note', 'file-text', 'task'],
  'open-task-in-tab': ['Open task in a new tab', 'file-plus', 'task'],
  'add-task-here': ['Add task here', 'plus', 'task'],
  'pick-up-task': ['Pick up task', 'hand', 'task'],
  'move-to-column': ['Move task to column…', 'kanban', 'task'],
  'move-task-up': ['Move task up', 'arrow-up', 'task'],
  'move-task-down': ['Move task down', 'arrow-down', 'task'],
  'indent-task': ['Move task under the one above', 'indent-increase', 'task'],
  'outdent-task': ['Move task out', 'indent-decrease', 'task'],
  'what-if': ['Show what could start after task', 'lock-open', 'task'],
  'select-task': ['Select or deselect task', 'square-mouse-pointer', 'task'],
  'select-all-tasks': ['Select all tasks of plan', 'list-checks'],
  'clear-selection': ['Clear selection', 'x'],
  'clear-filter': ['Clear filter', 'filter-x'],
  'fold-row': ['Fold or unfold', 'chevrons-down-up', 'task'],
  'fold-all': ['Fold or unfold all sessions', 'chevrons-down-up'],
  'sort-sessions': ['Sort sessions…', 'arrow-up-narrow-wide'],
  'show-finished': ['Show finished tasks', 'layers'],
  'show-menu': ['Show menu of what has the focus', 'ellipsis', 'task'],
  'show-keys': ['Show keys of this view', 'keyboard'],
  'change-lanes': ['Change lanes of board…', 'rows-3'],
  'choose-session': ['Show another plan on board…', 'messages-square'],
  'filter-by': ['Filter board by…', 'list-filter'],
  'choose-reviews': ['Choose which tasks I review…', 'eye'],
  'set-limit': ['Set limit of column…', 'gauge'],
  'toggle-column': ['Open or fold column…', 'columns-3'],
  'show-older': ['Show older tasks', 'history'],
  'move-lane-up': ['Move lane up', 'arrow-up'],
  'move-lane-down': ['Move lane down', 'arrow-down'],
  'fold-lane': ['Fold or unfold lane…', 'chevrons-down-up'],
  'toggle-critical-path': ['Show or hide critical path', 'route'],
  'toggle-waves': ['Show or hide waves', 'columns-3'],
  'toggle-finished': ['Show or hide finished tasks', 'square-check'],
  'toggle-cancelled': ['Show or hide cancelled tasks', 'square-minus'],
  'toggle-list': ['Show plan as list or graph', 'list-tree'],
  'zoom-in': ['Zoom in', 'zoom-in'],
  'zoom-out': ['Zoom out', 'zoom-out'],
  'zoom-to-fit': ['Show all of graph', 'maximize'],
  'remove-edge': ['Remove selected dependency', 'lock-open'],
  'close-details': ['Close details', 'x'],
  'filter-entries': ['Filter entries', 'search'],
  'open-entry': ['Open entry…', 'list-collapse'],
  'undo-entry': ['Undo entry…', 'undo-2'],
  'copy-entry': ['Copy entry', 'copy'],
  'compare-entry': ['Compare entry with its note', 'diff'],
  'filter-by-who': ['Filter entries by who…', 'user-round'],
  'filter-by-outcome': ['Filter entries by outcome…', 'list-filter'],
  'load-older': ['Load what is older', 'history'],
  'find-in-conversation': ['Find in this conversation', 'search'],
  'choose-agent': ['Choose agent of next message…', 'bot'],
  'choose-model': ['Choose model of next message…', 'cpu'],
  'attach-note': ['Add note to next message', 'at-sign'],
  'retry-message': ['Send last message again', 'rotate-cw'],
  'approve-step': ['Approve task of run', 'check', 'task'],
  'mark-step-done': ['Mark task of run done…', 'square-check', 'task'],
  'review-step': ['Review what task of run asks', 'shield-question-mark', 'task'],
  'open-step': ['Open conversation of task of run', 'messages-square', 'task'],
  'tick-line': ['Tick or untick task of this line', 'square-check'],
  'keep-mine': ['Keep my version of this line', 'git-merge'],
  'use-theirs': ['Use the other version of this line', 'git-merge'],
} as const satisfies Record<string, readonly [name: string, icon: string, about?: 'task']>;

export type ViewAction = keyof typeof VIEW_ACTIONS;

/** What keys of a view do too, and has a command that works wherever the person is. */
type CommonAction =
  | 'add-dependency'
  | 'add-subtask'
  | 'filter-board'
  | 'have-it-done'
  | 'mark-seen'
  | 'open-conversation'
  | 'redo'
  | 'review-task'
  | 'accept-task'
  | 'send-back-task'
  | 'remove-dependency'
  | 'remove-task'
  | 'rename-task'
  | 'retry-step'
  | 'set-status'
  | 'skip-step'
  | 'undo';

/** What a view can do now; what is left out can't be done as things stand. */
export type ViewActs = Readonly<Partial<Record<ViewAction | CommonAction, () => unknown>>>;

/** A view that says what can be done in it. */
export interface ActingView {
  readonly acts: ViewActs;
}

/** A line of a view's key list: the keys as they are shown, what they do, and how. */
export interface KeyLine {
  readonly shown: string;
  readonly words: string;
  /** By key, `Mod+` and `Shift+` before it where it has them; of several actions the first that can be done. */
  readonly keys?: Readonly<Record<string, ActionOf | readonly ActionOf[]>>;
}

type ActionOf = keyof ViewActs;

/** What a key does now; undefined where it means nothing. */
export function keyAct(
  { key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
  lines: readonly KeyLine[],
  acts: ViewActs,
): (() => unknown) | undefined {
  const chord = ctrlKey || metaKey;
  // The letter says itself whether it is a capital.
  const shift = shiftKey && (chord || key.length > 1);
  const name = chord && key.length === 1 ? key.toLowerCase() : key;
  const pressed = [chord && 'Mod', altKey && 'Alt', shift && 'Shift', name];
  const wanted = pressed.filter((part) => part !== false).join('+');
  for (const { keys } of lines) {
    const actions = keys?.[wanted];
    if (actions === undefined) continue;
    return [actions].flat().flatMap((action) => acts[action] ?? [])[0];
  }
  return undefined;
}

/** What can be done in the view that the person is in. */
export function activeActs(app: App): ViewActs {
  const view = app.workspace.getActiveViewOfType(ItemView);
  return isActing(view) ? view.acts : {};
}

/** Those of the boards that the view is about that the person is in; all, where it is about none of them. */
export function boardsInView(app: App, boards: readonly Board[]): readonly Board[] {
  const view = app.workspace.getActiveViewOfType(ItemView);
  if (!isActing(view)) return boards;
  // A view of ours names in its state what it shows: a note, or a session; empty are all.
  const { path, session } = view.getState();
  const shown = boards.filter(
    (board) => board.path === path || (session !== '' && board.session === session),
  );
  return shown.length > 0 ? shown : boards;
}

function isActing(view: ItemView | null): view is ItemView & ActingView {
  return view !== null && 'acts' in view;
}

/** A command for each action: in the palette while the active view can do it. */
export function viewActionCommands(app: App): readonly Command[] {
  return entries().map(([id, [name]]) =>
    when(
      id,
      name,
      () => activeActs(app)[id] !== undefined,
      () => activeActs(app)[id]?.(),
    ),
  );
}

/** Lines for what a view can do now: all of it about a task, or about the view as a whole. */
export function addActs(menu: Menu, acts: ViewActs, about: 'task' | 'view'): void {
  for (const [id, [name, icon, on = 'view']] of entries()) {
    const run = acts[id];
    if (run === undefined || on !== about) continue;
    menu.addItem((item) =>
      item
        .setTitle(name)
        .setIcon(icon)
        .onClick(() => void run()),
    );
  }
}

function entries() {
  return Object.entries(VIEW_ACTIONS) as [
    ViewAction,
    readonly [name: string, icon: string, about?: 'task'],
  ][];
}
