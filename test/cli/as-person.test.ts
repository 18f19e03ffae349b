import { describe, expect, test } from 'vitest';
import { cliHere } from './cli-here';
import { json } from './cli-run';

const cli = cliHere();
const { words } = cli;
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
    expect(json(await cli.run(['list', '--json']))).toMatchObject({ boards: [board] });
    const { changed } = json(await words('get', '1', '--json')) as { changed: object[] };
    expect(changed).toEqual([]);
    const told = json(await words('update', '2', '--priority', 'high', '--json')) as {
      changed: { field: string; title: string }[];
    };
    expect(told.changed.map(({ field }) => field)).toContain('board title');
    expect(told.changed.map(({ title }) => title)).toContain('C');
    const { history } = json(await cli.run(['history', '--json'])) as { history: { by: object }[] };
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

  test('[CLI17] all or nothing, in the shape of the tool; what a person does otherwise is told', async () => {
    await words('add', 'A');
    const failed = await person('complete', '1', '9', '--json');
    expect(failed.code).toBe(1);
    expect(json(failed)).toMatchObject({
      ok: false,
      results: [{ success: false }, { success: false }],
    });
    expect(await cli.read(cli.board())).toContain('- [ ] A');
    expect((await person('add', 'B', '--priority', 'high')).out).toContain(
      'set priority with update',
    );
    expect((await person('update', '1', '--depends-on', '1')).out).toContain('depend, undepend');
    expect((await person('complete', '1', '--rev', '1')).code).toBe(2);
  });

  test('[CLI17] removes, archives and restores', async () => {
    await words('add', 'A');
    await words('add', 'B');
    await person('complete', '1');
    expect((await person('archive')).code).toBe(0);
    expect((await person('remove', '2')).code).toBe(0);
    expect(json(await cli.run(['list', '--json']))).toMatchObject({ boards: [{ tasks: [] }] });
    expect((await person('restore', '1')).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('- [x] A');
  });
});
