import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { agentOptions, parseOutput, ops } from './cli-run';

const cli = inProcessCli();

describe('agent-boards handoff', () => {
  test('[CLI46] prints what a new agent needs of a board, for programs too, and writes nothing', async () => {
    const made = ops(
      { type: 'init', title: 'Search' },
      { type: 'add', title: 'Choose', body: 'Decided: unicode words' },
      { type: 'add', title: 'Build', dependsOn: [1] },
      { type: 'complete', id: 1 },
    );
    expect((await cli.run(['ops', ...agentOptions('build')], made)).code).toBe(0);
    const before = await readFile(join(cli.vault, cli.board()), 'utf8');
    const { code, out, err } = await cli.run(['handoff', 's1']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('You take over the work of another agent (build, session s1).');
    expect(out).toContain('Plan "Search" (board of build): 1 of 2 done.');
    expect(out).toContain('Open tasks:\n- [ ] #2 Build\n');
    expect(out).toContain('#1 Choose (completed)\nDecided: unicode words');
    const told = parseOutput(await cli.run(['handoff', '--session', 's1', '--json']));
    const path = '.opencode/todos/s1/build-tasks.md';
    expect(told).toEqual({ path, session: 's1', agent: 'build', text: out.slice(0, -1) });
    expect(await readFile(join(cli.vault, cli.board()), 'utf8')).toBe(before);
  });

  test('[CLI46] a session without a board is refused with those there are', async () => {
    await cli.run(['add', 'One', '--session', 's1', '--agent', 'build']);
    const refused = await cli.run(['handoff', 's2']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('there is no session "s2".');
    expect(refused.err).toContain('There is s1.');
  });
});
