import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const action = (name: string, ...args: string[]) =>
  cli.run(['--agent', 'senior-sw-engineer', '--session', 'abc123', '--action', name, ...args]);

describe('--action', () => {
  test('[CLI9] add, update, list and info print one line: SUCCESS and the value', async () => {
    const added = await action('add', '--content', 'Write the tests', '--priority', 'high');
    expect([added.code, added.err]).toEqual([0, '']);
    const [, id = ''] = /^SUCCESS:([a-z0-9]{4}-1)\n$/.exec(added.out) ?? [];
    expect(id).not.toBe('');
    await action('add', '--content', 'Run them');
    expect((await action('update', '--task-id', id, '--status', 'completed')).out).toBe(
      'SUCCESS:true\n',
    );
    const listed = await action('list');
    expect(JSON.parse(listed.out.replace(/^SUCCESS:/, ''))).toEqual([
      {
        id,
        content: 'Write the tests',
        priority: 'high',
        status: 'completed',
        session_id: 'abc123',
      },
      {
        ...{ id: id.replace(/1$/, '2'), content: 'Run them', priority: 'medium' },
        ...{ status: 'pending', session_id: 'abc123' },
      },
    ]);
    expect(
      parseOutput({ out: (await action('list', '--status', 'done')).out.slice(8) }),
    ).toHaveLength(1);
    expect(parseOutput({ out: (await action('info')).out.slice(8) })).toEqual({
      agent_name: 'senior-sw-engineer',
      session_id: 'abc123',
      opencode_session_id: 'abc123',
      board: '.opencode/todos/abc123/senior-sw-engineer-tasks.md',
      project_root: cli.vault,
      total_todos: 2,
      pending: 1,
      in_progress: 0,
      completed: 1,
    });
  });

  test('[CLI9] what fails is one line too, and an exit code that is not 0', async () => {
    await action('add', '--content', 'A');
    for (const [name, args, code, said] of [
      ['add', [], 2, 'needs --content'],
      ['update', ['--task-id', '9', '--status', 'completed'], 1, 'no todo 9'],
      ['update', ['--task-id', '1', '--status', 'flying'], 2, 'status must be'],
      ['list', ['--status', 'flying'], 2, 'no status "flying"'],
    ] as const) {
      const done = await action(name, ...args);
      expect([name, done.code, done.out]).toEqual([
        name,
        code,
        expect.stringMatching(/^ERROR: .+\n$/),
      ]);
      expect(done.out).toContain(said);
    }
    const path = '.opencode/todos/abc123/senior-sw-engineer-tasks.md';
    await cli.write(path, (await cli.read(path)).replace('board: 1', 'board: ['));
    expect((await action('list')).code).toBe(3);
    expect(await action('fly')).toMatchObject({
      code: 2,
      err: expect.stringContaining('add, update') as string,
    });
    expect((await cli.run(['--action', 'list'])).err).toContain('needs --agent and --session');
  });

  test('[CLI9] with --json the line is an object', async () => {
    expect(parseOutput(await action('add', '--content', 'A', '--json'))).toEqual({
      success: true,
      result: expect.stringMatching(/-1$/) as string,
    });
    expect(
      parseOutput(await action('update', '--task-id', '9', '--status', 'done', '--json')),
    ).toMatchObject({
      success: false,
      error: { code: 'unknown_task' },
    });
  });

  test('[CLI12] a session id or agent that leads out of the folder stays inside', async () => {
    const before = await readdir(join(cli.vault, '..'));
    for (const hostile of ['../evil', '/etc', 'a/b', '..', 'C:\\x', '~', 'con']) {
      const flags = ['--agent', hostile, '--session', hostile, '--action'];
      expect([hostile, (await cli.run([...flags, 'add', '--content', 'A'])).code]).toEqual([
        hostile,
        0,
      ]);
      expect((await cli.run([...flags, 'list'])).out).toContain('"content":"A"');
    }
    expect(await readdir(join(cli.vault, '..'))).toEqual(before);
    expect((await readdir(cli.vault)).sort()).toEqual(['.opencode']);
    expect(await readdir(join(cli.vault, '.opencode/todos'))).toHaveLength(7);
    const long = await cli.run(['--agent', 'a', '--session', 'x'.repeat(73), '--action', 'list']);
    expect([long.code, long.out]).toEqual([2, expect.stringContaining('1 to 72 bytes')]);
  });
});
