import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words } = cli;
const person = (...args: string[]) => cli.run([...args, '--as-person']);

describe('reviews on the command line', () => {
  test('[REVIEW13] [REVIEW3] are switched on, ended by the person, and shown in list, get and JSON', async () => {
    await words('add', 'A');
    await words('add', 'B', '--depends-on', '1');
    expect((await person('review', 'all')).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('\nreview: all\n');
    const held = await words('complete', '1');
    expect([held.code, held.out]).toEqual([0, expect.stringContaining("the person's review")]);
    const waits = { n: 1, status: 'in_progress', review: true };
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({
      boards: [
        { review: 'all', tasks: [waits, { n: 2, ready: false }], progress: { current: [] } },
      ],
    });
    expect(parseOutput(await words('get', '1', '--json'))).toMatchObject({
      results: [{ result: waits }],
    });
    for (const command of ['list', 'get']) {
      const { out } = await cli.run(command === 'get' ? [command, '1'] : [command]);
      expect(out).toContain("waits for the person's review");
    }
    const back = await person('send-back', '1', 'B is missing');
    expect([back.code, back.out]).toEqual([
      0,
      expect.stringContaining('was sent back: B is missing, as the person.'),
    ]);
    expect(await cli.read(cli.board())).toContain('\tSent back: B is missing\n');
    expect((await words('complete', '1')).out).toContain('sent #1 A back to you: "B is missing"');
    await words('complete', '1');
    expect((await person('accept', '1')).code).toBe(0);
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({
      boards: [
        {
          tasks: [
            { n: 1, status: 'completed' },
            { n: 2, ready: true },
          ],
        },
      ],
    });
    expect((await person('undo')).code).toBe(0);
    expect(parseOutput(await cli.run(['list', '--json']))).toMatchObject({
      boards: [{ tasks: [waits, { n: 2 }] }],
    });
    await person('review', 'off');
    expect(await cli.read(cli.board())).not.toContain('\nreview:');
  });

  test('[REVIEW13] are nobody else’s, and say what they take', async () => {
    await words('add', 'A');
    const runs = [
      ['accept', '1'],
      ['send-back', '1', 'more'],
      ['review', 'all'],
      ['accept', '--as-person'],
      ['send-back', '1', '--as-person'],
      ['send-back', '1', 'two', 'words', '--as-person'],
      ['review', 'always', '--as-person'],
      ['review', '--as-person'],
    ];
    for (const args of runs) expect([args, (await cli.run(args)).code]).toEqual([args, 2]);
    const none = await person('accept', '1');
    expect([none.code, none.out + none.err]).toEqual([
      1,
      expect.stringContaining('does not wait for a review'),
    ]);
  });
});
