import { describe, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import type { Op } from '../../src/core/board/op';
import { findings } from '../../src/core/board/board-findings';
import type { Board } from '../../src/core/board/task';
import { markUnchecked } from '../../src/core/orchestrator/runs';
import { boardPathOf, codes, ManagerFixture, messages } from './manager-fixture';

const PATH = boardPathOf('build');

/** A board with a definition of done for `Build`, which the person reviews. */
async function planned(mode?: 'success' | 'all'): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', body: 'Mind the licence.\nSuccess: it finds words' },
    { type: 'add', title: 'Ship', dependsOn: [2] },
  );
  if (mode !== undefined) expect((await fixture.manager.review(PATH, mode)).ok).toBe(true);
  return fixture;
}

async function inReview(): Promise<ManagerFixture> {
  const fixture = await planned('success');
  await fixture.call('build', { type: 'complete', id: 2 });
  return fixture;
}

const person = (fixture: ManagerFixture, ...ops: Op[]) => fixture.manager.commit(PATH, PERSON, ops);
const line = (fixture: ManagerFixture, title: string) =>
  fixture
    .text('build')
    .split('\n')
    .find((one) => one.includes(`] ${title}`));
const WAITING = '- [/] Build [review:: 2026-11-21] 🆔 a4rg-2 ^a4rg-2';

describe('a completion that the person reviews', () => {
  test.each([
    [undefined, ['Choose: completed', 'Build: completed']],
    ['success', ['Choose: completed', 'Build: in_progress']],
    ['all', ['Choose: in_progress', 'Build: in_progress']],
  ] as const)('[REVIEW1] is that of the tasks which the board says: %s', async (mode, after) => {
    const fixture = await planned(mode);
    await fixture.call('build', { type: 'complete', id: 1 }, { type: 'complete', id: 2 });
    expect(await fixture.tasks('build')).toEqual([...after, 'Ship: pending']);
    expect(fixture.text('build').includes('\nreview: ')).toBe(mode !== undefined);
  });

  test('[REVIEW1] is that of a task with approve: me on any board', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('Choose 🆔', 'Choose [approve:: me] 🆔'));
    await fixture.call('build', { type: 'complete', id: 1 });
    expect(line(fixture, 'Choose')).toContain('[/] Choose [approve:: me] [review:: 2026-11-21] 🆔');
  });

  test('[REVIEW1] another value in the header counts as none, is a finding, and can’t be switched', async () => {
    const fixture = await planned('all');
    fixture.editNote('build', (text) => text.replace('review: all', 'review: always'));
    await fixture.call('build', { type: 'complete', id: 1 });
    expect(await fixture.tasks('build')).toContain('Choose: completed');
    const [finding] = findings(fixture.manager.boards(), []);
    expect(finding).toMatchObject({ kind: 'unclear-line', line: 9 });
    expect(finding?.text).toContain('"review" is not "success" or "all"');
    expect(await fixture.manager.review(PATH, 'all')).toMatchObject({ code: 'bad_value' });
    expect(fixture.text('build')).toContain('review: always');
  });

  test('[REVIEW2] leaves the task in progress with the day, blocks on, and says what the agent does now', async () => {
    const fixture = await planned('success');
    const answer = await fixture.call('build', { type: 'complete', id: 2 });
    expect(line(fixture, 'Build')).toBe(WAITING);
    expect(answer.ok).toBe(true);
    expect(answer.output).toContain(
      "- complete: #2 Build: waits for the person's review since 2026-11-21. It is not done until the person accepts it: it stays in_progress, and what depends on it waits. Do not wait for it: go on with other tasks; a later answer tells what the person decided.",
    );
    expect(answer.output).toContain('Ready to start: #1 Choose.');
    const text = fixture.text('build');
    const again = await fixture.call('build', { type: 'complete', id: 2 });
    expect(again.output).toContain("waits for the person's review since 2026-11-21");
    expect(fixture.text('build')).toBe(text);
  });

  test.each([
    { type: 'update', id: 2, status: 'done' },
    { type: 'update', id: 2, status: 'completed', body: 'no criteria', title: 'Built' },
    { type: 'complete', id: 2, force: true, reason: 'urgent' },
  ])('[REVIEW2] in whatever way the agent completes it: %j', async (operation) => {
    const fixture = await planned('all');
    await fixture.call('build', operation);
    expect((await fixture.board('build'))[1]).toMatchObject({
      status: 'in_progress',
      review: '2026-11-21',
    });
  });

  test('[REVIEW2] a new task that the agent calls completed waits too', async () => {
    const fixture = await planned('success');
    const answer = await fixture.call(
      'build',
      { type: 'add', title: 'Draw', status: 'completed', body: 'Success: it is drawn' },
      { type: 'add', title: 'Read', status: 'completed' },
    );
    expect(line(fixture, 'Draw')).toContain('[/] Draw [review:: 2026-11-21]');
    expect(line(fixture, 'Read')).toContain('[x] Read');
    expect(answer.output).toContain('#4 Draw. It is not done until the person accepts it');
  });

  test('[REVIEW2] what is blocked is not completed for a review either', async () => {
    const fixture = await planned('all');
    await fixture.call('build', {
      type: 'update',
      id: 3,
      status: 'in_progress',
      force: true,
      reason: 'x',
    });
    expect(codes(await fixture.call('build', { type: 'complete', id: 3 }))).toEqual(['blocked']);
  });

  test('[REVIEW3] programs and models read that it waits', async () => {
    const fixture = await inReview();
    const answer = await fixture.call('build', { type: 'get', id: 2 });
    expect(answer.result.board).toMatchObject({
      review: 'success',
      tasks: [
        { n: 1 },
        { n: 2, status: 'in_progress', review: true },
        { n: 3, blockedBy: ['a4rg-2'] },
      ],
    });
    expect(answer.result.board?.tasks[0]).not.toHaveProperty('review');
    expect(answer.result.results[0]?.result).toMatchObject({ status: 'in_progress', review: true });
    expect(answer.output).toContain("waits for the person's review since 2026-11-21");
    expect(answer.output).toContain("[/] #2 Build (in_progress; waits for the person's review)");
    await fixture.call('build', { type: 'update', id: 1, status: 'in_progress' });
    const summary = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' });
    expect(summary).toContain(
      "In progress:\n- #1 Choose\nWaits for the person's review:\n- #2 Build",
    );
  });
});

describe('a run and a review', () => {
  test.each([
    ['k3f9-x', 'ses_1', 'Build: in_progress'],
    ['a4rg-2', 'ses_1', 'Build: completed'],
    ['a4rg-2', 'ses_2', 'Build: in_progress'],
  ])('[REVIEW10] what a run judges is not held: %s of %s', async (taken, session, after) => {
    const run = { session, agent: 'build', taken: [taken] };
    const mark = (board: Board) => markUnchecked(board, [run]);
    const fixture = new ManagerFixture(undefined, { unchecked: () => Promise.resolve(mark) });
    await fixture.call(
      'build',
      { type: 'init', title: 'S' },
      ...['Choose', 'Build', 'Ship'].map((title) => ({ type: 'add', title })),
    );
    await fixture.manager.review(PATH, 'all');
    fixture.editNote('build', (text) => text.replace('Ship 🆔', 'Ship [approve:: me] 🆔'));
    await fixture.call('build', { type: 'complete', id: 2 }, { type: 'complete', id: 3 });
    expect((await fixture.tasks('build')).slice(1)).toEqual([after, 'Ship: in_progress']);
  });
});

describe('an agent and a review', () => {
  test.each([
    { type: 'update', id: 2, status: 'pending' },
    { type: 'update', id: 2, status: 'in_progress' },
    { type: 'update', id: 2, status: 'failed', reason: 'broken' },
    { type: 'update', id: 2, status: 'cancelled' },
    { type: 'claim', id: 2 },
    { type: 'remove', id: 2, cascade: true },
    { type: 'archive', id: 2, force: true, reason: 'over' },
    { type: 'undo' },
  ])('[REVIEW4] ends none: %j', async (operation) => {
    const fixture = await inReview();
    const before = fixture.text('build');
    const answer = await fixture.call('build', operation);
    expect(codes(answer)).toEqual(['in_review']);
    expect(messages(answer)[0]).toContain(
      "#2 Build waits for the person's review, which only the person ends. Nothing of this operation was done.",
    );
    expect(fixture.text('build')).toBe(before);
  });

  test('[REVIEW4] another agent of the session ends none either, nor one that works on a part of it', async () => {
    const fixture = await inReview();
    await fixture.call('build', { type: 'add', title: 'Part', parent: 2 });
    const other = await fixture.call('plan', { type: 'claim', id: 2, agent: 'build' });
    expect(codes(other)).toEqual(['in_review']);
    expect(codes(await fixture.call('build', { type: 'remove', id: 4 }))).toEqual(['ok']);
  });

  test.each([
    { type: 'update', id: 1, review: '2026-11-21' },
    { type: 'update', id: 2, review: null },
    { type: 'add', title: 'New', review: '2026-11-21' },
  ])('[REVIEW4] sets and clears the field in no operation: %j', async (operation) => {
    const fixture = await inReview();
    const before = fixture.text('build');
    const answer = await fixture.call('build', operation);
    expect(codes(answer)).toEqual(['not_yours']);
    expect(messages(answer)[0]).toContain('only the person removes it');
    expect(fixture.text('build')).toBe(before);
  });

  test('[REVIEW4] a field in what it writes is text', async () => {
    const fixture = await planned('all');
    await fixture.call(
      'build',
      { type: 'add', title: 'A [review:: 2026-11-21]', status: 'in_progress' },
      { type: 'update', id: 1, title: 'B [review:: 2026-11-21]', status: 'in_progress' },
      { type: 'update', id: 3, reason: 'x] [review:: 2026-11-21' },
    );
    expect((await fixture.board('build')).map(({ review }) => review)).toEqual([
      ...[null, null, null, null],
    ]);
  });

  test('[REVIEW5] keeps the lines by which the person reviews, and may add to them', async () => {
    const fixture = await planned('success');
    const without = { type: 'update', id: 2, body: 'Success: it is fast' };
    const refused = await fixture.call('build', without, { type: 'update', id: 2, body: null });
    expect(codes(refused)).toEqual(['bad_body', 'bad_body']);
    expect(messages(refused)[0]).toContain('send them in the body as they are');
    const body = 'Success: it finds words\nSuccess: it is fast\nResult: 3 ms';
    expect(codes(await fixture.call('build', { type: 'update', id: 2, body }))).toEqual(['ok']);
    await fixture.manager.review(PATH, undefined);
    expect(codes(await fixture.call('build', without))).toEqual(['ok']);
  });

  test('[REVIEW5] also while a task waits for its review on a board that reviews no other', async () => {
    const fixture = await inReview();
    await fixture.manager.review(PATH, undefined);
    const refused = await fixture.call('build', { type: 'update', id: 2, body: 'all well' });
    expect(codes(refused)).toEqual(['bad_body']);
  });
});

describe('the person and a review', () => {
  test('[REVIEW6] accepts it: it is completed, what waited for it is free, and one undo takes that back', async () => {
    const fixture = await inReview();
    const done = await person(fixture, { type: 'accept', id: 2 });
    expect(done).toMatchObject({ ok: true, frees: 1 });
    expect(line(fixture, 'Build')).toBe('- [x] Build 🆔 a4rg-2 ✅ 2026-11-21 ^a4rg-2');
    expect((await fixture.manager.undoLast(PATH, PERSON)).ok).toBe(true);
    expect(line(fixture, 'Build')).toBe(WAITING);
  });

  test('[REVIEW6] sends it back with words, which stand below it, and one undo takes that back', async () => {
    const fixture = await inReview();
    expect(
      (await person(fixture, { type: 'send_back', id: 2, words: 'Umlauts are lost' })).ok,
    ).toBe(true);
    expect(line(fixture, 'Build')).toBe('- [/] Build 🆔 a4rg-2 ^a4rg-2');
    expect(fixture.text('build')).toContain(
      '\tSuccess: it finds words\n\tSent back: Umlauts are lost\n',
    );
    expect((await fixture.manager.undoLast(PATH, PERSON)).ok).toBe(true);
    expect(line(fixture, 'Build')).toBe(WAITING);
    expect(fixture.text('build')).not.toContain('Sent back');
  });

  test('[REVIEW6] is refused where nothing waits, and where the words are none', async () => {
    const fixture = await inReview();
    expect(await person(fixture, { type: 'accept', id: 1 })).toMatchObject({ code: 'no_review' });
    const empty = await person(fixture, { type: 'send_back', id: 2, words: ' ' });
    expect(empty).toMatchObject({ code: 'bad_value' });
    expect(line(fixture, 'Build')).toBe(WAITING);
  });

  test.each(['pending', 'in_progress', 'completed', 'failed', 'deferred', 'cancelled'] as const)(
    '[REVIEW7] any status that they give ends it: %s',
    async (status) => {
      const fixture = await inReview();
      expect((await person(fixture, { type: 'update', id: 2, status })).ok).toBe(true);
      expect((await fixture.board('build'))[1]).toMatchObject({ status, review: null });
    },
  );

  test('[REVIEW7] a field on a task that is not in progress means nothing, and goes with the next status', async () => {
    const fixture = await inReview();
    fixture.editNote('build', (text) => text.replace('[/] Build', '[x] Build'));
    const answer = await fixture.call('build', { type: 'list' });
    expect(answer.result.board?.tasks[1]).not.toHaveProperty('review');
    expect(answer.output).toContain('- #2 Build: completed, was in_progress');
    await fixture.call('build', { type: 'update', id: 2, status: 'pending' });
    expect(line(fixture, 'Build')).toBe('- [ ] Build 🆔 a4rg-2 ^a4rg-2');
  });
});

describe('what the agent is told of its review', () => {
  test('[REVIEW8] once that it was accepted', async () => {
    const fixture = await inReview();
    await person(fixture, { type: 'accept', id: 2 });
    const { said } = await fixture.call('build', { type: 'list' });
    expect(said).toContain(
      'Changed by the person since you last looked:\n- accepted #2 Build: it is completed',
    );
    expect((await fixture.call('build', { type: 'list' })).said).not.toContain('accepted');
  });

  test('[REVIEW8] once that it was sent back, with the words, in a summary too', async () => {
    const fixture = await inReview();
    await person(fixture, { type: 'send_back', id: 2, words: 'Umlauts are lost' });
    const told =
      '- sent #2 Build back to you: "Umlauts are lost". It is in progress again: work on it, then complete it again';
    const summary = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' });
    expect(summary).toContain(told);
    const { said } = await fixture.call('build', { type: 'list' });
    expect(said).toContain(told);
    expect(said).not.toContain('body');
    expect((await fixture.call('build', { type: 'list' })).said).not.toContain('sent');
    await fixture.call('build', { type: 'complete', id: 2 });
    expect(line(fixture, 'Build')).toBe(WAITING);
  });

  test('[REVIEW8] one that it completes before it was told so stays as the person left it', async () => {
    const fixture = await inReview();
    await person(fixture, { type: 'send_back', id: 2, words: 'Umlauts are lost' });
    const answer = await fixture.call('build', { type: 'complete', id: 2 });
    expect(codes(answer)).toEqual(['conflict']);
    expect(answer.said).toContain('Umlauts are lost');
    expect(line(fixture, 'Build')).toBe('- [/] Build 🆔 a4rg-2 ^a4rg-2');
  });

  test('[REVIEW8] with what else they changed of it', async () => {
    const fixture = await inReview();
    await person(
      fixture,
      { type: 'update', id: 2, status: 'deferred' },
      { type: 'update', id: 2, body: 'Later.', priority: 'low' },
    );
    const { said } = await fixture.call('build', { type: 'list' });
    expect(said).toContain('- #2 Build: deferred, and its review is over');
    expect(said).toContain('- #2 Build: body "Later."');
    expect(said).toContain('- #2 Build: priority "low"');
  });
});
