import { ItemView, type App, type Command, type Menu } from 'obsidian';
import type { Board } from '../../core/board/task';
import { when } from './menu';
import { t } from '../language/text';

/**
 * What can be done in a view of ours and nowhere else: by the id of its command, under which the catalogue
 * has its name, its icon, and whether it is about the task that the person is on.
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
  'load-older': ['history'],
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
  return entries().map(([id]) =>
    when(
      id,
      t(`viewActions.${id}`),
      () => activeActs(app)[id] !== undefined,
      () => activeActs(app)[id]?.(),
    ),
  );
}

/** Lines for what a view can do now: all of it about a task, or about the view as a whole. */
export function addActs(menu: Menu, acts: ViewActs, about: 'task' | 'view'): void {
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
