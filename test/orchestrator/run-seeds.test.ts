import { expect, test } from 'vitest';
import { lead } from './run-lead';
import { isAct, type Act } from './run-schedule';
import { SEEDS } from './run-seeds';

function actsOf(text: string): readonly Act[] {
  return [...text.matchAll(/(\w+) (\d+)/g)].map(([, what = '', n]) => {
    if (!isAct(what)) throw new Error(`no act ${what}`);
    return { what, n: Number(n) };
  });
}

test.each(SEEDS)('[RUN20] $name', ({ setup, acts }) => {
  const schedule = actsOf(acts);
  expect(schedule.length).toBeGreaterThan(50);
  expect(lead(schedule, setup).state.kind).toMatch(/^(completed|failed|cancelled)$/);
});
