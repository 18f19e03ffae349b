import { expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

const whole = {
  type: 'add',
  title: 'Build',
  priority: 'High',
  owner: 'explore',
  scope: 'broad',
  risk: 'high',
  impact: 'phase',
  level: 'review',
  estimate: '2h',
  due: '2026-12-24',
  reason: 'asked for',
  body: 'Keep it small.\nSuccess: under 40 MB',
};

test('[TASKS53] add sets every field, in one line and the lines below it', async () => {
  const fixture = new ManagerFixture();
  expect((await fixture.call('build', whole)).ok).toBe(true);
  expect(fixture.text('build')).toContain(
    '- [ ] Build [owner:: explore] [scope:: broad] [risk:: high] [impact:: phase] [level:: review] [reason:: asked for] [estimate:: 2h] 🆔 a4rg-1 ⏫ 📅 2026-12-24 ^a4rg-1\n\tKeep it small.\n\tSuccess: under 40 MB',
  );
});

test('[TASKS53] update sets what it names and keeps the rest; null and "" take a field away', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', whole);
  const answer = await fixture.call('build', {
    type: 'update',
    id: 1,
    owner: null,
    risk: '',
    priority: null,
    scope: 'system',
    due: '',
    body: '',
    phase: null,
  });
  expect(answer.output).toContain(
    '- update: #1 Build: priority normal, owner none, scope system, risk none, due none, without a body.',
  );
  const [task] = await fixture.board('build');
  expect(task).toMatchObject({ owner: null, risk: null, priority: 'normal', scope: 'system' });
  expect(task).toMatchObject({ due: null, impact: 'phase', reason: 'asked for', body: [] });
});

test('[TASKS53] a value that does not fit is refused with the values there are, and nothing is set', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'add', title: 'A' });
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'update', id: 1, owner: 'me', risk: 'huge' },
    { type: 'update', id: 1, owner: 'me', body: '- [ ] no text' },
    { type: 'update', id: 1, estimate: 'long' },
    { type: 'add', title: 'B', due: '2026-13-01' },
    { type: 'add', title: 'B', body: '```' },
  );
  expect(codes(answer)).toEqual(['bad_field', 'bad_body', 'bad_field', 'bad_field', 'bad_body']);
  expect(messages(answer)[0]).toBe(
    'risk must be trivial, low, medium, high, critical. It was huge.',
  );
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS32, TASKS53] a field that the person set since stays', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'add', title: 'A' });
  fixture.editNote('build', (text) => text.replace('A 🆔', 'A [owner:: me] 🆔'));
  const answer = await fixture.call('build', { type: 'update', id: 1, owner: 'build' });
  expect(codes(answer)).toEqual(['conflict']);
  expect((await fixture.board('build'))[0]?.owner).toBe('me');
});
