import { expect, test } from 'vitest';
import { runAudit } from '../../soak/r9-audit';
import { runShare } from './soak-share';

test('[AUD60] kill -9 of all that writes the audit: every call that was answered has one intent and one outcome, and no effect is without an intent', async () => {
  const { injected } = await runShare(runAudit, 0.003, 4);
  expect(injected).toMatchObject({ 'bridge kills': 3, 'cli kills': 3, 'desk kills': 3 });
  for (const what of ['desk calls answered', 'effects on notes', 'repaired lines', 'torn lines']) {
    expect(injected[what], what).toBeGreaterThan(0);
  }
});
