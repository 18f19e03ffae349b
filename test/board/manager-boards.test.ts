import { describe, expect, test } from 'vitest';
import { boardPathOf, codes, ManagerFixture, messages } from './manager-fixture';

const add = (title: string, agent?: string): object => ({ type: 'add', title, agent });

describe('which board an operation works on', () => {
  test('[TASKS19] its own agent if it names one, which is the board of those after it', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('a', 'plan'), add('b'), add('c', 'review'), add('d'));
    expect(await fixture.tasks('plan')).toEqual(['a: pending', 'b: pending']);
    expect(await fixture.tasks('review')).toEqual(['c: pending', 'd: pending']);
    expect(fixture.paths()).toEqual(['ses_1/plan-tasks.md', 'ses_1/review-tasks.md']);
  });

  test('[TASKS19] an operation that fails names nothing', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('a', 'plan'));
    const answer = await fixture.call(
      'build',
      { type: 'complete', id: 'x', agent: 'ghost' },
      add('', 'review'),
      add('b'),
    );
    expect(codes(answer)).toEqual(['no_board', 'bad_title', 'ok']);
    expect(await fixture.tasks('plan')).toEqual(['a: pending', 'b: pending']);
    expect(fixture.paths()).toEqual(['ses_1/plan-tasks.md']);
  });

  test('[TASKS20] else the one the caller named last in this session, after a restart too', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('own'));
    await fixture.call('plan', add('of plan', 'plan'));
    await fixture.call('build', { type: 'list', agent: 'plan' });
    const restarted = new ManagerFixture(fixture.store);
    await restarted.call('build', add('more'));
    await restarted.callIn('ses_2', 'build', add('other session'));
    expect(await fixture.tasks('plan')).toEqual(['of plan: pending', 'more: pending']);
    expect(await fixture.tasks('build')).toEqual(['own: pending']);
    expect(fixture.text('build', 'ses_2')).toContain('- [ ] other session');
  });

  test('[TASKS20] each agent has named its own', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('1', 'plan'), add('2', 'build'));
    await fixture.call('review', add('3', 'plan'));
    await fixture.call('build', add('4'));
    await fixture.call('review', add('5'));
    expect(await fixture.tasks('plan')).toEqual(['1: pending', '3: pending', '5: pending']);
    expect(await fixture.tasks('build')).toEqual(['2: pending', '4: pending']);
  });

  test('[TASKS20] a named board that is gone is no longer named', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('1'), add('2', 'plan'));
    await fixture.store.remove(boardPathOf('plan'));
    await fixture.call('build', add('3'));
    expect(await fixture.tasks('build')).toEqual(['1: pending', '3: pending']);
  });

  test("[TASKS21] else the caller's own, else the session's newest, else one titled as the session", async () => {
    const fixture = new ManagerFixture();
    await fixture.call('plan', add('first'));
    expect(fixture.text('plan')).toContain('title: The session\n');
    await fixture.call('build', add('goes on'));
    expect(await fixture.tasks('plan')).toEqual(['first: pending', 'goes on: pending']);
    await fixture.call('review', add('own', 'review'));
    await fixture.call('plan', add('still own'));
    await fixture.call('build', add('newest'));
    expect(await fixture.tasks('review')).toEqual(['own: pending', 'newest: pending']);
    expect((await fixture.tasks('plan')).slice(2)).toEqual(['still own: pending']);
  });

  test('[TASKS21] without a memory of it, the newest is the one that was written last', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('plan', add('a', 'plan'), add('b', 'review'));
    fixture.store.files.delete('.opencode/agent-task-boards/sessions/ses_1/boards.json');
    fixture.editNote('plan', (text) => `${text}- [ ] c\n`);
    await new ManagerFixture(fixture.store).call('build', add('d'));
    expect((await fixture.tasks('plan')).pop()).toBe('d: pending');
  });

  test('[TASKS22] a call that makes no task makes no board', async () => {
    const fixture = new ManagerFixture();
    const answer = await fixture.call(
      'build',
      { type: 'list' },
      { type: 'complete', id: 1 },
      { type: 'list', agent: 'plan' },
    );
    expect(codes(answer)).toEqual(['ok', 'no_board', 'ok']);
    expect(messages(answer)[0]).toContain('Make it with init or add.');
    expect(answer.result.board).toBeNull();
    expect(answer.output).toContain('This session has no board yet.');
    expect(fixture.paths()).toEqual([]);
  });

  test('[TASKS23] boards of one batch are written once each, their results in the order sent', async () => {
    const fixture = new ManagerFixture();
    const answer = await fixture.call(
      'build',
      add('p1', 'plan'),
      add('b1', 'build'),
      add('p2', 'plan'),
      { type: 'complete', id: 9, agent: 'build' },
      { type: 'complete', id: 2, agent: 'plan' },
    );
    expect(codes(answer)).toEqual(['ok', 'ok', 'ok', 'unknown_task', 'ok']);
    expect(
      answer.result.results.map(({ result }) => result && 'title' in result && result.title),
    ).toEqual(['p1', 'b1', 'p2', undefined, 'p2']);
    const boards = fixture.store.writes.filter((path) => path.includes('/todos/'));
    expect(boards).toEqual([boardPathOf('plan'), boardPathOf('build')]);
    expect(answer.result.board?.agent).toBe('plan');
    expect(answer.output).toContain('- build: "The session", 0 of 1 done');
  });
});
