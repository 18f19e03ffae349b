import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput, ops } from './cli-run';

const cli = inProcessCli();
const { runAsAgent: words, run } = cli;

interface Result {
  readonly board: { readonly rev: number; readonly tasks: readonly { readonly title: string }[] };
  readonly response: { readonly title: string; readonly output: string };
}

describe('results for programs', () => {
  test('[CLI27] --json prints the board once', async () => {
    await words('add', 'Choose a tokeniser');
    await words('add', 'Build the index');
    const done = await words('complete', '1', '--json');
    const { board, response } = parseOutput(done) as Result;
    expect(board.tasks.map(({ title }) => title)).toEqual([
      'Choose a tokeniser',
      'Build the index',
    ]);
    expect(response).toEqual({
      title: 'Task List: s1',
      output: '- complete: #1 Choose a tokeniser: is completed.',
    });
    expect(done.out.split('Build the index')).toHaveLength(2);
  });

  test('[CLI27] --brief tells only what changed', async () => {
    await words('add', 'A');
    await words('add', 'B');
    const added = await words('add', 'C', '--brief');
    expect(added.out).toBe('- add: #3 C\n');
    const titles = async (...args: string[]): Promise<string[]> =>
      (parseOutput(await words(...args, '--brief', '--json')) as Result).board.tasks.map(
        (one) => one.title,
      );
    expect(await titles('complete', '2')).toEqual(['B']);
    expect(await titles('undo')).toEqual(['B']);
    expect(await titles('complete', '1', '--as-person')).toEqual(['A']);
    expect(await titles('complete', '9')).toEqual([]);
    const sent = ops({ type: 'add', title: 'D' }, { type: 'remove', id: 3 });
    const of = ['--session', 's1', '--agent', 'build', '--brief', '--json'];
    expect(parseOutput(await run(['ops', ...of], sent))).toMatchObject({
      ok: true,
      board: { rev: 7, tasks: [{ title: 'D' }] },
    });
  });

  test('[CLI28] with --json every refusal is JSON on standard output', async () => {
    await words('add', 'A');
    await cli.write('there.json', '{}');
    for (const [args, code, error] of [
      [['frobnicate'], 2, 'usage'],
      [['--json', 'list'], 2, 'usage'],
      [['list', '--colour'], 2, 'usage'],
      [['add'], 2, 'usage'],
      [['run'], 2, 'usage'],
      [['run', 'skip'], 2, 'usage'],
      [['audit', 'nothing'], 2, 'usage'],
      [['list', '--vault', join(cli.vault, 'none')], 2, 'usage'],
      [['list', '--session', 'none'], 2, 'no_session'],
      [['ready', '--agent', 'none'], 2, 'no_board'],
      [['analyze', '9'], 1, 'unknown_task'],
      [['export', '--to', 'json', '--session', 's1', '--out', 'there.json'], 1, 'there_already'],
      [['import', 'there.json', '--kind', 'kanban'], 1, 'bad_source'],
      [['audit', 'explain', 'none'], 1, 'not_found'],
      [['run', 'approve'], 2, 'usage'],
      [['--action', 'add', '--agent', 'a', '--session', 's'], 2, 'usage'],
    ] as const) {
      const done = await run([...args, '--json']);
      expect([args, done.code, done.err]).toEqual([args, code, '']);
      const said = expect.any(String) as string;
      expect([args, parseOutput(done)]).toMatchObject([
        args,
        { ok: false, error: { message: said } },
      ]);
      const told = parseOutput(done) as { error: { code: string } };
      if (error !== 'bad_source') expect([args, told.error.code]).toEqual([args, error]);
    }
    const bad = await run(['ops', '--agent', 'a', '--json'], '{"operations": []}');
    expect(Object.keys(parseOutput(bad) as object)).toEqual(['ok', 'error']);
    // After `--` it is a word, not an option.
    expect((await run(['list', '--', '--json'])).out).toBe('');
  });

  test('[CLI29] a vault without a run or a board is no fault of the command', async () => {
    expect(await run(['run', 'status'])).toMatchObject({
      code: 0,
      out: 'No runs yet. agent-boards run start "GOAL" begins one.\n',
    });
    expect(parseOutput(await run(['run', 'status', '--json']))).toEqual({ run: null });
    expect(await run(['ready'])).toMatchObject({ code: 0, out: 'No boards yet.\n', err: '' });
    expect(parseOutput(await run(['ready', '--json']))).toMatchObject({
      ok: true,
      results: [{ success: true, result: { ready: [] } }],
      board: null,
    });
  });

  test('[CLI30] a session or board that is not there is said, with what there is', async () => {
    await words('add', 'A');
    for (const name of ['list', 'analyze', 'ready', 'history']) {
      const { code, out, err } = await run([name, '--session', 's11']);
      expect([name, code, out]).toEqual([name, 2, '']);
      expect(err).toContain('there is no session "s11". Did you mean "s1"? There is s1.');
      const agent = await run([name, '--session', 's1', '--agent', 'plan']);
      expect([name, agent.code]).toEqual([name, 2]);
      expect(agent.err).toContain('no such board. There is --session s1 --agent build.');
    }
  });

  test('[CLI14] export says what is wrong with --to and --out', async () => {
    await words('add', 'A');
    await words('add', 'P', '--board', 'plan');
    await fs.mkdir(join(cli.vault, 'out'));
    await cli.write('file.md', 'mine');
    for (const [args, said] of [
      [
        ['--to', 'pdf'],
        '--to takes json, csv, mermaid, dot, kanban, notes; "pdf" is not one of them',
      ],
      [[], 'export needs --to: json'],
      [['--to', 'json', '--agent', 'plan', '--out', 'out'], 'out is a folder; name a file in it'],
      [['--to', 'json', '--out', 'file.md'], 'file.md is a file, and 2 boards need a folder'],
      [['--to', 'notes', '--agent', 'plan', '--out', 'file.md'], 'file.md is a file, and notes'],
      [['--to', 'csv', '--agent', 'plan', '--out', 'file.md/x'], 'file.md/x leads through a file'],
    ] as const) {
      const done = await run(['export', ...args]);
      expect([args, done.code, done.out]).toEqual([args, 2, '']);
      expect(done.err).toContain(said);
    }
    expect(await cli.read('file.md')).toBe('mine');
    expect(await fs.readdir(join(cli.vault, 'out'))).toEqual([]);
  });
});

describe('names and defaults', () => {
  test('[CLI31] next, show, edit and status are ready, get, update and list', async () => {
    await words('add', 'A');
    expect((await run(['next'])).out).toBe((await run(['ready'])).out);
    expect((await run(['show', '1'])).out).toBe((await run(['get', '1'])).out);
    expect((await words('edit', '1', '--title', 'B')).code).toBe(0);
    expect((await run(['status'])).out).toContain('[ ] #1 B');
    expect((await run(['edit', '--help'])).out).toContain('agent-boards update ID');
    expect((await run(['--help'])).out).toContain('ready, next');
  });

  test('[CLI8] no act that destroys or completes is suggested', async () => {
    for (const typed of ['delete', 'rename', 'undone', 'archives', 'rollbak', 'removes']) {
      const { err } = await run([typed]);
      expect(err).toContain(`no command "${typed}"`);
      expect(err).not.toContain('Did you mean');
    }
    for (const option of ['--forces', '--cascades']) {
      const { err } = await run(['remove', '1', option, '--agent', 'build']);
      expect([option, err]).toEqual([option, expect.not.stringContaining('Did you mean')]);
    }
    expect((await run(['lits'])).err).toContain('Did you mean "list"?');
  });

  test('[CLI32] help of ops shows each operation with an example', async () => {
    const { out } = await run(['ops', '--help']);
    for (const line of [
      'add       {"type": "add", "title": "…"}',
      'update    {"type": "update", "id": 2, "status": "in_progress"}',
      'undo      {"type": "undo"}',
    ]) {
      expect(out).toContain(line);
    }
    expect(out).toContain('{"operations": [{"type": "add", "title": "…"}]}');
  });

  test('[CLI33] vault, session and agent have defaults in the environment; an option counts more', async () => {
    const env = {
      AGENT_BOARDS_VAULT: cli.vault,
      AGENT_BOARDS_SESSION: 's1',
      AGENT_BOARDS_AGENT: 'codex',
    };
    const there = (args: readonly string[]) => run(args, '', { cwd: '/', env });
    expect((await there(['add', 'A'])).code).toBe(0);
    expect(await cli.read(cli.board('codex'))).toContain('- [ ] A');
    await there(['add', 'B', '--agent', 'plan', '--session', 's2']);
    expect(await cli.read('.opencode/todos/s2/plan-tasks.md')).toContain('- [ ] B');
    expect((await there(['list'])).out).not.toContain('#1 B');
    expect((await there(['--action', 'list'])).out).toContain('"content":"A"');
    const empty = await run(['list'], '', { env: { AGENT_BOARDS_SESSION: '' } });
    expect(empty.out).toContain('#1 B');
    // A run's agent is one of OpenCode's; its session is that of the plan to run.
    expect((await there(['run', 'list'])).code).toBe(0);
    expect((await there(['list', '--help'])).out).toContain('AGENT_BOARDS_SESSION');
  });

  test('[CLI2] init makes .opencode in a named folder and in a vault of Obsidian, and nowhere else', async () => {
    await fs.rm(join(cli.vault, '.opencode'), { recursive: true });
    const bare = await run(['init', 'T', '--session', 's1', '--agent', 'build']);
    expect([bare.code, bare.err]).toEqual([
      2,
      `agent-boards: no vault found: no .opencode in ${cli.vault} or above. Name the vault with --vault DIR, or create one: agent-boards init TITLE --agent A, with --vault . outside an Obsidian vault.\nTry agent-boards init --help.\n`,
    ]);
    await fs.mkdir(join(cli.vault, '.obsidian'));
    await fs.mkdir(join(cli.vault, 'deep/er'), { recursive: true });
    expect((await run(['list'])).code).toBe(2);
    const cwd = join(cli.vault, 'deep/er');
    expect((await run(['init', 'T', '--agent', 'build'], '', { cwd })).code).toBe(0);
    expect(await cli.read('.opencode/todos/default-session/build-tasks.md')).toContain('# T');
    const named = ['--vault', cwd, '--session', 's1', '--agent', 'build'];
    expect((await run(['init', 'N', ...named])).code).toBe(0);
    expect(await cli.read('deep/er/.opencode/todos/s1/build-tasks.md')).toContain('# N');
  });

  test('[CLI2] the home folder with OpenCode itself in .opencode is no vault, until it has boards or settings', async () => {
    vi.stubEnv('HOME', cli.vault);
    try {
      const cwd = join(cli.vault, 'deep');
      await fs.mkdir(cwd);
      await fs.mkdir(join(cli.vault, '.opencode/bin'));
      const none = await run(['list'], '', { cwd });
      expect([none.code, none.err]).toEqual([2, expect.stringContaining('--vault DIR')]);
      for (const mark of ['.opencode/agent-task-boards.json', '.obsidian/app.json']) {
        await cli.write(mark, '{}');
        expect(await run(['list'], '', { cwd })).toMatchObject({ code: 0 });
        await fs.rm(join(cli.vault, mark.split('/').slice(0, 2).join('/')), { recursive: true });
        await fs.rm(join(cli.vault, '.obsidian'), { recursive: true, force: true });
      }
      await words('add', 'A', '--vault', cli.vault);
      expect((await run(['list'], '', { cwd })).out).toContain('#1 A');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('[CLI34] install-bridge puts the bridge where Obsidian does', async () => {
    const path = '.opencode/plugin/agent-task-boards.js';
    const first = await run(['install-bridge']);
    expect(first).toMatchObject({
      code: 0,
      out: 'The bridge is installed. Restart OpenCode in this vault to load it.\n',
    });
    expect(await cli.read(path)).toBe('the text of the bridge');
    await cli.write(path, 'an older one');
    expect((await run(['install-bridge'])).out).toContain('The bridge is updated.');
    expect(parseOutput(await run(['install-bridge', '--json']))).toEqual({ ok: true, path });
    await fs.rm(join(cli.vault, '.opencode/plugin'), { recursive: true });
    await cli.write('.opencode/plugin', 'in the way');
    const failed = await run(['install-bridge']);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('was not installed.')]);
  });
});
