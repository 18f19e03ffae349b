import type { AuditItem } from './audit-items';

/** px that lines take. */
export interface LineHeights {
  readonly row: number;
  readonly day: number;
  readonly more: number;
}

/** px drawn above and below what can be seen. */
const MARGIN = 600;

/** Where each line begins, px from the first; one more for the end. */
export function offsetsOf(items: readonly AuditItem[], heights: LineHeights): Float64Array {
  const offsets = new Float64Array(items.length + 1);
  items.forEach(({ kind }, at) => (offsets[at + 1] = (offsets[at] ?? 0) + heights[kind]));
  return offsets;
}

/** The line at a height, or the one nearest to it. */
export function lineAt(offsets: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Which lines are drawn for a view of `height` that is scrolled to `top`; `to` is not included. */
export function linesIn(
  offsets: Float64Array,
  top: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const count = offsets.length - 1;
  if (count === 0) return { from: 0, to: 0 };
  return {
    from: lineAt(offsets, top - MARGIN),
    to: Math.min(count, lineAt(offsets, top + height + MARGIN) + 1),
  };
}
