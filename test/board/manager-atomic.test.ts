import { expect, test } from 'vitest';
import { TASKS_DESCRIPTION, tasksArgs } from '../../src/core/board/tasks-schema';
import * as z from 'zod/mini';
import { codes, ManagerFixture, messages } from './manager-fixture';

const context = { sessionId: 'ses_1', agent: 'build' };
const A = { type: 'add', title: 'A' };
const B = { type: 'add', title: 'B' };

test('[TASKS61] an atomic call is done whole or not at all', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'init', title: 'Plan' });
  const before = fixture.text('build');
  const call = (...operations: unknown[]) =>
    fixture.manager.call(context, { operations, atomic: true });
  expect(codes(await call(A, { type: 'complete', id: 9 }, B))).toEqual([
    'not_applied',
    'unknown_task',
    'not_applied',
  ]);
  expect(codes(await call(A, { type: 'fly' }))).toEqual(['not_applied', 'unknown_type']);
  expect(codes(await call(A, { ...B, agent: 'plan' }))).toEqual(['not_applied', 'not_applied']);
  expect(codes(await fixture.call('build', { ...A, atomic: true }, null))).toEqual([
    'not_applied',
    'not_an_object',
  ]);
  expect(fixture.text('build')).toBe(before);
  expect(fixture.paths()).toEqual(['ses_1/build-tasks.md']);
  expect((await call(A, B)).ok).toBe(true);
  expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
});

test('[TASKS62] a rev that is not the board’s fails what would write, and reads go on', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', A);
  const before = fixture.text('build');
  const operations = [B, { type: 'list' }];
  const stale = await fixture.manager.call(context, { operations, rev: 7 });
  expect(codes(stale)).toEqual(['conflict', 'ok']);
  expect(stale.result.board?.rev).toBe(1);
  expect(stale.result.results[0]?.error?.conflict).toEqual({
    ...{ id: null, field: 'rev', yours: '7', theirs: '1', rev: 1 },
  });
  expect(codes(await fixture.call('build', { ...B, rev: 0 }))).toEqual(['conflict']);
  expect(fixture.text('build')).toBe(before);
  expect((await fixture.manager.call(context, { operations, rev: 1 })).ok).toBe(true);
});

test('[TASKS62] a board whose rev is a person’s text is never at the rev that a call names, and keeps that text', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', A);
  fixture.editNote('build', (text) => text.replace('rev: 1', 'rev: [one] # mine'));
  const before = fixture.text('build');
  const refused = await fixture.manager.call(context, { operations: [B], rev: 0 });
  expect(codes(refused)).toEqual(['conflict']);
  expect(messages(refused)).toEqual([
    "The header of this board has no number as its rev, so a rev can't be compared. Send the call without rev, after a look at the board below.",
  ]);
  expect(fixture.text('build')).toBe(before);
  expect(codes(await fixture.call('build', B))).toEqual(['ok']);
  expect(fixture.text('build')).toContain('\nrev: [one] # mine\n');
  expect(fixture.text('build')).toContain('- [ ] B');
});

test('[TASKS63] the tool costs a model little, and says what it must', () => {
  const { $schema: _, ...parameters } = z.toJSONSchema(tasksArgs(), { io: 'input' });
  const cost = JSON.stringify({ name: 'tasks', description: TASKS_DESCRIPTION, parameters }).length;
  expect(cost).toBeGreaterThan(2_000);
  expect(cost).toBeLessThan(2_850);
  for (const word of ['init', 'add', 'update', 'complete', 'remove', "current session's status"]) {
    expect(TASKS_DESCRIPTION).toContain(word);
  }
});
