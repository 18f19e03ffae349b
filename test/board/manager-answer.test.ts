import { describe, expect, test } from 'vitest';
import { ManagerFixture } from './manager-fixture';

const bytes = (text: string): number => new TextEncoder().encode(text).length;

async function large(line: (n: number) => string, count: number): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'init', title: 'Large' });
  const lines = Array.from({ length: count }, (_, n) => `${line(n)}\n`);
  fixture.editNote('build', (text) => text + lines.join(''));
  return fixture;
}

describe('an answer', () => {
  test('[TASKS36] says what each operation did, the board, what is ready, the rev, other boards', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('plan', { type: 'init', title: 'Other', agent: 'plan' });
    const answer = await fixture.call(
      'build',
      { type: 'init', title: 'Search', agent: 'build' },
      { type: 'add', title: 'Choose', phase: 'Groundwork' },
      { type: 'add', title: 'Build', dependsOn: [1] },
      { type: 'add', title: 'Split', parent: 2 },
      { type: 'update', id: 1, status: 'in_progress' },
      { type: 'complete', id: 'nope' },
    );
    expect(answer.title).toBe('Task List: Search');
    expect(answer.output).toBe(
      [
        '5 done, 1 failed.',
        '- init: the board "Search" is made.',
        '- add: #1 Choose',
        '- add: #2 Build, waits for #1',
        '- add: #3 Split, under #2',
        '- update: #1 Choose: is in_progress.',
        '- complete FAILED (unknown_task): No task "nope". Tasks here: #1 Choose, #2 Build, #3 Split.',
        '',
        '# Search (board of build, 0 of 3 done, rev 1)',
        '## Groundwork',
        '[/] #1 Choose (in_progress)',
        '[ ] #2 Build (waits for #1)',
        '  [ ] #3 Split',
        '',
        'Ready to start: nothing.',
        '',
        'Other boards of this session, each named by its agent:',
        '- plan: "Other", 0 of 0 done',
      ].join('\n'),
    );
  });

  test('[TASKS37] for programs has results, counts, errors only if there were any, and the board', async () => {
    const fixture = new ManagerFixture();
    const fine = { type: 'add', title: 'A' };
    const wrong = { type: 'add' };
    const { ok, result } = await fixture.call('build', fine, wrong);
    expect(ok).toBe(false);
    expect(result).toMatchObject({
      ok: false,
      results: [
        {
          success: true,
          operation: fine,
          result: { id: 'a4rg-1', n: 1, title: 'A', status: 'pending' },
        },
        { success: false, operation: wrong, error: { code: 'missing_field' } },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
      errors: [{ operation: wrong, error: expect.stringContaining('title') as string }],
      board: {
        path: '.opencode/todos/ses_1/build-tasks.md',
        agent: 'build',
        title: 'The session',
        rev: 1,
        tasks: [
          {
            id: 'a4rg-1',
            n: 1,
            title: 'A',
            status: 'pending',
            parent: null,
            dependsOn: [],
            blockedBy: [],
            blocks: [],
            ready: true,
            priority: 'normal',
            owner: null,
          },
        ],
      },
      changed: [],
    });
    expect(result.response.output).toContain('1 done, 1 failed.');
    expect('errors' in (await fixture.call('build', { type: 'list' })).result).toBe(false);
  });

  test('[TASKS38] metadata names session, agent, tasks and counts', async () => {
    const fixture = new ManagerFixture();
    const { metadata } = await fixture.call(
      'build',
      { type: 'add', title: 'A', status: 'done' },
      { type: 'add', title: 'B' },
      { type: 'add', title: 'C', dependsOn: [2] },
      { type: 'add', title: 'D', status: 'cancelled' },
    );
    expect(metadata.tasks.map(({ n, blockedBy, blocks }) => [n, blockedBy, blocks])).toEqual([
      [1, [], []],
      [2, [], ['a4rg-3']],
      [3, ['a4rg-2'], []],
      [4, [], []],
    ]);
    expect({ ...metadata, tasks: [] }).toEqual({
      sessionId: 'ses_1',
      agent: 'build',
      tasks: [],
      summary: {
        total: 4,
        pending: 2,
        in_progress: 0,
        completed: 1,
        cancelled: 1,
        failed: 0,
        deferred: 0,
        ready: 1,
        blocked: 1,
        completion: 1 / 3,
      },
      operation: 'unified',
    });
  });

  test('[TASKS39] shows a board whole that fits', async () => {
    const fixture = await large((n) => `- [${n % 2 === 0 ? 'x' : ' '}] Task ${n}`, 1_500);
    const { output } = await fixture.call('build', { type: 'list' });
    expect(output.split('\n').filter((line) => /^\[[ x]\] Task \d+$/.test(line))).toHaveLength(
      1_500,
    );
  });

  test('[TASKS39] folds finished tasks away first, with their count, in under 2,000 lines and 50 kB', async () => {
    const fixture = await large(
      (n) => `- [${n < 3_000 ? 'x' : ' '}] Task ${n}${n === 100 ? '\n\t- [ ] Open under it' : ''}`,
      3_500,
    );
    const { output } = await fixture.call('build', { type: 'list' });
    const lines = output.split('\n');
    expect(lines.length).toBeLessThan(2_000);
    expect(bytes(output)).toBeLessThan(50_000);
    expect(lines).toContain('(2999 finished tasks are not shown)');
    expect(lines).toContain('[x] Task 100');
    expect(lines).toContain('  [ ] Open under it');
    expect(lines.filter((line) => /^\[ \] Task \d+$/.test(line))).toHaveLength(500);
    expect(lines.some((line) => line.startsWith('Ready to start: "Open under it"'))).toBe(true);
  });

  test('[TASKS39] then shortens titles, then leaves lines out, and counts them', async () => {
    const long = await large((n) => `- [ ] ${'漢'.repeat(400)} ${n}`, 100);
    const shortened = (await long.call('build', { type: 'list' })).output;
    expect(bytes(shortened)).toBeLessThan(50_000);
    expect(shortened.split('\n').filter((line) => line.startsWith('[ ] 漢'))).toHaveLength(100);
    const many = await large((n) => `- [ ] Task ${n}`, 10_000);
    const cut = (await many.call('build', { type: 'list' })).output.split('\n');
    const shown = cut.filter((line) => /^\[ \] Task/.test(line)).length;
    expect(cut.length).toBeLessThan(2_000);
    expect(shown).toBeGreaterThan(1_500);
    expect(cut).toContain(`(${10_000 - shown} more open tasks are not shown)`);
  });

  test('[TASKS40] stays far under 1 MiB on the wire, whatever was sent and stands there', async () => {
    const fixture = await large((n) => `- [ ] ${'漢'.repeat(450)} ${n}`, 5_000);
    const huge = { type: 'x'.repeat(100_000), title: '漢'.repeat(100_000) };
    const operations = Array.from({ length: 50 }, () => huge);
    const { title, output, metadata, result } = await fixture.call('build', ...operations);
    expect(bytes(JSON.stringify({ title, output, metadata }))).toBeLessThan(400_000);
    expect(metadata.tasks.length + (metadata.tasksLeftOut ?? 0)).toBe(5_000);
    expect(metadata.tasks.length).toBeGreaterThan(100);
    expect(bytes(JSON.stringify(result.results))).toBeLessThan(100_000);
    expect(bytes(output)).toBeLessThan(50_000);
  });
});
