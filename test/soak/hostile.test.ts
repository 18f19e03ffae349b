import { expect, test } from 'vitest';
import { findOutsideChange } from '../../soak/outside-change';
import { runHostile } from '../../soak/r7-hostile';
import { runShare } from './soak-share';

test('[STORE37] hostile documents and arguments: no exception, a reason for each refusal, and no byte changed outside the edit', async () => {
  const { injected } = await runShare(runHostile, 0.006);
  for (const kind of ['header', 'heading', 'task', 'rest', 'bytes']) {
    expect(injected[`in ${kind}`], kind).toBeGreaterThan(0);
  }
  expect(injected['status done']).toBeGreaterThan(0);
  expect(injected['status refused']).toBeGreaterThan(0);
  expect(injected['arguments done']).toBeGreaterThan(0);
});

test('[STORE37] what is compared would show a change of any other byte', () => {
  const before = '---\nrev: 1\n---\n- [ ] Target of the edit\n- [ ] other \n';
  const status = before.replace('[ ]', '[x]').replace('rev: 1', 'rev: 2');
  expect(findOutsideChange(before, status, 'status')).toBeUndefined();
  expect(findOutsideChange(before, status.replace('other ', 'other'), 'status')).toContain('other');
  expect(findOutsideChange(before, `${before}- [ ] new\n`, 'add')).toBeUndefined();
  expect(findOutsideChange(before, `${before.replace(' \n', '\n')}- [ ] new\n`, 'add')).toBe(
    'changed line 4',
  );
  expect(findOutsideChange(before, `${before}- [ ] new\n- [ ] more\n`, 'add')).toContain('more');
});
