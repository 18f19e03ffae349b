import { expect, test } from 'vitest';
import { FAULT_KINDS } from '../../soak/fault';
import { runFaults } from '../../soak/r2-faults';
import { runShare } from './soak-share';

test('[STORE29] no fault at any call of the adapter tears a note or loses what was acknowledged', async () => {
  const { injected } = await runShare(runFaults, 0.004);
  for (const kind of FAULT_KINDS) expect(injected[kind], kind).toBeGreaterThan(0);
  expect(injected['death in recovery']).toBeGreaterThan(0);
});
