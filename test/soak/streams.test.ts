import { expect, test } from 'vitest';
import { runStreams } from '../../soak/r10-streams';
import { runBadStreams } from '../../soak/r13-bad-streams';
import { runShare } from './soak-share';

test('[FAULT9] fifty sessions speak at once over a link that breaks again and again: every word arrives once, and none in another session', async () => {
  const { injected } = await runShare(runStreams, 0.001);
  expect(injected['words and changes']).toBeGreaterThan(2_000);
  expect(injected.connections).toBeGreaterThan(2);
});

test('[MODEL8] [ENGINE19] fifty sessions meet bad streams of a model: nothing is lost or doubled, nobody waits for ever, and all go on', async () => {
  const { injected } = await runShare(runBadStreams, 0.01);
  const streams = Object.entries(injected).filter(([kind]) => kind !== 'calls carried out');
  expect(streams.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(200);
});
