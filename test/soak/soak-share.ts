import { expect } from 'vitest';
import type { Run, RunReport } from '../../soak/report';

/** Runs a small share of a soak, and asserts that it did something and lost nothing. */
export async function runShare(run: Run, share: number, seed = 20_261_121): Promise<RunReport> {
  const report = await run({ share, seed, progress: () => undefined });
  expect(report.lost).toEqual([]);
  const counts = Object.values(report.injected);
  expect(counts.length).toBeGreaterThan(0);
  for (const count of counts) expect(count).toBeGreaterThan(0);
  return report;
}
