import { expect, test } from 'vitest';
import { ManagerFixture } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', dependsOn: [1] },
    { type: 'add', title: 'Split', parent: 2 },
    { type: 'add', title: 'Ship' },
  );
  return fixture;
}

test('[TASKS64] every field that collides is told, and nothing of the operation is done', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) =>
    text.replace('[ ] Choose 🆔', '[>] Choose well 🆔').replace('# Search', '# Find'),
  );
  fixture.editNote('build', (text) => text.replace('title: Search', 'title: Find'));
  const answer = await fixture.call(
    'build',
    { type: 'update', id: 1, status: 'completed', title: 'Choose now', risk: 'low' },
    { type: 'init', title: 'Look up' },
  );
  const [both, title] = answer.result.results.map(({ error }) => error);
  expect(both?.conflicts).toEqual([
    { id: 'a4rg-1', field: 'title', yours: 'Choose now', theirs: 'Choose well', rev: 1 },
    { id: 'a4rg-1', field: 'status', yours: 'completed', theirs: 'deferred', rev: 1 },
  ]);
  expect(both?.conflict).toEqual(both?.conflicts?.[0]);
  expect(both?.message).toContain(
    'set title of #1 to "Choose well" and set status of #1 to "deferred"',
  );
  expect(title?.conflict).toEqual({
    ...{ id: null, field: 'title', yours: 'Look up', theirs: 'Find', rev: 1 },
  });
  expect(await fixture.board('build')).toMatchObject([
    { title: 'Choose well', status: 'deferred', risk: null },
    {},
    {},
    {},
  ]);
});
