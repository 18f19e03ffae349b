import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput, ops } from './cli-run';

const cli = inProcessCli();

describe('usage', () => {
  test('[CLI3] [CLI8] wrong usage is one sentence, with the nearest option or command there is', async () => {
    for (const [args, input, said] of [
      [[], '', 'which command?'],
      [['frobnicate'], '', 'no command "frobnicate"'],
      [['lits'], '', 'Did you mean "list"?'],
      [['--wait', '1', 'list'], '', 'the command comes first'],
      [['list', '--colour'], '', 'list has no option --colour.'],
      [['add', 'A', '--dependson', '1'], '', 'Did you mean --depends-on?'],
      [['complete', '1', '--result', 'x'], '', 'complete has no option --result.\nTry'],
      [['list', '--wait', 'long'], '', '--wait takes a number of seconds'],
      [['list', '--session', ''], '', '--session is empty'],
      [['list', 'more'], '', '"more" is not understood'],
      [['add'], '', 'add takes TITLE'],
      [['run'], '', 'run takes one of start, '],
      [['run', 'skip'], '', 'run skip takes TASK'],
      [['run', 'skip', '1'], '', 'skip takes --reason TEXT'],
      [['run', 'start', 'A', '--turns', '0'], '', 'a number from 1 to 100,000'],
      [['add', 'A', '--rev', 'x', '--agent', 'a'], '', '--rev takes a number'],
      [['update', '1', '--clear', 'dew', '--agent', 'a'], '', '"dew" is not one of them'],
      [['add', 'A'], '', 'which agent acts?'],
      [['update', '1', '--force', '--agent', 'a'], '', 'update takes what shall change'],
      [['move', '1', '--agent', 'a'], '', 'move takes where to: --after ID'],
      [['depend', '1', '--agent', 'a'], '', '--depends-on 1,3'],
      [['undepend', '1', '--depends-on', ',', '--agent', 'a'], '', '--depends-on 1,3'],
      [['undo', 's1/a-tasks.md#1', '--agent', 'a'], '', 'add --as-person'],
      [['list', '--vault', join(cli.vault, 'none')], '', 'there is no folder'],
      [['serve', '--engine', 'constructor'], '', 'serve takes --engine'],
      [['ops', '--session', 's'], ops({ type: 'list' }), 'which agent acts?'],
      [['ops', '--agent', 'a'], 'not json', 'no JSON'],
      [['ops', '--agent', 'a'], '{}', '`operations` is missing'],
    ] as const) {
      const { code, out, err } = await cli.run(args, input);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).toContain(said);
    }
    const refused = await cli.run(['ops', '--agent', 'a', '--json'], '{"operations": []}');
    expect(refused.code).toBe(2);
    expect(parseOutput(refused)).toMatchObject({ ok: false, error: { code: 'bad_arguments' } });
  });

  test('[CLI3] --version prints the version of the package, in a vault or not', async () => {
    const file = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await cli.run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    await rm(join(cli.vault, '.opencode'), { recursive: true });
    expect((await cli.run(['--version'])).out).toBe(`${version}\n`);
    expect((await cli.run(['--help'])).out).toContain('agent-boards --version');
  });

  test('[CLI3] [RUN118] --help tells all commands, and what each takes; of a verb that alone', async () => {
    const all = await cli.run(['--help']);
    expect([all.code, all.err]).toEqual([0, '']);
    const names = [...all.out.matchAll(/^ {2}([a-z][\w-]*) /gm)].map((match) => match[1] ?? '');
    expect(names).toContain('ops');
    expect(names.length).toBeGreaterThan(15);
    for (const name of ['add', 'list']) {
      const help = await cli.run([name, '--help']);
      expect([help.code, help.out]).toEqual([0, expect.stringMatching(`^agent-boards ${name}`)]);
      expect(help.out).toContain('--session S');
    }
    expect((await cli.run(['help', 'add'])).out).toContain('--depends-on IDS');
    const verb = await cli.run(['run', 'skip', '--help']);
    expect(verb.out).toMatch(/^agent-boards run skip TASK \[RUN\]\n/);
    expect(verb.out).toContain('--reason TEXT');
    expect(verb.out).not.toMatch(/--tokens|answer ID/);
    expect((await cli.run(['help', 'run', 'skip'])).out).toBe(verb.out);
    const verbs = await cli.run(['run', '--help']);
    for (const words of [
      'answer ID ANSWER',
      'replay [RUN]',
      'skip: why',
      'start, more: how many',
    ]) {
      expect(verbs.out).toContain(words);
    }
    const flags = await cli.run(['--action', 'list', '--help']);
    expect([flags.code, flags.out]).toEqual([0, expect.stringContaining('--task-id ID')]);
  });
});
