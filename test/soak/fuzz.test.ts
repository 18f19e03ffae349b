import { expect, test } from 'vitest';
import { runFuzz } from '../../soak/r8-fuzz';
import { runShare } from './soak-share';

test('[FAULT2] fuzzed handshakes and frames: none gets in, none ends a connection that it should not, and each wrong frame has its answer', async () => {
  const { injected } = await runShare(runFuzz, 0.001);
  expect(injected).toMatchObject({ handshakes: 100, frames: 1_000 });
  for (const kind of ['damaged', 'forbidden name', 'too deep', 'odd session', 'unknown type']) {
    expect(injected[`frames, ${kind}`], kind).toBeGreaterThan(0);
  }
});
