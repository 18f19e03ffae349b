import { expect, test } from 'vitest';
import { runEngines } from '../../soak/r13-engines';
import { runShare } from './soak-share';

test('[FAULT13] sessions on a model, on OpenCode over HTTP and on agents over ACP, each killed and cut off while it works: nothing is lost or doubled, nobody waits for ever', async () => {
  const { injected } = await runShare(runEngines, 0.02);
  expect(injected.sessions).toBe(6);
  for (const what of ['serve is killed', 'OpenCode is killed', 'an agent is killed']) {
    expect(injected[what], what).toBeGreaterThan(0);
  }
}, 600_000);
