import { expect, test } from 'vitest';
import { runStreams } from '../../soak/r10-streams';
import { runShare } from './soak-share';

test('[FAULT9] fifty sessions speak at once over a link that breaks again and again: every word arrives once, and none in another session', async () => {
  const { injected } = await runShare(runStreams, 0.001);
  expect(injected['words and changes']).toBeGreaterThan(10_000);
  expect(injected.connections).toBeGreaterThan(2);
});
