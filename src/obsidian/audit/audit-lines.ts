import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AuditItem } from './audit-words';
import { useRedraw } from '../ui/use-changes';

/** Heights in px: of the fixed head, and of each kind of line. */
const WIDE_HEIGHTS = { head: 40, row: 34, day: 34, more: 52 };

/** For narrow views: two lines for each entry. */
const NARROW_HEIGHTS: typeof WIDE_HEIGHTS = { head: 32, row: 60, day: 32, more: 60 };

/** Minimum width in px for all columns, or for a detail beside the list. */
const MIN_WIDE_WIDTH = 700;

/** Whether an element is narrow; false until it was measured. */
export function useIsNarrow(element: RefObject<HTMLElement | null>): boolean {
  const { width } = useSize(element);
  return width > 0 && width < MIN_WIDE_WIDTH;
}

export type DrawnLines = ReturnType<typeof useLines>;

/**
 * The range of lines to draw. Visible lines keep their position when lines are added above them.
 * @param chosen index of the line that keeps its position when the heights of lines change
 */
export function useLines(
  items: readonly AuditItem[],
  scroller: RefObject<HTMLElement | null>,
  chosen: number,
) {
  const size = useSize(scroller);
  const narrow = size.width > 0 && size.width < MIN_WIDE_WIDTH;
  const { head, ...heights } = narrow ? NARROW_HEIGHTS : WIDE_HEIGHTS;
  const offsets = useMemo(() => offsetsOf(items, heights), [items, narrow]);
  const height = size.height - head;
  const above = useAnchor({ items, offsets, height }, scroller, chosen);
  const top = scroller.current?.scrollTop ?? 0;
  const bottom = top + Math.max(height, 400);
  return {
    ...{ offsets, narrow },
    from: lineAt(offsets, top - OVERSCAN),
    /** exclusive */
    to: Math.min(items.length, lineAt(offsets, bottom + OVERSCAN) + 1),
    /** index of the topmost visible line */
    first: lineAt(offsets, top),
    /** lines were added above the visible ones */
    above: above && top > 0,
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    /** Scrolls to a line. */
    reveal: (index: number): void => {
      const element = scroller.current;
      const [from, to] = [offsets[index], offsets[index + 1]];
      if (element === null || from === undefined || to === undefined) return;
      const room = element.clientHeight - head;
      if (from < element.scrollTop) element.scrollTop = from;
      else if (to > element.scrollTop + room) element.scrollTop = to - room;
    },
  };
}

/** The size of a scrolling element; redraws when it changes, and at each scroll. */
function useSize(scroller: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const redraw = useRedraw();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((now) => (now.width === width && now.height === height ? now : { width, height }));
    };
    element.addEventListener('scroll', redraw, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => {
      element.removeEventListener('scroll', redraw);
      sizes.disconnect();
    };
  }, [scroller]);
  return size;
}

interface ShownLines {
  readonly items: readonly AuditItem[];
  readonly offsets: Float64Array;
  /** visible height in px */
  readonly height: number;
}

/**
 * Keeps the scroll position of the visible lines, unless the list is scrolled to the top and does
 * not have the focus.
 * @returns whether lines were added above
 */
function useAnchor(
  shown: ShownLines,
  scroller: RefObject<HTMLElement | null>,
  chosen: number,
): boolean {
  const last = useRef(shown);
  const above = useRef(false);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = shown;
    const element = scroller.current;
    if (element === null || before.offsets === shown.offsets) return;
    const top = element.scrollTop;
    if (top === 0) above.current = false;
    const resized = before.items === shown.items;
    const inside = element.contains(element.ownerDocument.activeElement);
    if (top === 0 && !inside && !resized) return;
    const at = resized && isLineVisible(before, top, chosen) ? chosen : lineAt(before.offsets, top);
    const key = before.items[at]?.key;
    const now = resized ? at : shown.items.findIndex((item) => item.key === key);
    if (now < 0) return;
    const moved = (shown.offsets[now] ?? 0) - (before.offsets[at] ?? 0);
    if (moved === 0) return;
    element.scrollTop = top + moved;
    if (!resized && now > at && before.items[0]?.key !== shown.items[0]?.key) above.current = true;
  });
  return above.current;
}

function isLineVisible({ offsets, height }: ShownLines, top: number, index: number): boolean {
  const [from, to] = [offsets[index], offsets[index + 1]];
  return from !== undefined && to !== undefined && to > top && from < top + height;
}

/** px drawn above and below the visible part */
const OVERSCAN = 600;

/** The top of each line in px from the first, plus one value for the end. */
function offsetsOf(
  items: readonly AuditItem[],
  heights: Readonly<Record<AuditItem['kind'], number>>,
): Float64Array {
  const offsets = new Float64Array(items.length + 1);
  items.forEach(({ kind }, at) => (offsets[at + 1] = (offsets[at] ?? 0) + heights[kind]));
  return offsets;
}

/** Index of the line at `y`, or of the nearest one. */
function lineAt(offsets: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
