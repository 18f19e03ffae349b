import { expect, test } from 'vitest';
import { runWriters } from '../../soak/r1-writers';
import { runShare } from './soak-share';

test('[STORE36] an agent, the command line, a person in the text and a sync tool on one board: nothing acknowledged is missing, nothing is there twice', async () => {
  const { injected } = await runShare(runWriters, 0.0006);
  for (const step of ['agent', 'command line', 'person', 'person saves', 'sync replaces']) {
    expect(injected[step], step).toBeGreaterThan(0);
  }
  expect(injected['acknowledged edits']).toBeGreaterThan(100);
});
