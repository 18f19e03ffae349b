import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { AuditItem } from './audit-items';
import { lineAt, linesIn, offsetsOf, type LineHeights } from './row-window';

const WIDE: LineHeights = { row: 34, day: 34, more: 52 };
/** Two lines for each entry. */
const NARROW: LineHeights = { row: 60, day: 32, more: 60 };
/** px of a table that has room for all columns */
const ROOM = 640;

export interface Lines {
  readonly offsets: Float64Array;
  readonly from: number;
  /** not included */
  readonly to: number;
  /** index of the topmost line in sight */
  readonly first: number;
  readonly narrow: boolean;
  /** something was added above what is in sight */
  readonly above: boolean;
  readonly toTop: () => void;
  /** Brings a line into sight. */
  readonly reveal: (index: number) => void;
}

/** Which lines are drawn. What is in sight stays where it is, whatever is added above it. */
export function useLines(
  items: readonly AuditItem[],
  scroller: RefObject<HTMLElement | null>,
): Lines {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const narrow = size.width > 0 && size.width < ROOM;
  const offsets = useMemo(() => offsetsOf(items, narrow ? NARROW : WIDE), [items, narrow]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((now) => (now.width === width && now.height === height ? now : { width, height }));
    };
    const onScroll = () => redraw(undefined);
    element.addEventListener('scroll', onScroll, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => {
      element.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, [scroller]);
  const above = useAnchor(items, offsets, scroller);
  const top = scroller.current?.scrollTop ?? 0;
  const range = linesIn(offsets, top, Math.max(size.height, 400));
  return {
    ...{ offsets, narrow, above: above && top > 0, ...range, first: lineAt(offsets, top) },
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    reveal(index) {
      const element = scroller.current;
      if (element === null) return;
      const [from = 0, to = 0] = [offsets[index], offsets[index + 1]];
      if (from < element.scrollTop) element.scrollTop = from;
      else if (to > element.scrollTop + element.clientHeight)
        element.scrollTop = to - element.clientHeight;
    },
  };
}

/** Keeps the topmost line in sight where it is, unless the list stands at its very top and is only looked at. */
function useAnchor(
  items: readonly AuditItem[],
  offsets: Float64Array,
  scroller: RefObject<HTMLElement | null>,
): boolean {
  const last = useRef({ items, offsets });
  const above = useRef(false);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { items, offsets };
    const element = scroller.current;
    if (element === null || before.offsets === offsets) return;
    const top = element.scrollTop;
    if (top === 0) above.current = false;
    const inside = element.contains(element.ownerDocument.activeElement);
    if (top === 0 && !inside) return;
    const at = lineAt(before.offsets, top);
    const key = before.items[at]?.key;
    const now = items.findIndex((item) => item.key === key);
    if (now < 0) return;
    const moved = (offsets[now] ?? 0) - (before.offsets[at] ?? 0);
    if (moved === 0) return;
    element.scrollTop = top + moved;
    if (now > at && before.items[0]?.key !== items[0]?.key) above.current = true;
  });
  return above.current;
}
