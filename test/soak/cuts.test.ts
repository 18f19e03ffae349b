import { expect, test } from 'vitest';
import { runCuts } from '../../soak/r4-cuts';
import { runShare } from './soak-share';

test('[FAULT7] over a link that is cut at any byte nothing is lost, doubled or out of order, either way', async () => {
  const { injected } = await runShare(runCuts, 0.001);
  expect(injected['messages heard']).toBeGreaterThan(800);
  for (const what of ['cuts by end', 'cuts by reset', 'frames sent twice', 'prompts']) {
    expect(injected[what], what).toBeGreaterThan(0);
  }
});
