import { expect, test } from 'vitest';
import { codes, ManagerFixture } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  const titles = ['A', 'B', 'C'].map((title) => ({ type: 'add', title }));
  await fixture.call('build', ...titles);
  return fixture;
}

const waits = async (fixture: ManagerFixture, n: number): Promise<readonly string[] | undefined> =>
  (await fixture.board('build')).find((task) => task.n === n)?.dependsOn;

test('[TASKS56] depend adds to what a task waits for, once each; undepend takes away', async () => {
  const fixture = await planned();
  const answer = await fixture.call(
    'build',
    { type: 'depend', id: 3, dependsOn: [1] },
    { type: 'depend', id: 3, dependsOn: ['B', 1] },
  );
  expect(answer.output).toContain('- depend: #3 C: waits for #1, #2.');
  expect(await waits(fixture, 3)).toEqual(['a4rg-1', 'a4rg-2']);
  const less = await fixture.call('build', { type: 'undepend', id: 3, dependsOn: ['A'] });
  expect(less.output).toContain('- undepend: #3 C: waits for #2.');
  expect(await waits(fixture, 3)).toEqual(['a4rg-2']);
});

test('[TASKS56] undepend of what is not waited for changes nothing; one that is gone is named as it is written', async () => {
  const fixture = await planned();
  await fixture.call('build', { type: 'depend', id: 3, dependsOn: [1, 2] });
  await fixture.call('build', { type: 'remove', id: 1 });
  const before = fixture.text('build');
  await fixture.call('build', { type: 'undepend', id: 2, dependsOn: [3] });
  expect(fixture.text('build')).toBe(before);
  await fixture.call('build', { type: 'undepend', id: 3, dependsOn: ['a4rg-1'] });
  expect(await waits(fixture, 3)).toEqual(['a4rg-2']);
});

test('[TASKS56, TASKS10] depend refuses a cycle, an empty list and what is not there', async () => {
  const fixture = await planned();
  await fixture.call('build', { type: 'depend', id: 3, dependsOn: [1] });
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'depend', id: 1, dependsOn: [3] },
    { type: 'depend', id: 1, dependsOn: [] },
    { type: 'depend', id: 1 },
    { type: 'undepend', id: 1, dependsOn: [8] },
  );
  expect(codes(answer)).toEqual(['cycle', 'bad_field', 'missing_field', 'unknown_task']);
  expect(fixture.text('build')).toBe(before);
});
