import { expect, test } from 'vitest';
import { runSchedule } from './run-lead';
import { isAction, type ScheduledAction } from './run-schedule';
import { SEEDS } from './run-seeds';

function actsOf(text: string): readonly ScheduledAction[] {
  return [...text.matchAll(/(\w+) (\d+)/g)].map(([, what = '', n]) => {
    if (!isAction(what)) throw new Error(`no act ${what}`);
    return { what, n: Number(n) };
  });
}

test.each(SEEDS)('[RUN20] $name', ({ setup, acts }) => {
  const schedule = actsOf(acts);
  expect(schedule.length).toBeGreaterThan(50);
  expect(runSchedule(schedule, setup).state.kind).toMatch(/^(completed|failed|cancelled)$/);
});
