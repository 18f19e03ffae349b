import type { Board, Task } from '../../core/board/task';
import { carryKey, carryPlace, type Carry } from './carry';
import type { Step } from '../desk/step-task';
import type { Intents } from './intents';
import type { ItemRow } from './rows';
import { foldable, openMenu } from './row-menu';
import { treeMove } from './tree-keys';
import { withFilter, withFold, withoutFilter, type UiState } from './ui-state';

export interface TreeContext {
  readonly items: readonly ItemRow[];
  /** the row that has the keyboard */
  readonly stop: string | undefined;
  readonly ui: UiState;
  readonly setUi: (change: (ui: UiState) => UiState) => void;
  readonly intents: Intents;
}

/** Carries out the key map of the sidebar; keys that mean nothing here pass through. */
export function treeCommand(event: KeyboardEvent, context: TreeContext): void {
  if (event.isComposing || event.target instanceof HTMLInputElement) return;
  const { carry } = context.ui;
  if (carry !== undefined) {
    carryCommand(event.key, carry, context);
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  const done = event.ctrlKey || event.metaKey ? chord(event, context) : plain(event, context);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

function carryCommand(key: string, carry: Carry, { items, setUi, intents }: TreeContext): void {
  const done = carryKey(items, carry, key);
  if (done === undefined) return;
  setUi((ui) => ({ ...ui, carry: typeof done === 'string' ? undefined : done }));
  const own = items.find(({ id }) => id === carry.id);
  const place = done === 'drop' ? carryPlace(items, carry) : undefined;
  if (place === undefined || own?.kind !== 'outline' || own.row.kind !== 'task') return;
  intents.move(own.board, own.row.task, place);
}

function chord(event: KeyboardEvent, context: TreeContext): boolean {
  if (event.key.toLowerCase() === 'z') {
    if (event.shiftKey) context.intents.redo();
    else context.intents.undo();
    return true;
  }
  const on = taskOf(context);
  if (event.key !== 'Enter' || on === undefined) return false;
  context.intents.open(on.board, on.task, true);
  return true;
}

function plain(event: KeyboardEvent, context: TreeContext): boolean {
  if (event.altKey) return step(event.key, context);
  return move(event.key, context) || onTask(event, context) || onView(event, context);
}

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

function step(key: string, context: TreeContext): boolean {
  const on = taskOf(context);
  const way = STEPS[key];
  if (on === undefined || way === undefined) return false;
  context.intents.step(on.board, on.task, way);
  return true;
}

function move(key: string, { items, stop, setUi }: TreeContext): boolean {
  const done = treeMove(items, stop, key);
  if (done === undefined) return false;
  const row = items.find((item) => item.id === done.id);
  setUi((ui) => {
    if (done.type === 'go') return { ...ui, selected: done.id };
    return row === undefined ? ui : withFold(ui, foldable(row), done.expanded);
  });
  return true;
}

function onTask(event: KeyboardEvent, context: TreeContext): boolean {
  const on = taskOf(context);
  if (on === undefined) return false;
  const { intents, setUi } = context;
  const { board, task, id } = on;
  switch (event.key) {
    case ' ':
      intents.tick(board, task);
      return true;
    case 'Enter':
      intents.open(board, task, false);
      return true;
    case 'F2':
      setUi((ui) => ({ ...ui, editing: { kind: 'rename', id } }));
      return true;
    case 'a':
    case 'A':
      setUi((ui) => ({ ...ui, editing: { kind: event.key === 'a' ? 'add' : 'under', id } }));
      return true;
    case 'm':
      setUi((ui) => ({ ...ui, carry: { id, at: id, under: false } }));
      return true;
    case 'd':
      intents.depend(board, task);
      return true;
    case 'D':
      intents.undepend(board, task);
      return true;
    case 'Delete':
      intents.remove(board, task);
      return true;
    case 's':
      intents.statusMenu(board, task, elementOf(event));
      return true;
    default:
      return false;
  }
}

function onView(event: KeyboardEvent, context: TreeContext): boolean {
  const { intents, setUi, items, stop } = context;
  const row = items.find((item) => item.id === stop);
  switch (event.key) {
    case ' ':
    case 'Enter':
      if (event.key === 'Enter' && (row?.kind === 'session' || row?.kind === 'child')) {
        intents.openConversation(row.session);
        return true;
      }
      if (row?.expanded === null || row === undefined) return false;
      setUi((ui) => withFold(ui, foldable(row), row.expanded !== true));
      return true;
    case 'c':
      intents.seen();
      return true;
    case '?':
      intents.showKeys();
      return true;
    case '/':
      setUi(withFilter);
      return true;
    case 'ContextMenu':
    case 'F10':
      if (row === undefined || (event.key === 'F10' && !event.shiftKey)) return false;
      openMenu(row, elementOf(event), intents, setUi);
      return true;
    case 'Escape':
      if (context.ui.filter === undefined) return false;
      setUi(withoutFilter);
      return true;
    default:
      return false;
  }
}

function taskOf({
  items,
  stop,
}: TreeContext): { board: Board; task: Task; id: string } | undefined {
  const row = items.find((item) => item.id === stop);
  if (row?.kind !== 'outline' || row.row.kind !== 'task') return undefined;
  return { board: row.board, task: row.row.task, id: row.id };
}

function elementOf(event: KeyboardEvent): HTMLElement {
  const target = event.target;
  return target instanceof HTMLElement ? target : (event.currentTarget as HTMLElement);
}
