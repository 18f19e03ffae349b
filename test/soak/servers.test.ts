import { expect, test } from 'vitest';
import { runServers } from '../../soak/r12-servers';
import { runShare } from './soak-share';

test('[MCP15] ten servers, one of them killed again and again, OpenCode with the bridge and an editor on one vault lose nothing', async () => {
  const { injected } = await runShare(runServers, 0.005);
  expect(injected['calls answered']).toBeGreaterThan(100);
  for (const what of ['kills', 'lines typed', 'edits of the bridge', 'calls of OpenCode']) {
    expect(injected[what], what).toBeGreaterThan(0);
  }
});
