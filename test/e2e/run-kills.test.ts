import { expect, test } from 'vitest';
import { runRuns } from '../../soak/r11-runs';
import { runShare } from '../soak/soak-share';

test('[RUN13] kill -9 of OpenCode and of the program that carries a run out: no step is lost, none is done twice, it ends', async () => {
  const { injected } = await runShare(runRuns, 0.01, 7);
  const kills = Object.entries(injected).filter(([what]) => what.startsWith('kills of '));
  expect(kills.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
  expect(injected).toMatchObject({ runs: expect.any(Number) as number });
}, 600_000);
