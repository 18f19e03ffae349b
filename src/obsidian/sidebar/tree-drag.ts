import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { isWritable } from '../board-view/shown-boards';
import type { Intents } from '../board/intents';
import { followDrags, type DragPoint } from '../ui/drag';
import {
  carriedTasks,
  carryPlace,
  lifted,
  restRows,
  spotAt,
  type Carry,
  type CarrySpot,
} from './carry';
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
export function dropCarry(rows: readonly SidebarRow[], carry: Carry, intents: Intents): void {
  const from = carriedTasks(rows, carry);
  const there = carryPlace(rows, carry);
  if (from === undefined || there === undefined) return;
  intents.move(from.board, from.tasks, there.place, there.to);
}

/** Drags tasks with the mouse or a finger, also in depth and to other phases and plans. */
export function useTreeDrags(root: RefObject<HTMLElement | null>, context: DragContext): void {
  const now = useRef(context);
  now.current = context;
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const carried = (carry: Carry, at: DragPoint, from: DragPoint): Carry => {
      const spot = pointedSpot(element, now.current, carry, at, from);
      const next = { ...carry, spot };
      return carryPlace(now.current.rows, next) === undefined
        ? { ...carry, spot: undefined }
        : next;
    };
    const setCarry = (carry: Carry | undefined) => now.current.setUi((ui) => ({ ...ui, carry }));
    return followDrags<Carry>(element, {
      find: (pressed) => {
        const row = pressed.closest<HTMLElement>('.atb-tree .atb-task');
        if (row === null || pressed.closest('.atb-twisty') !== null) return undefined;
        const { rows, ui } = now.current;
        const item = lifted(rows, ui.picked, row.dataset['at'] ?? '', true);
        return item && { item, element: row };
      },
      lift: (carry) => setCarry(carry),
      over: (carry, at, from) => {
        const next = carried(carry, at, from);
        if (!sameSpot(now.current.ui.carry?.spot, next.spot)) setCarry(next);
      },
      drop: (carry, at, from) => {
        const { rows, intents } = now.current;
        setCarry(undefined);
        dropCarry(rows, carried(carry, at, from), intents);
      },
      cancel: () => setCarry(undefined),
      scrollers: () => [...element.querySelectorAll<HTMLElement>('.atb-scroll')],
    });
  }, [root]);
}

function sameSpot(a: CarrySpot | undefined, b: CarrySpot | undefined): boolean {
  if (a === undefined || b === undefined || a.kind !== b.kind) return a === b;
  if ('row' in a) return 'row' in b && a.row.id === b.row.id;
  if ('row' in b || a.board.path !== b.board.path) return false;
  return a.kind === 'end' || (b.kind === 'phase' && a.title === b.title);
}

/** The spot below the pointer; its horizontal movement sets the depth. */
function pointedSpot(
  root: HTMLElement,
  { rows, boards }: DragContext,
  carry: Carry,
  at: DragPoint,
  from: DragPoint,
): CarrySpot | undefined {
  const tree = root.querySelector<HTMLElement>('.atb-tree');
  const hit = root.ownerDocument.elementFromPoint(at.x, at.y);
  if (tree === null || !root.querySelector('.atb-scroll')?.contains(hit)) return undefined;
  const { bottom, top } = tree.getBoundingClientRect();
  if (at.y < top || at.y > bottom) return undefined;
  const rest = restRows(rows, carry);
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
  const own = carriedTasks(rows, carry)?.tasks[0]?.depth ?? 0;
  const depth = own + Math.round(aside / indent);
  return spotAt(rest, gap, depth, (session) => {
    const its = boards.filter((board) => board.session === session && isWritable(board));
    return its.length === 1 ? its[0] : undefined;
  });
}
