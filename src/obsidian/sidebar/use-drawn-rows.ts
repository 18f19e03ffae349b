import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { DRAW_ALL, drawnRows, type DrawnRun } from './drawn-rows';
import type { SidebarRow } from './rows';

/** px of a row that was never measured. */
function guess(row: SidebarRow): number {
  if (row.kind === 'session') return 64;
  if (row.kind === 'outline' && row.row.kind === 'task' && row.row.reason !== null) return 44;
  return 28;
}

/** The rows to draw now: all, or in a long list those near the view. Follows the scrolling. */
export function useDrawnRows(
  rows: readonly SidebarRow[],
  tree: RefObject<HTMLElement | null>,
  kept: number,
): { readonly runs: readonly DrawnRun[]; readonly rest: number } {
  const measured = useRef(new Map<string, number>());
  const [scrolled, redraw] = useReducer((count: number) => count + 1, 0);
  const long = rows.length > DRAW_ALL;
  useLayoutEffect(() => {
    const scroller = tree.current?.closest<HTMLElement>('.atb-scroll');
    if (!long || scroller === null || scroller === undefined) return undefined;
    const onScroll = () => redraw(undefined);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    onScroll();
    return () => scroller.removeEventListener('scroll', onScroll);
  }, [long, tree]);
  useLayoutEffect(() => {
    if (long) measure(tree.current, measured.current);
  });
  return useMemo(() => {
    if (!long) return { runs: [{ gap: 0, from: 0, to: rows.length }], rest: 0 };
    const heights = rows.map((row) => measured.current.get(row.id) ?? guess(row));
    return drawnRows(heights, viewOf(tree.current), kept);
    // `scrolled` stands for where the view is
  }, [rows, long, kept, tree, scrolled]);
}

function viewOf(tree: HTMLElement | null): { top: number; bottom: number } {
  const scroller = tree?.closest<HTMLElement>('.atb-scroll');
  if (tree === null || scroller === null || scroller === undefined)
    return { top: 0, bottom: 1_000 };
  const top = scroller.getBoundingClientRect().top - tree.getBoundingClientRect().top;
  return { top, bottom: top + scroller.clientHeight };
}

function measure(tree: HTMLElement | null, heights: Map<string, number>): void {
  for (const element of tree?.querySelectorAll<HTMLElement>('[data-at]') ?? []) {
    const id = element.dataset['at'];
    if (id !== undefined && element.offsetHeight > 0) heights.set(id, element.offsetHeight);
  }
}
