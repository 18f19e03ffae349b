import { ItemView, type App, type Command, type Menu } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import { conditionalCommand } from './menu';
import { t } from '../language/text';

/**
 * Actions that exist only in the plugin's views: by command id, the icon, and `task` if the action
 * is about the focused task. Their names are in the catalogue of texts.
 */
const VIEW_ACTIONS = {
  'tick-task': ['square-check', 'task'],
  'open-task': ['file-text', 'task'],
  'open-task-in-tab': ['file-plus', 'task'],
  'add-task-here': ['plus', 'task'],
  'pick-up-task': ['hand', 'task'],
  'move-to-column': ['kanban', 'task'],
  'move-task-up': ['arrow-up', 'task'],
  'move-task-down': ['arrow-down', 'task'],
  'indent-task': ['indent-increase', 'task'],
  'outdent-task': ['indent-decrease', 'task'],
  'what-if': ['lock-open', 'task'],
  'select-task': ['square-mouse-pointer', 'task'],
  'select-all-tasks': ['list-checks'],
  'clear-selection': ['x'],
  'clear-filter': ['filter-x'],
  'fold-row': ['chevrons-down-up', 'task'],
  'fold-all': ['chevrons-down-up'],
  'sort-sessions': ['arrow-up-narrow-wide'],
  'show-finished': ['layers'],
  'show-menu': ['ellipsis', 'task'],
  'show-keys': ['keyboard'],
  'change-lanes': ['rows-3'],
  'choose-session': ['messages-square'],
  'filter-by': ['list-filter'],
  'choose-reviews': ['eye'],
  'set-limit': ['gauge'],
  'toggle-column': ['columns-3'],
  'show-older': ['history'],
  'move-lane-up': ['arrow-up'],
  'move-lane-down': ['arrow-down'],
  'fold-lane': ['chevrons-down-up'],
  'toggle-critical-path': ['route'],
  'toggle-waves': ['columns-3'],
  'toggle-finished': ['square-check'],
  'toggle-cancelled': ['square-minus'],
  'toggle-list': ['list-tree'],
  'zoom-in': ['zoom-in'],
  'zoom-out': ['zoom-out'],
  'zoom-to-fit': ['maximize'],
  'remove-edge': ['lock-open'],
  'close-details': ['x'],
  'filter-entries': ['search'],
  'open-entry': ['list-collapse'],
  'undo-entry': ['undo-2'],
  'copy-entry': ['copy'],
  'compare-entry': ['diff'],
  'filter-by-who': ['user-round'],
  'filter-by-outcome': ['list-filter'],
  'work-period': ['calendar'],
  'load-older': ['history'],
  'clear-faults': ['x'],
  'filter-by-severity': ['list-filter'],
  'open-agent': ['file-text'],
  'duplicate-agent': ['copy'],
  'read-metrics': ['rotate-cw'],
  'export-metrics': ['download'],
  'metrics-period': ['calendar'],
  'group-metrics': ['group'],
  'find-in-conversation': ['search'],
  'choose-agent': ['bot'],
  'choose-model': ['cpu'],
  'attach-note': ['at-sign'],
  'related-notes': ['library'],
  'retry-message': ['rotate-cw'],
  'add-from-message': ['list-plus'],
  'dismiss-from-message': ['x'],
  'approve-step': ['check', 'task'],
  'mark-step-done': ['square-check', 'task'],
  'review-step': ['shield-question-mark', 'task'],
  'open-step': ['messages-square', 'task'],
  'tick-line': ['square-check'],
  'keep-mine': ['git-merge'],
  'use-theirs': ['git-merge'],
} as const satisfies Record<string, readonly [icon: string, about?: 'task']>;

export type ViewAction = keyof typeof VIEW_ACTIONS;

/** Actions that views also bind to keys, but whose commands work everywhere. */
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

/** The actions that a view can do now; actions that are missing can't be done. */
export type ViewActions = Readonly<Partial<Record<ViewAction | CommonAction, () => unknown>>>;

/** A task with its board. */
export interface ChosenTask {
  readonly board: Board;
  readonly task: Task;
  /** the selected tasks of the view, if the focused task is one of them; by default that task */
  readonly tasks?: readonly Task[];
}

/** A view that exposes its actions. */
export interface ViewWithActions {
  readonly acts: ViewActions;
  /** the focused task, as drawn last */
  readonly chosen?: ChosenTask | undefined;
}

/** A line of a view's key list: the keys as shown, what they do, and their actions. */
export interface KeyBinding {
  readonly shown: string;
  readonly words: string;
  /** By key, such as `Mod+Enter`; of several actions, the first possible one runs. */
  readonly keys?: Readonly<Record<string, ViewActionId | readonly ViewActionId[]>>;
}

type ViewActionId = keyof ViewActions;

/** The action of a key; undefined if it has none now. */
export function actionForKey(
  {
    key,
    ctrlKey,
    metaKey,
    altKey,
    shiftKey,
  }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
  lines: readonly KeyBinding[],
  acts: ViewActions,
): (() => unknown) | undefined {
  const chord = ctrlKey || metaKey;
  // A letter's case already shows whether Shift was pressed.
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

/** Actions of the active view. */
export function activeViewActions(app: App): ViewActions {
  const view = app.workspace.getActiveViewOfType(ItemView);
  return hasActions(view) ? view.acts : {};
}

/** The focused task of the active view, as it is in `boards` now. */
export function chosenInView(app: App, boards: readonly Board[]): ChosenTask | undefined {
  const view = app.workspace.getActiveViewOfType(ItemView);
  const chosen = hasActions(view) && 'chosen' in view ? view.chosen : undefined;
  const board = boards.find(({ path }) => path === chosen?.board.path);
  const task = board?.tasks.find(({ key }) => key === chosen?.task.key);
  const tasks = chosen?.tasks?.flatMap(
    ({ key }) => board?.tasks.find((one) => one.key === key) ?? [],
  );
  return board && task && { board, task, ...(tasks && { tasks }) };
}

/** The boards that the active view shows; all of them if it shows none. */
export function boardsInView(app: App, boards: readonly Board[]): readonly Board[] {
  const view = app.workspace.getActiveViewOfType(ItemView);
  if (!hasActions(view)) return boards;
  // The state of the plugin's views names a note or a session; empty means all.
  const { path, session } = view.getState();
  const shown = boards.filter(
    (board) => board.path === path || (session !== '' && board.session === session),
  );
  return shown.length > 0 ? shown : boards;
}

function hasActions(view: ItemView | null): view is ItemView & ViewWithActions {
  return view !== null && 'acts' in view;
}

/** A command for each action; the palette lists it while the active view can do it. */
export function viewActionCommands(app: App): readonly Command[] {
  return entries().map(([id]) =>
    conditionalCommand(
      id,
      t(`viewActions.${id}`),
      () => activeViewActions(app)[id] !== undefined,
      () => activeViewActions(app)[id]?.(),
    ),
  );
}

/**
 * Adds menu items for the actions that a view can do now, about the focused task or the whole view.
 */
export function addActionItems(menu: Menu, acts: ViewActions, about: 'task' | 'view'): void {
  for (const [id, [icon, on = 'view']] of entries()) {
    const run = acts[id];
    if (run === undefined || on !== about) continue;
    menu.addItem((item) =>
      item
        .setTitle(t(`viewActions.${id}`))
        .setIcon(icon)
        .onClick(() => void run()),
    );
  }
}

function entries() {
  return Object.entries(VIEW_ACTIONS) as [ViewAction, readonly [icon: string, about?: 'task']][];
}
