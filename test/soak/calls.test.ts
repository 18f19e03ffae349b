import { expect, test } from 'vitest';
import { runCalls } from '../../soak/r5-calls';
import { runShare } from './soak-share';

test('[FAULT8] tool calls over a link that breaks, some interrupted: what was done stands on the board once, and what was not does not', async () => {
  const { injected } = await runShare(runCalls, 0.001);
  expect(injected.calls).toBe(100);
  for (const what of ['calls answered', 'calls run by the plugin', 'interrupts', 'effects']) {
    expect(injected[what], what).toBeGreaterThan(0);
  }
  expect((injected['cuts by end'] ?? 0) + (injected['cuts by reset'] ?? 0)).toBeGreaterThan(0);
});
