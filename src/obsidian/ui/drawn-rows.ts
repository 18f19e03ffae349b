import { useLayoutEffect, useReducer } from 'preact/hooks';

/** With more rows than this, only those near the view are drawn. */
export const VIRTUALIZE_ABOVE = 1_500;

/** px drawn above and below the visible part. */
const MARGIN = 900;

/** px that a view scrolls before the drawn rows are recomputed; less than `MARGIN`. */
export const SCROLL_STEP = 750;

/** Assumed height in px of a view that is not drawn yet. */
export const ASSUMED_HEIGHT = 1_000;

/** A number that changes when the view scrolled or grew so that other rows may be near it. */
export function useScrollStep(find: () => HTMLElement | null | undefined, on = true): number {
  const [moved, tell] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const element = find();
    if (!on || !element) return undefined;
    let [at, height] = [0, ASSUMED_HEIGHT];
    const update = () => {
      const now = Math.round(element.scrollTop / SCROLL_STEP);
      const { clientHeight } = element;
      if (now !== at || clientHeight > height) tell(undefined);
      [at, height] = [now, Math.max(height, clientHeight)];
    };
    element.addEventListener('scroll', update, { passive: true });
    const sized = new ResizeObserver(update);
    sized.observe(element);
    return () => {
      element.removeEventListener('scroll', update);
      sized.disconnect();
    };
  }, [on]);
  return moved;
}

/** A run of drawn rows, after a gap of `gap` px that is not drawn. */
export interface DrawnRun {
  readonly gap: number;
  readonly from: number;
  /** exclusive */
  readonly to: number;
}

/**
 * Computes which rows to draw for a view that shows `top` to `bottom` (px from the first row). Rows
 * at `alwaysDrawn` are always drawn, since they may have the focus.
 */
export function drawnRows(
  heights: readonly number[],
  view: { readonly top: number; readonly bottom: number },
  alwaysDrawn: number | ReadonlySet<number>,
): { readonly runs: readonly DrawnRun[]; readonly rest: number } {
  const runs: DrawnRun[] = [];
  const isKept = (index: number) =>
    typeof alwaysDrawn === 'number' ? index === alwaysDrawn : alwaysDrawn.has(index);
  let gap = 0;
  let y = 0;
  heights.forEach((height, index) => {
    const near = y + height >= view.top - MARGIN && y <= view.bottom + MARGIN;
    y += height;
    if (!near && !isKept(index)) {
      gap += height;
      return;
    }
    const last = runs.at(-1);
    if (gap === 0 && last !== undefined) runs[runs.length - 1] = { ...last, to: index + 1 };
    else runs.push({ gap, from: index, to: index + 1 });
    gap = 0;
  });
  return { runs, rest: gap };
}
