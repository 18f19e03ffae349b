import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { isWritable } from '../board-view/shown-boards';
import type { Intents } from '../board/intents';
import { followDrags, type DragPoint } from '../ui/drag';
import {
  draggedTasks,
  dropDestination,
  startDrag,
  rowsWithoutDragged,
  dropTargetAt,
  type TaskDrag,
  type DropTarget,
} from './task-drag';
import type { SidebarRow } from './rows';
import type { SetUi, UiState } from './ui-state';

interface DragContext {
  readonly rows: readonly SidebarRow[];
  readonly boards: readonly Board[];
  readonly ui: UiState;
  readonly setUi: SetUi;
  readonly intents: Intents;
}

/** Drops the carried tasks at their spot; writes nothing if they are already there. */
export function dropTasks(rows: readonly SidebarRow[], drag: TaskDrag, intents: Intents): void {
  const from = draggedTasks(rows, drag);
  const destination = dropDestination(rows, drag);
  if (from === undefined || destination === undefined) return;
  intents.move(from.board, from.tasks, destination.place, destination.to);
}

/**
 * Drags tasks with the mouse or a finger, also in depth and to other phases and plans. Ends a carry
 * whose tasks are gone.
 */
export function useTreeDrags(root: RefObject<HTMLElement | null>, context: DragContext): void {
  const now = useRef(context);
  now.current = context;
  const { rows: shown, ui, setUi } = context;
  useLayoutEffect(() => {
    const isGone = ui.drag !== undefined && draggedTasks(shown, ui.drag) === undefined;
    if (isGone) setUi((before) => ({ ...before, drag: undefined }));
  }, [shown, ui.drag, setUi]);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const withDropTarget = (drag: TaskDrag, at: DragPoint, from: DragPoint): TaskDrag => {
      const dropTarget = targetAtPointer(element, now.current, drag, at, from);
      const next = { ...drag, dropTarget };
      return dropDestination(now.current.rows, next) === undefined
        ? { ...drag, dropTarget: undefined }
        : next;
    };
    const setDrag = (drag: TaskDrag | undefined) => now.current.setUi((ui) => ({ ...ui, drag }));
    return followDrags<TaskDrag>(element, {
      find: (pressed) => {
        const row = pressed.closest<HTMLElement>('.atb-tree .atb-task');
        if (row === null || pressed.closest('.atb-twisty') !== null) return undefined;
        const { rows, ui } = now.current;
        const item = startDrag(rows, ui.selection, row.dataset['at'] ?? '', true);
        return item && { item, element: row };
      },
      start: (drag) => setDrag(drag),
      over: (drag, at, from) => {
        const next = withDropTarget(drag, at, from);
        if (!isSameTarget(now.current.ui.drag?.dropTarget, next.dropTarget)) setDrag(next);
      },
      drop: (drag, at, from) => {
        const { rows, intents } = now.current;
        setDrag(undefined);
        dropTasks(rows, withDropTarget(drag, at, from), intents);
      },
      cancel: () => setDrag(undefined),
      scrollers: () => [...element.querySelectorAll<HTMLElement>('.atb-scroll')],
    });
  }, [root]);
}

function isSameTarget(a: DropTarget | undefined, b: DropTarget | undefined): boolean {
  if (a === undefined || b === undefined || a.kind !== b.kind) return a === b;
  if ('row' in a) return 'row' in b && a.row.id === b.row.id;
  if ('row' in b || a.board.path !== b.board.path) return false;
  return a.kind === 'end' || (b.kind === 'phase' && a.title === b.title);
}

/** The spot below the pointer; its horizontal movement sets the depth. */
function targetAtPointer(
  root: HTMLElement,
  { rows, boards }: DragContext,
  drag: TaskDrag,
  at: DragPoint,
  from: DragPoint,
): DropTarget | undefined {
  const tree = root.querySelector<HTMLElement>('.atb-tree');
  const hit = root.ownerDocument.elementFromPoint(at.x, at.y);
  if (tree === null || !root.querySelector('.atb-scroll')?.contains(hit)) return undefined;
  const { bottom, top } = tree.getBoundingClientRect();
  if (at.y < top || at.y > bottom) return undefined;
  const rest = rowsWithoutDragged(rows, drag);
  const places = new Map(rest.map(({ id }, place) => [id, place]));
  let gap = 0;
  for (const one of tree.querySelectorAll<HTMLElement>('[data-at]')) {
    const place = places.get(one.dataset['at'] ?? '');
    const box = one.getBoundingClientRect();
    if (place === undefined || box.top + box.height / 2 > at.y) continue;
    // A sticky head covers rows of its session.
    gap = Math.max(gap, place + 1);
  }
  const style = getComputedStyle(tree);
  const indent = Number.parseFloat(style.getPropertyValue('--atb-indent')) || 20;
  const aside = (at.x - from.x) * (style.direction === 'rtl' ? -1 : 1);
  const own = draggedTasks(rows, drag)?.tasks[0]?.depth ?? 0;
  const depth = own + Math.round(aside / indent);
  return dropTargetAt(rest, gap, depth, (session) => {
    const sessionBoards = boards.filter((board) => board.session === session && isWritable(board));
    return sessionBoards.length === 1 ? sessionBoards[0] : undefined;
  });
}
