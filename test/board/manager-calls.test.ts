import { describe, expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

const plan = [
  { type: 'init', title: 'Search' },
  { type: 'add', title: 'Choose' },
  { type: 'add', title: 'Build', dependsOn: [1] },
  { type: 'add', title: 'Split', parent: 'Build' },
  { type: 'add', title: 'Ship', dependsOn: ['#2', 'Choose'], phase: 'Release' },
];

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  expect((await fixture.call('build', ...plan)).ok).toBe(true);
  return fixture;
}

describe('a call of tasks', () => {
  test.each([
    [undefined, 'is missing or no array'],
    [null, 'is missing or no array'],
    ['list', 'is missing or no array'],
    [{}, 'is missing or no array'],
    [{ operations: { type: 'list' } }, 'is missing or no array'],
    [{ operations: '[{"type":"list"}]' }, 'is missing or no array'],
    [{ operations: [] }, 'is empty'],
    [{ operations: Array.from({ length: 51 }, () => ({ type: 'list' })) }, 'more than 50'],
  ])('[TASKS1] is refused for %j, does nothing and says what to send', async (args, why) => {
    const { manager, store } = new ManagerFixture();
    const answer = await manager.call({ sessionId: 's', agent: 'build' }, args);
    expect(answer).toMatchObject({ ok: false, refused: { code: 'bad_arguments' } });
    expect(answer.refused?.message).toContain(why);
    expect(answer.refused?.message).toContain('{"operations": [{"type": "list"}]}');
    expect(answer.output).toBe(answer.refused?.message);
    expect(store.writes).toEqual([]);
  });

  test('[TASKS1] takes fifty operations', async () => {
    const fixture = new ManagerFixture();
    const fifty = Array.from({ length: 50 }, (_, n) => ({ type: 'add', title: `Task ${n + 1}` }));
    const answer = await fixture.call('build', ...fifty);
    expect(answer.result.summary).toEqual({ total: 50, succeeded: 50, failed: 0 });
    expect(answer.result.board?.tasks).toHaveLength(50);
  });

  test('[TASKS2] what does not fit fails alone, each with what to send; the rest is done', async () => {
    const fixture = new ManagerFixture();
    const answer = await fixture.call(
      'build',
      { type: 'frobnicate', title: 'x' },
      { title: 'no type' },
      null,
      'add',
      [{ type: 'add' }],
      { type: 7 },
      { type: 'add' },
      { type: 'add', title: null },
      { type: 'add', title: 42 },
      { type: 'add', title: '  ' },
      { type: 'add', title: 'two\nlines' },
      { type: 'add', title: 'half \ud83d' },
      { type: 'add', title: 'x'.repeat(501) },
      { type: 'add', title: 'x', dependsOn: '1' },
      { type: 'add', title: 'x', parent: { id: 1 } },
      { type: 'add', title: 'x', agent: 5 },
      { type: 'add', title: 'x', status: 'blocked' },
      { type: 'update', id: 1 },
      { type: 'update', status: 'done' },
      { type: 'complete' },
      { type: 'remove', id: 1.5 },
      { type: 'init' },
      { type: 'add', title: 'The only one' },
    );
    expect(codes(answer)).toEqual([
      'unknown_type',
      'missing_field',
      'not_an_object',
      'not_an_object',
      'not_an_object',
      'unknown_type',
      'missing_field',
      'missing_field',
      'bad_field',
      'bad_title',
      'bad_title',
      'bad_title',
      'bad_title',
      'bad_field',
      'bad_field',
      'bad_field',
      'bad_field',
      'missing_field',
      'missing_field',
      'missing_field',
      'bad_field',
      'missing_field',
      'ok',
    ]);
    expect(answer.ok).toBe(false);
    expect(answer.refused).toBeUndefined();
    expect(await fixture.tasks('build')).toEqual(['The only one: pending']);
    expect((await fixture.board('build'))[0]?.n).toBe(1);
    const [unknown, noType] = messages(answer);
    expect(unknown).toMatch(/^Unknown operation type: frobnicate\. Use init, add, .*remove/);
    expect(noType).toContain('Missing required field(s): type.');
    expect(messages(answer)[6]).toBe(
      'Missing required field(s): title. Send {"type": "add", "title": "…"}.',
    );
    expect(messages(answer)[17]).toContain(
      'Missing required field(s): status, title or dependsOn, or another field.',
    );
  });

  test('[TASKS3] null, and "" for an optional text, mean that there is none; unknown fields are left out', async () => {
    const fixture = new ManagerFixture();
    const answer = await fixture.call('build', {
      type: 'add',
      title: 'A',
      parent: null,
      dependsOn: null,
      phase: '',
      agent: '',
      status: null,
      colour: 'red',
      ['__proto__']: { polluted: true },
    });
    expect(codes(answer)).toEqual(['ok']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(fixture.paths()).toEqual(['ses_1/build-tasks.md']);
  });

  test('[TASKS4] operations see the ones before them, by number, id and title', async () => {
    const fixture = await planned();
    expect(fixture.text('build')).toBe(
      [
        '---',
        'board: 1',
        'session: ses_1',
        'agent: build',
        'title: Search',
        'prefix: a4rg',
        'next: 5',
        'rev: 1',
        '---',
        '',
        '# Search',
        '',
        '- [ ] Choose 🆔 a4rg-1 ^a4rg-1',
        '- [ ] Build 🆔 a4rg-2 ⛔ a4rg-1 ^a4rg-2',
        '\t- [ ] Split 🆔 a4rg-3 ^a4rg-3',
        '',
        '## Release',
        '',
        '- [ ] Ship 🆔 a4rg-4 ⛔ a4rg-2,a4rg-1 ^a4rg-4',
        '',
      ].join('\n'),
    );
  });

  test('[TASKS5] however many operations, a board is written once, and rev rises by one', async () => {
    const fixture = await planned();
    fixture.store.writes.length = 0;
    const answer = await fixture.call(
      'build',
      { type: 'complete', id: 1 },
      { type: 'update', id: 2, status: 'in_progress' },
      { type: 'add', title: 'More' },
    );
    expect(fixture.store.writes.filter((path) => path.startsWith('.opencode/todos/'))).toEqual([
      '.opencode/todos/ses_1/build-tasks.md',
    ]);
    expect(answer.result.board?.rev).toBe(2);
  });

  test('[TASKS5] operations that change nothing write nothing', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    const answer = await fixture.call(
      'build',
      { type: 'list' },
      { type: 'update', id: 1, status: 'pending' },
      { type: 'complete', id: 99 },
    );
    expect(codes(answer)).toEqual(['ok', 'ok', 'unknown_task']);
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS6] an operation that fails half-way leaves no trace, not even an id', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [ ] Typed\n`);
    const before = fixture.text('build');
    const answer = await fixture.call(
      'build',
      { type: 'update', id: 'Typed', dependsOn: ['Typed'] },
      { type: 'add', title: 'Sub', parent: 'Typed', dependsOn: ['nothing like it'] },
      { type: 'update', id: 'Typed', status: 'completed', title: 'a\nb' },
    );
    expect(codes(answer)).toEqual(['cycle', 'unknown_task', 'bad_title']);
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS7] a line without an id gets one with the first operation that names it', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [ ] Typed\n- [ ] Other\n`);
    await fixture.call('build', { type: 'update', id: 4, dependsOn: ['typed'] });
    expect((await fixture.board('build')).map(({ title, id }) => [title, id])).toEqual([
      ['Choose', 'a4rg-1'],
      ['Build', 'a4rg-2'],
      ['Split', 'a4rg-3'],
      ['Ship', 'a4rg-4'],
      ['Typed', 'a4rg-5'],
      ['Other', null],
    ]);
  });
});
