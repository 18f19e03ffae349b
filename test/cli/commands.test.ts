import { describe, expect, test } from 'vitest';
import { escapeControls } from '../../src/core/board/task-display';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words } = cli;

/** The board's text below its header, without prefixes, block ids and completion dates. */
async function body(): Promise<string[]> {
  const note = await cli.read(cli.board());
  const plain = note
    .slice(note.indexOf('\n# ') + 1)
    .replace(/(?<= |,)[a-z][a-z0-9]{3}-|\^\S+|✅ \S+/g, '');
  return plain.split('\n').map((line) => line.trimEnd());
}

describe('commands', () => {
  test('[CLI7] a plan is made, changed and finished in words', async () => {
    const runs = [
      ['init', 'Offline search'],
      ['add', 'Choose a tokeniser', '--priority', 'high', '--phase', 'Groundwork'],
      ['add', 'Build it', '--depends-on', '1', '--risk', 'high', '--body', 'Keep it small.'],
      ['add', 'Segment CJK', '--parent', '2', '--estimate', '2h', '--owner', 'explore'],
      ['add', 'Write the guide', '--after', '2'],
      ['add', 'Sing', '--status', 'deferred', '--level', 'research'],
      ['undepend', '2', '--depends-on', '1'],
      ['depend', '4', '--depends-on', '1,2'],
      ['claim', '1'],
      ['complete', '1', '3'],
      ['update', '4', '--title', 'Write a guide', '--due', '2026-11-28', '--scope', 'broad'],
      ['update', '3', '--clear', 'owner,estimate'],
      ['move', '4', '--phase', 'Release'],
      ['remove', '5'],
    ];
    for (const args of runs) expect([args, (await words(...args)).code]).toEqual([args, 0]);
    expect(await body()).toEqual([
      '# Offline search',
      '',
      '## Groundwork',
      '',
      '- [x] Choose a tokeniser [owner:: build] 🆔 1 ⏫',
      '- [ ] Build it [risk:: high] 🆔 2',
      '\tKeep it small.',
      '\t- [x] Segment CJK 🆔 3',
      '',
      '## Release',
      '',
      '- [ ] Write a guide [scope:: broad] 🆔 4 ⛔ 1,2 📅 2026-11-28',
      '',
    ]);
  });

  test('[CLI7] with --json a write prints the result of the tool', async () => {
    await words('add', 'A');
    const done = await words('complete', '1', '9', '--json');
    expect(done.code).toBe(1);
    expect(parseOutput(done)).toMatchObject({
      ok: false,
      results: [
        { success: true, operation: { type: 'complete', id: '1' }, result: { n: 1 } },
        { success: false, error: { code: 'unknown_task' } },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
      board: { agent: 'build', rev: 2 },
    });
  });

  test('[CLI7] all or nothing, only at a known rev, and on the board of another agent', async () => {
    await words('add', 'A');
    expect((await words('complete', '1', '9', '--atomic')).code).toBe(1);
    expect((await words('complete', '1', '--rev', '7')).out).toContain('rev 1, not 7');
    expect(await cli.read(cli.board())).toContain('- [ ] A');
    expect((await words('add', 'P', '--board', 'plan')).code).toBe(0);
    expect(await cli.read(cli.board('plan'))).toContain('- [ ] P');
  });

  test('[CLI7] a move says where the task stands now', async () => {
    for (const title of ['A', 'B', 'C']) await words('add', title);
    for (const [where, said] of [
      [['--after', '3'], '#1 A stands behind #3.'],
      [['--phase', 'Later'], '#1 A stands in "Later".'],
      [['--parent', '2'], '#1 A is a subtask of #2.'],
    ] as const) {
      expect((await words('move', '1', ...where)).out).toContain(`- move: ${said}`);
    }
  });

  test('[CLI7] a blocked task is completed by force only, with the reason', async () => {
    await words('add', 'A');
    await words('add', 'B', '--depends-on', '1');
    expect((await words('complete', '2')).code).toBe(1);
    expect((await words('complete', '2', '--force', '--reason', 'done by hand')).code).toBe(0);
    expect(await cli.read(cli.board())).toContain('[reason:: done by hand]');
  });

  test('[CLI7] get and ready tell of one board, and what a person changed stays news to the agent', async () => {
    await words('add', 'A', '--body', 'Look twice.');
    await words('add', 'B', '--depends-on', '1', '--priority', 'high');
    await cli.write(cli.board(), (await cli.read(cli.board())).replace('- [ ] A', '- [x] A'));
    const got = await cli.run(['get', 'A']);
    expect([got.code, got.out]).toEqual([0, '#1 A: completed.\n  | Look twice.\n']);
    expect((await cli.run(['ready'])).out).toBe('1 can be started.\n  #2 B (high)\n');
    expect(parseOutput(await cli.run(['ready', '--json']))).toMatchObject({
      ok: true,
      results: [{ operation: { type: 'ready' }, result: { ready: [{ n: 2, title: 'B' }] } }],
      board: { tasks: [{ n: 1 }, { n: 2 }] },
    });
    expect((await cli.run(['get', '7'])).code).toBe(1);
    expect((await words('claim', '2')).out).toContain(
      'Changed by the person since you last looked',
    );
  });

  test('[CLI7] a read of a note that needs repair says whose board it is', async () => {
    await cli.write(cli.board(), '---\nboard: 1\n  agent: [\n---\n');
    const { code, out } = await words('get', '1');
    expect([code, out]).toEqual([3, expect.stringContaining("The board of build can't be read")]);
  });

  test('[CLI7] a read asks which board is meant where there are several', async () => {
    await words('add', 'A');
    await words('add', 'P', '--board', 'plan');
    const asked = await cli.run(['ready']);
    expect([asked.code, asked.err]).toEqual([
      2,
      expect.stringContaining('--session s1 --agent plan'),
    ]);
    expect((await cli.run(['ready', '--agent', 'plan'])).out).toContain('#1 P');
    expect((await cli.run(['get', '1', '--agent', 'none'])).err).toContain('no such board');
  });

  test('[CLI10] what a title holds is shown in a terminal, not executed', async () => {
    await words('add', 'A');
    const escape = '\u001b[2J\u009b31m\u0007 \u202eevil';
    const note = await cli.read(cli.board());
    await cli.write(cli.board(), note.replace('- [ ] A', `- [ ] ${escape}`));
    const { out } = await cli.run(['list']);
    expect(escapeControls(out)).toContain('\\u001b[2J\\u009b31m\\u0007 \\u202eevil');
    expect(escapeControls(out)).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    const listed = escapeControls((await cli.run(['list', '--json'])).out);
    expect(listed).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    expect(parseOutput({ out: listed })).toMatchObject({
      boards: [{ tasks: [{ title: escape }] }],
    });
  });
});
