import { describe, expect, test } from 'vitest';
import type { ToolPermissionOutcome } from '../../src/core/permission/ask';
import { boardTools } from '../../src/core/tool/alias/aliases';
import type { AnsweredCall } from '../../src/core/tool/tool';
import { ManagerFixture } from '../board/manager-fixture';
import { codeOf, NoteScene, outputOf } from './note-scene';

describe('calls on boards', () => {
  const add = { operations: [{ type: 'add', title: 'A' }] };

  test('[TOOL27] are allowed unless a rule says otherwise, and audited with the board', async () => {
    const { manager } = new ManagerFixture();
    const scene = await NoteScene.make({ tools: [...boardTools(manager).values()] });
    expect((await scene.run('tasks', add)).ok).toBe(true);
    await scene.run('tasks', add, { sessionId: undefined });
    const calls = await scene.calls();
    expect(calls.map(({ intent }) => [intent.operation, intent.path, intent.verdict])).toEqual([
      ['tasks', 'Boards/s/build-tasks.md', 'allow'],
      ['tasks', 'Boards', 'allow'],
    ]);
    await scene.setRules([{ permission: 'tasks', pattern: '**', action: 'deny', agent: 'build' }]);
    for (const tool of ['tasks', 'task_list', 'tasks_list']) {
      expect(outputOf(await scene.run(tool, tool === 'tasks' ? add : {}))).toContain(
        'Nothing was done. Not allowed. Rule 1 decides: tasks, deny (build).',
      );
    }
    expect((await scene.run('tasks', add, { agent: 'plan' })).ok).toBe(true);
  });

  test('[TOOL27] ask the person where a rule says so', async () => {
    const { manager, store } = new ManagerFixture();
    const rules = [{ permission: 'tasks', action: 'ask' }];
    const scene = await NoteScene.make({ rules, tools: [...boardTools(manager).values()] });
    const running = scene.run('tasks', add);
    const ask = await scene.nextAsk();
    expect(ask).toMatchObject({
      operation: 'tasks',
      path: undefined,
      args: add,
      always: undefined,
    });
    expect(store.files.size).toBe(0);
    scene.asks.answer(ask.requestId, { reply: 'once' });
    expect((await running).ok).toBe(true);
    expect((await scene.onlyCall()).outcome).toMatchObject({ result: 'done', reply: 'once' });
  });

  test('[TOOL17] rules that deny by the time of the answer count, and a cancelled call has no effect', async () => {
    const { manager, store } = new ManagerFixture();
    const rules = [{ permission: 'tasks', action: 'ask' }];
    const scene = await NoteScene.make({ rules, tools: [...boardTools(manager).values()] });
    const denied = scene.run('tasks', add);
    const { requestId } = await scene.nextAsk();
    await scene.setRules([{ permission: 'tasks', pattern: '**', action: 'deny' }]);
    scene.asks.answer(requestId, { reply: 'once' });
    expect(codeOf(await denied)).toBe('denied');
    await scene.setRules([]);
    const cancelled = scene.run('tasks', add);
    scene.host.cancel('call_0', 's');
    expect(codeOf(await cancelled)).toBe('cancelled');
    expect(store.files.size).toBe(0);
  });

  test('[TOOL28] where no view is there, another way of asking is taken, and with none nothing is done', async () => {
    const { manager, store } = new ManagerFixture();
    const rules = [{ permission: 'tasks', action: 'ask' }];
    const tools = [...boardTools(manager).values()];
    const without = { rules, tools, deps: { asks: undefined } };
    const alone = await NoteScene.make(without);
    expect(outputOf(await alone.run('tasks', add))).toBe(
      'Nothing was done: a person has to allow this, and none can be asked here. Rule 1 of the permissions of the vault asks: tasks, ask. Tell the person, in your own words: they can open the vault in Obsidian, where a call asks them, or add a rule that allows "tasks" (Settings → Agent Task Boards → Permissions in Obsidian; docs/permissions.md). The rules are theirs to change, not yours.',
    );
    expect(store.files.size).toBe(0);
    const said: ToolPermissionOutcome[] = [{ reply: 'reject', message: 'No.' }, { reply: 'once' }];
    const asked: unknown[] = [];
    const scene = await NoteScene.make(without);
    const run = (): Promise<AnsweredCall> =>
      scene.host.run({ tool: 'tasks', args: add, sessionId: 's', agent: 'build' }, (question) => {
        asked.push(question);
        return Promise.resolve(said.shift());
      });
    expect(outputOf(await run())).toBe('The person denied it: No.');
    expect((await run()).ok).toBe(true);
    expect(outputOf(await run())).toContain('none can be asked here');
    expect(asked[0]).toMatchObject({
      request: { operation: 'tasks', agent: 'build' },
      decision: { verdict: 'ask' },
    });
  });

  test('[TOOL28] a call that is cancelled waits no longer for an answer that comes from elsewhere', async () => {
    const { manager, store } = new ManagerFixture();
    const rules = [{ permission: 'tasks', action: 'ask' }];
    const tools = [...boardTools(manager).values()];
    const scene = await NoteScene.make({ rules, tools, deps: { asks: undefined } });
    const call = { tool: 'tasks', args: add, sessionId: 's', agent: 'build', callId: 'call_0' };
    const answer = await scene.host.run(call, () => {
      scene.host.cancel('call_0', 's');
      return new Promise(() => undefined);
    });
    expect(codeOf(answer)).toBe('cancelled');
    expect(store.files.size).toBe(0);
  });
});
