import { describe, expect, test } from 'vitest';
import type { TasksAnswer } from '../../src/core/board/todo-manager';
import { boardTools } from '../../src/core/tool/alias/aliases';
import { boardHost } from '../tool/board-host';
import { ManagerFixture } from './manager-fixture';

/** A board of `build` with three tasks, and calls from a session bound to one of them. */
async function scene(task: string | null = '2', tasks?: readonly string[]) {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    ...['Read', 'Index', 'Test'].map((title) => ({ type: 'add', title })),
  );
  const bound = { agent: 'build', task: task ?? undefined, tasks };
  const call = (...operations: unknown[]): Promise<TasksAnswer> =>
    fixture.manager.call({ sessionId: 'ses_1', agent: 'general', bound }, { operations });
  return { fixture, call, bound };
}

const codes = ({ result }: TasksAnswer) => result.results.map(({ error }) => error?.code ?? 'done');

describe('a session that was started for a task of a board', () => {
  test('[TOOL31] works on its task, or on the one in progress among its tasks and under them', async () => {
    const { fixture } = await scene();
    const ids = (await fixture.board('build')).map(({ id }) => id ?? '');
    const workedOn = (tasks: readonly string[] | undefined, task?: string) =>
      fixture.manager.taskOf({
        ...{ sessionId: 'ses_1', agent: 'general' },
        bound: { agent: 'build', task, tasks },
      });
    const [read = '', index = '', last = ''] = ids;
    await fixture.call('build', { type: 'update', id: read, status: 'in_progress' });
    const own = await fixture.manager.taskOf({ sessionId: 'ses_1', agent: 'build' });
    expect([own, await workedOn(undefined, index), await workedOn(undefined)]).toEqual([
      ...[read, index, undefined],
    ]);
    expect([await workedOn([index]), await workedOn([index, last])]).toEqual([index, undefined]);
    await fixture.call(
      'build',
      { type: 'update', id: index, status: 'in_progress' },
      { type: 'add', title: 'Part', parent: index, status: 'in_progress' },
    );
    const part = (await fixture.board('build')).find(({ title }) => title === 'Part')?.id;
    expect([await workedOn([index]), await workedOn([index, last])]).toEqual([part, part]);
  });

  test('[TASKS69] updates and completes that task, by any of its names, on that board', async () => {
    const { fixture, call } = await scene();
    const started = await call({ type: 'claim', id: 'Index' });
    expect(codes(started)).toEqual(['done']);
    expect(codes(await call({ type: 'update', id: '#2', priority: 'high' }))).toEqual(['done']);
    expect(codes(await call({ type: 'complete', id: 2 }))).toEqual(['done']);
    expect(await fixture.tasks('build')).toEqual([
      'Read: pending',
      'Index: completed',
      'Test: pending',
    ]);
    expect([...fixture.store.files.keys()].some((path) => path.includes('general'))).toBe(false);
  });

  test('[TASKS69] changes nothing else, whatever the arguments say, and is told what it may', async () => {
    const { fixture, call } = await scene();
    const before = fixture.text('build');
    const answer = await call(
      { type: 'complete', id: 'Read' },
      { type: 'update', id: 3, title: 'Mine' },
      { type: 'add', title: 'More', parent: '2' },
      { type: 'remove', id: '2' },
      { type: 'init', title: 'Another', agent: 'general' },
      { type: 'complete', id: '2', agent: 'general' },
      { type: 'complete', id: 'nothing' },
      { type: 'undo' },
      { type: 'archive' },
    );
    expect(new Set(codes(answer))).toEqual(new Set(['not_yours']));
    expect(answer.output).toContain(
      'This session was started for #2 Index: it may update, claim and complete #2, and read the rest of the board. This was not done; say in your answer what else should change.',
    );
    expect(fixture.text('build')).toBe(before);
  });

  test('[RUN100] leaves alone what says when its task is done, and whose word that is', async () => {
    const fixture = new ManagerFixture();
    await fixture.call(
      'build',
      { type: 'init', title: 'Search' },
      { type: 'add', title: 'Index', body: 'Fast.\nSuccess: all are found' },
    );
    fixture.editNote('build', (text) => text.replace('Index', 'Index [approve:: me]'));
    const bound = { agent: 'build', task: '1' };
    const call = (...operations: unknown[]): Promise<TasksAnswer> =>
      fixture.manager.call({ sessionId: 'ses_1', agent: 'general', bound }, { operations });
    const before = fixture.text('build');
    const answer = await call(
      { type: 'update', id: 1, body: null },
      { type: 'update', id: 1, body: 'Fast.' },
      { type: 'update', id: 1, body: 'Success: some are found' },
      { type: 'update', id: 1, body: '```\nSuccess: all are found\n```' },
      { type: 'complete', id: 1, force: true },
      { type: 'update', id: 1, status: 'completed', force: true },
    );
    expect(codes(answer)).toEqual(Array.from({ length: 6 }, () => 'not_yours'));
    expect(answer.output).toContain(
      'The lines "Success: …" of #1 say when it is done: send them in the body as they are.',
    );
    expect(fixture.text('build')).toBe(before);
    const body = '- Success: all are found\nFaster.';
    expect(codes(await call({ type: 'update', id: 1, body }))).toEqual(['done']);
  });

  test('[TASKS69] reads all of it; without a task it changes nothing', async () => {
    const { fixture, call } = await scene(null);
    const before = fixture.text('build');
    const answer = await call({ type: 'list' }, { type: 'get', id: 1 }, { type: 'ready' });
    expect(codes(answer)).toEqual(['done', 'done', 'done']);
    expect(answer.output).toContain('Test');
    const refused = await call({ type: 'complete', id: 1 });
    expect(codes(refused)).toEqual(['not_yours']);
    expect(refused.output).toContain('This session may only read this board.');
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS69] what it names is no choice of board for the agents of that session', async () => {
    const { fixture, bound } = await scene();
    await fixture.call('build', { type: 'init', title: 'Second', agent: 'plan' });
    const context = { sessionId: 'ses_1', agent: 'build', bound };
    const answer = await fixture.manager.call(context, { operations: [{ type: 'list' }] });
    expect(answer.result.board?.agent).toBe('build');
    const next = await fixture.call('build', { type: 'list' });
    expect(next.result.board?.agent).toBe('plan');
  });

  test('[TASKS86] changes the tasks it was started for and what stands under them, and adds there', async () => {
    const { fixture, call } = await scene(null, ['2', '3']);
    await fixture.call('build', { type: 'add', title: 'Parse', parent: 2 });
    const answer = await call(
      { type: 'claim', id: 3 },
      { type: 'update', id: 'Parse', status: 'in_progress' },
      { type: 'complete', id: 'Parse' },
      { type: 'add', title: 'Sort', parent: 'Parse' },
      { type: 'add', title: 'Store', parent: '#2', status: 'completed' },
    );
    expect(codes(answer)).toEqual(Array.from({ length: 5 }, () => 'done'));
    expect(await fixture.tasks('build')).toEqual([
      'Read: pending',
      'Index: pending',
      'Parse: completed',
      'Sort: pending',
      'Store: completed',
      'Test: in_progress',
    ]);
  });

  test('[TASKS86] leaves all other tasks alone, and is told which it may change', async () => {
    const { fixture, call } = await scene(null, ['2', '3']);
    await fixture.call('build', { type: 'add', title: 'Parse', parent: 2 });
    const before = fixture.text('build');
    const answer = await call(
      { type: 'complete', id: 1 },
      { type: 'claim', id: 'Read' },
      { type: 'add', title: 'More' },
      { type: 'add', title: 'More', parent: 1 },
      { type: 'add', title: 'More', after: 4 },
      { type: 'add', title: 'More', parent: 2, after: 1 },
      { type: 'add', title: 'More', parent: 2, phase: 'Later' },
      { type: 'remove', id: 4 },
      { type: 'move', id: 2, after: 3 },
      { type: 'depend', id: 2, dependsOn: [3] },
      { type: 'complete', id: 2, agent: 'general' },
      { type: 'init', title: 'Another' },
    );
    expect(codes(answer)).toEqual(Array.from({ length: 12 }, () => 'not_yours'));
    expect(answer.output).toContain(
      'This session was started for #2 Index, #3 Test: it may update, claim and complete #2, #3 and the tasks under them, add tasks under them by "parent", and read the rest of the board. This was not done; say in your answer what else should change.',
    );
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS86] a task that is gone gives it no other, and its summary names those that are left', async () => {
    const { fixture, call, bound } = await scene(null, ['2', '3']);
    const context = { sessionId: 'ses_1', agent: 'general', bound };
    const summary = async () => (await fixture.manager.summary(context))?.split('\n').at(-1);
    expect(await summary()).toBe(
      'You were started for #2 Index, #3 Test: keep them up to date with the tool `tasks`, and change nothing but #2, #3 and what stands under them; {"type": "list"} shows all of it.',
    );
    await fixture.call('build', { type: 'remove', id: 2 });
    expect(await summary()).toContain('started for #3 Test: keep it up to date');
    expect(codes(await call({ type: 'complete', id: 1 }))).toEqual(['not_yours']);
    await fixture.call('build', { type: 'remove', id: 3 });
    expect(codes(await call({ type: 'complete', id: 1 }))).toEqual(['not_yours']);
    expect(await summary()).toContain('You may read it');
    const gone = { agent: 'build', task: undefined, tasks: ['1', '2'] };
    expect((await fixture.manager.boundFault('ses_1', gone))?.message).toContain('No task "2"');
  });

  test('[TASKS70] its summary is of that board and names the task', async () => {
    const { fixture, bound } = await scene();
    const text = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'general', bound });
    expect(text?.split('\n').at(-1)).toBe(
      'You were started for #2 Index: keep it up to date with the tool `tasks`, and change nothing but #2; {"type": "list"} shows all of it.',
    );
    const only = { agent: 'build', task: undefined };
    const read = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'x', bound: only });
    expect(read?.split('\n').at(-1)).toBe(
      'You may read it with the tool `tasks`; {"type": "list"} shows all of it.',
    );
    const none = { agent: 'nobody', task: undefined };
    expect(
      await fixture.manager.summary({ sessionId: 'ses_1', agent: 'x', bound: none }),
    ).toBeUndefined();
  });

  test('[TASKS71] it is not started for a board or a task that is not there', async () => {
    const { fixture } = await scene();
    const fault = async (session: string, agent: string, task?: string) =>
      (await fixture.manager.boundFault(session, { agent, task }))?.message;
    expect(await fault('ses_1', 'build', '2')).toBeUndefined();
    expect(await fault('ses_1', 'build')).toBeUndefined();
    expect(await fault('ses_1', 'plan')).toBe('There is no board of "plan" in session "ses_1".');
    expect(await fault('', 'build')).toContain('There is no board');
    expect(await fault('ses_1', 'build', '9')).toContain('No task "9". Tasks here: #1 Read');
  });

  test('[TOOL4] a tool gets the board from the call’s context, an alias too', async () => {
    const { fixture } = await scene();
    const host = boardHost(boardTools(fixture.manager));
    const board = { session: 'ses_1', agent: 'build', task: '2' };
    const who = { sessionId: 'ses_child', agent: 'general', board };
    const operations = [{ type: 'complete', id: 2 }];
    const args = { operations, board: { session: 'ses_child' }, sessionId: 'ses_child' };
    expect((await host.run({ tool: 'tasks', args, ...who })).ok).toBe(true);
    const other = { task_id: '1', status: 'completed' };
    const refused = await host.run({ tool: 'task_update', args: other, ...who });
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_yours' } });
    expect(await fixture.tasks('build')).toEqual([
      'Read: pending',
      'Index: completed',
      'Test: pending',
    ]);
  });
});
