import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noteKey } from '../../src/node/disk-store';
import { keyLockPath } from '../../src/node/lock';
import { agentOptions, cliRun, parseOutput, ops } from './cli-run';

const cli = cliRun();
const { run } = cli;

describe('agent-boards', () => {
  test('[CLI1] ops carries out a call and prints its result; list prints the boards', async () => {
    const done = await run(
      ['ops', ...agentOptions('build')],
      ops(
        { type: 'init', title: 'T' },
        { type: 'add', title: 'A' },
        { type: 'add', title: 'B', dependsOn: [1] },
      ),
    );
    expect(done.code).toBe(0);
    expect(parseOutput(done)).toMatchObject({
      ok: true,
      summary: { total: 3, succeeded: 3, failed: 0 },
      board: { title: 'T', agent: 'build', rev: 1 },
      changed: [],
    });
    const listed = await run(['list', '--session', 's1', '--json']);
    expect(listed.code).toBe(0);
    expect(parseOutput(listed)).toMatchObject({
      boards: [
        {
          path: '.opencode/todos/s1/build-tasks.md',
          agent: 'build',
          title: 'T',
          rev: 1,
          tasks: [
            { n: 1, title: 'A', status: 'pending', ready: true },
            { n: 2, title: 'B', blockedBy: [expect.stringMatching(/^[a-z0-9]{4}-1$/)] },
          ],
        },
      ],
    });
  });

  test('[GRAPH19] analyze prints the plan as a graph, for programs and for reading', async () => {
    await run(
      ['ops', ...agentOptions('build')],
      ops(
        { type: 'init', title: 'T' },
        { type: 'add', title: 'A' },
        { type: 'add', title: 'B', dependsOn: [1] },
        { type: 'add', title: 'C' },
      ),
    );
    const done = await run(['analyze', '--session', 's1', '--agent', 'build', '--json']);
    expect(done.code).toBe(0);
    const id = (n: number): unknown => expect.stringMatching(new RegExp(`^[a-z0-9]{4}-${n}$`));
    expect(parseOutput(done)).toMatchObject({
      boards: [
        {
          path: '.opencode/todos/s1/build-tasks.md',
          agent: 'build',
          title: 'T',
          rev: 1,
          analysis: { open: 3, criticalPath: [id(1), id(2)], parallel: [[id(1), id(3)], [id(2)]] },
        },
      ],
    });
    expect((await run(['analyze'])).out).toContain('Critical path (2 tasks): #1 → #2.\n');
  });

  test('[CLI1] list takes a session and an agent, or neither; without --json it is for reading', async () => {
    await run(['ops', ...agentOptions('build')], ops({ type: 'add', title: 'A', agent: 'build' }));
    await run(['ops', ...agentOptions('plan')], ops({ type: 'add', title: 'P', agent: 'plan' }));
    const agents = async (...args: string[]): Promise<string[]> =>
      (
        parseOutput(await run(['list', '--json', ...args])) as { boards: { agent: string }[] }
      ).boards.map(({ agent }) => agent);
    expect(await agents()).toEqual(['build', 'plan']);
    expect(await agents('--agent', 'plan')).toEqual(['plan']);
    expect((await run(['list'])).out).toContain(
      's1 (.opencode/todos/s1/plan-tasks.md, 0 of 1 done, 1 left)\n[ ] #1 P\n',
    );
  });

  test('[FACT24] list tells the progress of each plan as the views do, with --json in numbers', async () => {
    const tasks = ['A', 'B', 'C'].map((title) => ({ type: 'add', title, estimate: '1h' }));
    await run(['ops', ...agentOptions('build')], ops(...tasks));
    const status = (id: number, to: string) => ({ type: 'update', id, status: to, reason: 'No.' });
    await run(['ops', ...agentOptions('build')], ops(status(1, 'failed'), status(2, 'cancelled')));
    const { boards } = parseOutput(await run(['list', '--json'])) as {
      boards: { progress: unknown }[];
    };
    expect(boards[0]?.progress).toEqual({
      ...{ total: 3, counted: 2, completed: 0, failed: 1, skipped: 1, pending: 1, ratio: 0 },
      ...{ current: [], remaining: { tasks: 1, minutes: 60 } },
    });
    expect((await run(['list'])).out).toContain(
      '0 of 2 done, 1 failed, 1 skipped, 1 left, 1 h of work)',
    );
  });

  test('[CLI2] the vault is the one named, else the nearest folder above with .opencode', async () => {
    const deep = join(cli.vault, 'a/b');
    await fs.mkdir(deep, { recursive: true });
    expect(
      (await run(['ops', ...agentOptions('build')], ops({ type: 'add', title: 'A' }), deep)).code,
    ).toBe(0);
    expect(await fs.readdir(join(cli.vault, '.opencode/todos/s1'))).toEqual(['build-tasks.md']);
    expect((await run(['list', '--vault', cli.vault], '', '/')).out).toContain('#1 A');
    const none = await run(['list'], '', '/');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--vault DIR')]);
  });

  test('[CLI3] wrong usage exits with 2 and leaves standard output empty', async () => {
    expect(await run(['list', '--colour'])).toEqual({
      code: 2,
      out: '',
      err: 'agent-boards: list has no option --colour.\nTry agent-boards list --help.\n',
    });
  });

  test('[CLI3] what the tool refuses as wrong usage names the help of the command', async () => {
    const { code, err } = await run(['ops', '--session', 's1', '--agent', 'build'], '[]');
    expect([code, err.split('\n').at(-2)]).toEqual([2, 'Try agent-boards ops --help.']);
    const { out } = await run(['ops', '--json'], 'no JSON');
    expect(out).toContain('Try agent-boards ops --help.');
  });

  test('[CLI4] 1 where an operation failed, 3 where a note needs repair, 4 where another writes it', async () => {
    const add = ops({ type: 'add', title: 'A' });
    expect((await run(['ops', ...agentOptions('build')], add)).code).toBe(0);
    expect(
      (await run(['ops', ...agentOptions('build')], ops({ type: 'complete', id: 9 }))).code,
    ).toBe(1);
    const note = join(cli.vault, '.opencode/todos/s1/build-tasks.md');
    const lock = join(cli.vault, keyLockPath(noteKey('.opencode/todos/s1/build-tasks.md')));
    await fs.writeFile(lock, JSON.stringify({ pid: 1, host: 'elsewhere', nonce: 'x' }));
    const busy = await run(['ops', ...agentOptions('build'), '--wait', '0'], add);
    expect([busy.code, parseOutput(busy)]).toMatchObject([
      4,
      { results: [{ error: { code: 'busy' } }] },
    ]);
    await fs.rm(lock);
    const text = await fs.readFile(note, 'utf8');
    await fs.writeFile(note, text.replace('board: 1', 'board: [1'));
    expect((await run(['ops', ...agentOptions('build')], add)).code).toBe(3);
    const listed = await run(['list', '--json']);
    expect([listed.code, parseOutput(listed)]).toMatchObject([
      3,
      { boards: [{ broken: { line: 3 } }] },
    ]);
  });

  test('[CLI5] follows the shared settings, and says what it can not follow', async () => {
    const settings = join(cli.vault, '.opencode/agent-task-boards.json');
    await fs.writeFile(settings, '{"root": "Plans", "defaultSession": "refuse"}');
    expect(
      (await run(['ops', ...agentOptions('build')], ops({ type: 'add', title: 'A' }))).code,
    ).toBe(0);
    expect(await fs.readdir(join(cli.vault, 'Plans/s1'))).toEqual(['build-tasks.md']);
    const refused = await run(['ops', '--agent', 'a'], ops({ type: 'list' }));
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('the settings refuse such calls. Name one: --session S.');
    expect(parseOutput(await run(['add', 'A', '--agent', 'a', '--json']))).toMatchObject({
      error: { code: 'no_session', message: expect.stringContaining('--session S') as string },
    });
    await fs.writeFile(settings, '{"root": "../out"}');
    const listed = await run(['list']);
    expect([listed.code, listed.out]).toEqual([0, 'No boards.\n']);
    expect(listed.err).toContain('"root" is not used.');
  });

  test('[CLI6] eight runs at once on one board: nothing is lost, no number is given twice', async () => {
    const runs = Array.from({ length: 8 }, (_, n) =>
      run(
        ['ops', ...agentOptions('build')],
        ops(
          { type: 'add', title: `from ${n}`, agent: 'build' },
          { type: 'add', title: `more ${n}` },
        ),
      ),
    );
    expect((await Promise.all(runs)).map(({ code, err }) => [code, err])).toEqual(
      runs.map(() => [0, '']),
    );
    const { boards } = parseOutput(await run(['list', '--json'])) as {
      boards: { rev: number; tasks: { n: number; title: string }[] }[];
    };
    const tasks = boards[0]?.tasks ?? [];
    expect(boards).toHaveLength(1);
    expect(boards[0]?.rev).toBe(8);
    expect(tasks.map(({ n }) => n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, n) => n + 1),
    );
    expect(new Set(tasks.map(({ title }) => title)).size).toBe(16);
  });
});
