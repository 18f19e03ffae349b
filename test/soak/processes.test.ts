import { expect, test } from 'vitest';
import { runAppends } from '../../soak/r14-appends';
import { runRenames } from '../../soak/r16-renames';
import { runKills } from '../../soak/r3-kills';
import { runRace } from '../../soak/r6-race';
import { runShare } from './soak-share';

test('[STORE34] kill -9 of bridge, command line and plugin leaves every note whole, with all that was acknowledged', async () => {
  const { injected } = await runShare(runKills, 0.001);
  expect(injected).toMatchObject({ 'bridge kills': 1, 'cli kills': 1, 'plugin kills': 1 });
});

test('[STORE35] eight processes of bridge, command line and plugin write one board: nothing is lost, no lock stays', async () => {
  const { injected } = await runShare(runRace, 0.0015);
  expect(injected).toMatchObject({ processes: 8, 'acknowledged edits': 24 });
});

test('[STORE46] programs that know no lock append lines while four writers replace the note: none is missing', async () => {
  const { injected } = await runShare(runAppends, 0.004);
  expect(injected).toMatchObject({ 'lines appended': 42 });
});

test('[PATH13] renaming under four writers, with kill -9 of who renames, loses nothing and leaves one note', async () => {
  const { injected } = await runShare(runRenames, 0.005);
  expect(injected).toMatchObject({ kills: 2 });
});
