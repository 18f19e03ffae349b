/** Above so many rows only those near the view are drawn. */
export const DRAW_ALL = 1_500;

/** px drawn above and below what can be seen. */
const MARGIN = 900;

/** A run of rows that are drawn, after a gap of so many px that are not. */
export interface DrawnRun {
  readonly gap: number;
  readonly from: number;
  /** not included */
  readonly to: number;
}

/**
 * Which rows are drawn for a view that shows `top` to `bottom` (px from the first row). The rows at
 * `kept` are drawn wherever they are, since they may have the focus.
 */
export function drawnRows(
  heights: readonly number[],
  view: { readonly top: number; readonly bottom: number },
  kept: number | ReadonlySet<number>,
): { readonly runs: readonly DrawnRun[]; readonly rest: number } {
  const runs: DrawnRun[] = [];
  const isKept = (index: number) => (typeof kept === 'number' ? index === kept : kept.has(index));
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
