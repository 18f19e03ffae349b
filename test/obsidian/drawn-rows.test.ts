import { describe, expect, test } from 'vitest';
import { drawnRows } from '../../src/obsidian/ui/drawn-rows';

const ROWS = Array.from({ length: 5_000 }, () => 26);

function height(runs: readonly { gap: number; from: number; to: number }[], rest: number): number {
  return runs.reduce((sum, run) => sum + run.gap + (run.to - run.from) * 26, rest);
}

describe('drawnRows', () => {
  test('[SIDE23] draws what is near the view; the rest keeps its height', () => {
    const { runs, rest } = drawnRows(ROWS, { top: 52_000, bottom: 52_800 }, -1);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.from).toBe(1_965);
    expect(runs[0]?.to).toBe(2_066);
    expect(height(runs, rest)).toBe(130_000);
  });

  test('[SIDE23] the row with the keyboard is drawn wherever it is', () => {
    const { runs, rest } = drawnRows(ROWS, { top: 52_000, bottom: 52_800 }, 10);
    expect(runs.map((run) => [run.from, run.to])).toEqual([
      [10, 11],
      [1_965, 2_066],
    ]);
    expect(height(runs, rest)).toBe(130_000);
    const below = drawnRows(ROWS, { top: 0, bottom: 800 }, 4_999);
    expect(below.runs.at(-1)).toMatchObject({ from: 4_999, to: 5_000 });
    expect(below.rest).toBe(0);
  });

  test('[SIDE23] nothing to draw is no run', () => {
    expect(drawnRows([], { top: 0, bottom: 800 }, -1)).toEqual({ runs: [], rest: 0 });
  });
});
