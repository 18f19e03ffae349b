import { expect, test } from 'vitest';
import { runKills } from '../../soak/r3-kills';
import { runRace } from '../../soak/r6-race';
import { runShare } from './soak-share';

test('[STORE34] kill -9 of bridge, command line and plugin leaves every note whole, with all that was acknowledged', async () => {
  const { injected } = await runShare(runKills, 0.004);
  expect(injected).toMatchObject({ 'bridge kills': 4, 'cli kills': 4, 'plugin kills': 4 });
});

test('[STORE35] eight processes of bridge, command line and plugin write one board: nothing is lost, no lock stays', async () => {
  const { injected } = await runShare(runRace, 0.005);
  expect(injected).toMatchObject({ processes: 8, 'acknowledged edits': 80 });
});
