import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/whole-program';
import { CommandArgs } from '../../src/cli/command';
import { openVault } from '../../src/cli/open-vault';
import { SimpleTodoManager } from '../../src/cli/simple-todo-manager';
import { ManagerFixture } from '../board/manager-fixture';
import { inProcessCli } from './in-process-cli';
import { parseOutput, ops } from './cli-run';

const cli = inProcessCli();
const { run, environment: around } = cli;

/** Makes a board in session `s1` with one task, by the agent itself. */
const made = async (agent: string, title: string): Promise<void> => {
  await run(['add', title, '--session', 's1', '--agent', agent]);
};

describe('which board', () => {
  test('[CLI23] --agent names the board, which is made where there is none', async () => {
    await made('claude', 'Plan it');
    const added = await run(['add', 'Build it', '--session', 's1', '--agent', 'codex']);
    expect(added.out).toContain('(board of codex, 0 of 1 done, rev 1)');
    expect(await cli.read(cli.board('codex'))).toContain('- [ ] Build it');
    expect(await cli.read(cli.board('claude'))).not.toContain('Build it');
    await run(['add', 'Test it', '--agent', 'codex']);
    await run(['ops', '--agent', 'codex'], ops({ type: 'add', title: 'Ship it' }));
    expect(await cli.read(cli.board('codex'))).toMatch(/Build it[^]*Test it[^]*Ship it/);
  });

  test('[CLI23] a change on the board of an agent that has none says so and changes no other', async () => {
    await made('claude', 'Plan it');
    const before = await cli.read(cli.board('claude'));
    const { code, out } = await run(['complete', '1', '--session', 's1', '--agent', 'codex']);
    expect(code).toBe(1);
    expect(out).toContain('There is no such board in this session yet. Make it with init or add.');
    expect(out).not.toContain('This session has no board yet');
    expect(out).toContain('- claude:');
    expect(await cli.read(cli.board('claude'))).toBe(before);
  });

  test("[CLI23] --board names another agent's board for one call; ops may name one per operation", async () => {
    await made('claude', 'Plan it');
    const as = ['--session', 's1', '--agent', 'codex'];
    await run(['add', 'Ask first', ...as, '--board', 'claude']);
    await run(
      ['ops', ...as],
      ops({ type: 'add', title: 'Review it', agent: 'claude' }, { type: 'add', title: 'Build it' }),
    );
    await run(['add', 'Test it', ...as]);
    expect(await cli.read(cli.board('claude'))).toMatch(/Plan it[^]*Ask first[^]*Review it/);
    expect(await cli.read(cli.board('codex'))).toMatch(/Build it[^]*Test it/);
  });

  test("[CLI23] what the command line writes is no choice of board for the agent's calls in OpenCode", async () => {
    await made('plan', 'Think');
    await made('build', 'Build');
    const todos = new SimpleTodoManager('build', 's1', { vault: cli.vault });
    await todos.addTodo('Test');
    await expect(
      cli.read('.opencode/agent-task-boards/sessions/s1/boards.json'),
    ).resolves.toContain('"named":[]');
  });

  test("[CLI24] without --agent the session's newest board is meant", async () => {
    await made('claude', 'Plan it');
    await made('codex', 'Build it');
    expect((await run(['complete', '1', '--session', 's1'])).out).toContain('(board of codex,');
    await run(['ops', '--session', 's1'], ops({ type: 'add', title: 'Ship it' }));
    expect(await cli.read(cli.board('codex'))).toMatch(/- \[x\] Build it[^]*- \[ \] Ship it/);
    expect(await cli.read(cli.board('claude'))).toContain('- [ ] Plan it');
  });

  test('[CLI25] without --session a write goes to the only session there is', async () => {
    await run(['add', 'A', '--agent', 'build']);
    expect(await cli.read('.opencode/todos/default-session/build-tasks.md')).toContain('- [ ] A');
    await run(['add', 'B', '--agent', 'plan']);
    expect(await cli.read('.opencode/todos/default-session/plan-tasks.md')).toContain('- [ ] B');
  });

  test('[CLI25] without --session a write is refused where there are several sessions, and names them', async () => {
    await made('build', 'A');
    await run(['add', 'B', '--session', 'ses_2', '--agent', 'codex']);
    for (const [args, input] of [
      [['add', 'C', '--agent', 'build'], ''],
      [['complete', '1'], ''],
      [['complete', '1', '--agent', 'codex', '--as-person'], ''],
      [['ops', '--agent', 'build'], ops({ type: 'add', title: 'C' })],
      [['rollback', '1', '--agent', 'codex'], ''],
    ] as const) {
      const { code, err } = await run(args, input);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain('which session? Name it with --session: s1, ses_2.');
    }
    expect(parseOutput(await run(['list', '--json']))).toMatchObject({
      boards: [{ tasks: [{ title: 'A' }] }, { tasks: [{ title: 'B', status: 'pending' }] }],
    });
  });

  test('[CLI26] with --session a command reads the notes of that session only', async () => {
    const fixture = new ManagerFixture();
    for (const session of ['one', 'two']) {
      await fixture.callIn(session, 'build', { type: 'add', title: 'A' });
    }
    const { store } = fixture;
    const { manager } = new ManagerFixture(store);
    const vault = { ...(await openVault(cli.vault, undefined)), store: manager.notes, manager };
    for (const name of ['list', 'get', 'ready', 'analyze', 'history', 'export', 'checkpoints']) {
      store.reads.length = 0;
      const given = new CommandArgs(name === 'get' ? ['1'] : [], { session: 'one', to: 'json' });
      const done = await (await COMMANDS.byName.get(name)?.())?.run(given, vault, around());
      expect([name, done?.code]).toEqual([name, 0]);
      expect(store.reads.filter((path) => path.includes('/one/'))).not.toEqual([]);
      expect(store.reads.filter((path) => path.includes('/two/'))).toEqual([]);
    }
  });
});
