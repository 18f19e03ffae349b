import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words } = cli;
const person = (...args: string[]) => cli.run([...args, '--as-person']);

describe('--as-person', () => {
  test('[CLI17] changes the board as its person, which the agent is told at its next call', async () => {
    await words('add', 'A');
    await words('add', 'B', '--depends-on', '1');
    const runs = [
      ['add', 'C', '--after', '1'],
      ['update', '2', '--title', 'B, renamed', '--due', '2026-11-28', '--status', 'deferred'],
      ['undepend', '2', '--depends-on', '1'],
      ['depend', '3', '--depends-on', '1'],
      ['move', '2', '--phase', 'Later'],
      ['complete', '1'],
      ['claim', '3'],
      ['init', 'My plan'],
    ];
    for (const args of runs) expect([args, (await person(...args)).code]).toEqual([args, 0]);
    const board = {
      title: 'My plan',
      tasks: [
        { n: 1, title: 'A', status: 'completed' },
        {
          n: 3,
          title: 'C',
          status: 'in_progress',
          owner: 'me',
          dependsOn: [expect.stringMatching(/-1$/)],
        },
        { n: 2, title: 'B, renamed', status: 'deferred', dependsOn: [] },
      ],
    };
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({ boards: [board] });
    const { changed } = parseOutput(await words('get', '1', '--json')) as { changed: object[] };
    expect(changed).toEqual([]);
    const told = parseOutput(await words('update', '2', '--priority', 'high', '--json')) as {
      changed: { field: string; title: string }[];
    };
    expect(told.changed.map(({ field }) => field)).toContain('board title');
    expect(told.changed.map(({ title }) => title)).toContain('C');
    const { history } = parseOutput(await cli.run(['history', '--json'])) as {
      history: { by: object }[];
    };
    expect(history.slice(1, 3).map(({ by }) => by)).toEqual([
      { kind: 'person' },
      { kind: 'person' },
    ]);
  });

  test('[CLI17] undo takes back the own last change: a person none of the agent, an agent none of the person', async () => {
    await words('add', 'A');
    expect((await person('undo')).code).toBe(1);
    await person('complete', '1');
    await words('add', 'B');
    expect((await person('undo')).code).toBe(0);
    expect(await cli.read(cli.board())).toMatch(/- \[ \] A .*\n- \[ \] B/);
    expect((await words('undo')).code).toBe(0);
    expect(await cli.read(cli.board())).not.toContain('] B');
  });

  test('[CLI17] says what was done, and of a new task its id', async () => {
    await words('add', 'A');
    const added = parseOutput(await person('add', 'B', '--json')) as {
      results: { result: { id: string; n: number } }[];
    };
    expect(added.results[0]?.result).toMatchObject({ n: 2, title: 'B', status: 'pending' });
    expect((await person('complete', 'B')).out).toContain(
      '- complete: #2 B is completed, as the person.',
    );
    expect((await person('undo')).out).toMatch(/- undo: .*#2 B is completed, as the person\./);
  });

  test('[CLI19] undo takes back a change that the history names, and none of an agent', async () => {
    await words('add', 'A');
    await cli.write('todos.json', '[{"content": "B", "status": "pending", "priority": "high"}]');
    const into = ['--session', 's1', '--agent', 'build', '--json'];
    const taken = await cli.run(['import', 'todos.json', '--kind', 'todowrite', ...into]);
    const change = (parseOutput(taken) as { boards: { change: string }[] }).boards[0]?.change ?? '';
    await words('complete', '1');
    expect((await words('undo', change)).code).toBe(2);
    expect(await cli.read(cli.board())).toContain('] B');
    expect((await person('undo', change)).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('- [x] A');
    expect(await cli.read(cli.board())).not.toContain('] B');
    const { history } = parseOutput(await cli.run(['history', '--json'])) as {
      history: { change: string }[];
    };
    for (const [name, code] of [
      [history.at(-1)?.change ?? '', 'not_yours'],
      ['s1/build-tasks.md#none', 'unknown_change'],
    ] as const) {
      const refused = await person('undo', name, '--json');
      expect(refused.code).toBe(1);
      expect(parseOutput(refused)).toMatchObject({ results: [{ error: { code } }] });
    }
  });

  test('[CLI17] all or nothing, in the shape of the tool; what a person does otherwise is told', async () => {
    await words('add', 'A');
    const failed = await person('complete', '1', '9', '--json');
    expect(failed.code).toBe(1);
    expect(parseOutput(failed)).toMatchObject({
      ok: false,
      results: [{ success: false }, { success: false }],
    });
    expect(await cli.read(cli.board())).toContain('- [ ] A');
    expect((await person('ready', '--json')).code).toBe(2);
    expect((await person('complete', '1', '--rev', '1')).code).toBe(2);
  });

  test('[CLI17] a person sets what an agent sets, in the same words', async () => {
    await words('add', 'A');
    await person('add', 'B 📅 2026-12-01', '--priority', 'high', '--depends-on', '1');
    await person('update', '1', '--status', 'failed', '--reason', 'So');
    expect(await cli.read(cli.board())).toMatch(/- \[ \] B 🆔 \w+-2 ⛔ \w+-1 ⏫ 📅 2026-12-01/);
    await person('undepend', '2', '--depends-on', '1');
    expect(await cli.read(cli.board())).toMatch(/- \[ \] B 🆔 \w+-2 ⏫ 📅 2026-12-01/);
  });

  test('[TASKS80] a task with 🔁 that is completed says that no next occurrence is made', async () => {
    await words('add', 'Water');
    await words('add', 'Mow');
    const board = cli.board();
    await cli.write(board, (await cli.read(board)).replace('Water', 'Water 🔁 every week'));
    const said =
      'A task that you completed repeats, but no next occurrence is made: add one if you need it.';
    expect((await person('complete', '2')).out).not.toContain('repeats');
    expect((await person('complete', '1')).out).toContain(
      `${said}\n- complete: #1 Water is completed, as the person.`,
    );
    const again = await person('complete', '1');
    expect(again.out).not.toContain('repeats');
    for (const n of ['1', '2']) await person('update', n, '--status', 'pending');
    expect((await person('complete', '2', '1')).out.split(said)).toHaveLength(2);
  });

  test('[CLI22] a title is the syntax of the note, as the person would type it there', async () => {
    await words('add', 'Sent 📅 2026-11-24');
    const added = await person('add', 'Typed 📅 2026-11-24 ⏫ ⛔', '--json');
    expect(parseOutput(added)).toMatchObject({
      results: [{ result: { n: 2, title: 'Typed 📅 2026-11-24 ⏫ ⛔' } }],
    });
    expect((await person('add', 'Due 📅 2026-11-24 ⏫')).out).toContain('#3');
    expect((await person('update', '2', '--title', 'Renamed ⛔ 2')).out).toContain('Did you mean');
    expect((await person('update', '2', '--title', 'Later ⛔')).out).toContain(
      '⛔ is part of the title',
    );
    const lines = (await cli.read(cli.board())).split('\n').filter((one) => one.startsWith('- '));
    expect(lines).toEqual([
      expect.stringMatching(/^- \[ \] Sent &#128197; 2026-11-24 🆔 /u),
      expect.stringMatching(/^- \[ \] Later ⛔ 🆔 /u),
      expect.stringMatching(/^- \[ \] Due 🆔 \S+ 📅 2026-11-24 ⏫ \^/u),
    ]);
  });

  test('[CLI17] removes, archives and restores', async () => {
    await words('add', 'A');
    await words('add', 'B');
    await person('complete', '1');
    expect((await person('archive')).code).toBe(0);
    expect((await person('remove', '2')).code).toBe(0);
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({
      boards: [{ tasks: [] }],
    });
    expect((await person('restore', '1')).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('- [x] A');
  });
});
