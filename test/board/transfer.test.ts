import { beforeEach, describe, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import type { Board, Task } from '../../src/core/board/task';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const FROM = boardPathOf('build');
const TO = boardPathOf('build', 'ses_2');

let world: ManagerFixture;

beforeEach(async () => {
  world = new ManagerFixture();
  await world.call(
    'build',
    { type: 'add', title: 'Read', phase: 'First' },
    { type: 'add', title: 'Write', phase: 'First', dependsOn: [1] },
    { type: 'add', title: 'Draft', parent: 2, body: 'Words of it.' },
    { type: 'add', title: 'Check', parent: 2, dependsOn: [3] },
    { type: 'add', title: 'Print', phase: 'Last', dependsOn: [2, 1] },
  );
  await world.callIn('ses_2', 'build', { type: 'add', title: 'Plan', phase: 'Begin' });
  await world.callIn('ses_2', 'build', {
    type: 'add',
    title: 'Send',
    phase: 'End',
    dependsOn: [1],
  });
});

const boardAt = async (path: string): Promise<Board> => {
  const board = await world.manager.load(path);
  if (board === undefined) throw new Error(`no board ${path}`);
  return board;
};

const taskOf = async (path: string, title: string): Promise<Task> => {
  const task = (await boardAt(path)).tasks.find((one) => one.title === title);
  if (task === undefined) throw new Error(`no task ${title}`);
  return task;
};

/** Number, title, parent's title, phase, prerequisites, references elsewhere. */
const shape = async (path: string): Promise<string[]> => {
  const { tasks } = await boardAt(path);
  const title = (key: string) => tasks.find((one) => one.key === key || one.id === key)?.title;
  return tasks.map(({ n, title: own, parent, phase, dependsOn, waitsFor }) =>
    [
      `#${n ?? ''} ${own}`,
      parent === null ? (phase ?? '') : `in ${title(parent) ?? ''}`,
      ...dependsOn.map((id) => `after ${title(id) ?? id}`),
      ...(waitsFor === null ? [] : [`names ${waitsFor}`]),
    ].join(', '),
  );
};

const bytes = () => [world.text('build'), world.text('build', 'ses_2')];
const withoutCounters = (text: string) => text.replace(/^(rev|next): \d+\n/gmu, '');

async function move(...titles: string[]) {
  const tasks = await Promise.all(titles.map((title) => taskOf(FROM, title)));
  const done = await world.manager.transfer(FROM, tasks, TO, { after: await taskOf(TO, 'Plan') });
  if (!done.ok) throw new Error(done.message);
  return done;
}

describe('tasks that go to another board', () => {
  test('[TASKS82] come with subtasks and text, get its next numbers, and wait for each other as before', async () => {
    const done = await move('Write', 'Check');
    expect(done.ids.map((id) => id.replace(/.*-/, '#'))).toEqual(['#3', '#4', '#5']);
    const [from] = (await taskOf(FROM, 'Read')).id?.split('-') ?? [];
    const [to] = done.ids[0]?.split('-') ?? [];
    expect(from).not.toBe(to);
    expect(await shape(TO)).toEqual([
      '#1 Plan, Begin',
      `#3 Write, Begin, names ses_1/${from}-1`,
      '#4 Draft, in Write',
      '#5 Check, in Write, after Draft',
      '#2 Send, End, after Plan',
    ]);
    expect((await taskOf(TO, 'Draft')).body).toEqual(['Words of it.']);
    expect(await shape(FROM)).toEqual([
      '#1 Read, First',
      `#5 Print, Last, after Read, names ses_2/${to}-3`,
    ]);
    expect(done.crossing).toBe(2);
    expect((await boardAt(TO)).tasks.every(({ malformed }) => malformed === null)).toBe(true);
  });

  test('[TASKS82] are taken back on both boards, byte for byte but for the counters', async () => {
    const before = bytes().map(withoutCounters);
    for (const one of ['left', 'came'] as const) {
      const moved = await move('Write', 'Read');
      const undone = await world.manager.undo(moved[one]);
      expect(undone.ok).toBe(true);
      expect(bytes().map(withoutCounters)).toEqual(before);
    }
  });

  test('[TASKS82] stand where it is said: in front, under, in a phase, or last', async () => {
    const send = async () => taskOf(TO, 'Send');
    const { manager } = world;
    await manager.transfer(FROM, [await taskOf(FROM, 'Print')], TO, { before: await send() });
    await manager.transfer(FROM, [await taskOf(FROM, 'Check')], TO, { parent: await send() });
    await manager.transfer(FROM, [await taskOf(FROM, 'Draft')], TO, { phase: 'Begin' });
    await manager.transfer(FROM, [await taskOf(FROM, 'Write')], TO);
    const titles = (await shape(TO)).map((line) => line.split(', ').slice(0, 2).join(', '));
    expect(titles).toEqual([
      '#1 Plan, Begin',
      '#5 Draft, Begin',
      '#3 Print, End',
      '#2 Send, End',
      '#4 Check, in Send',
      '#6 Write, End',
    ]);
  });

  test('[TASKS82] a board that can’t take or leave them stays as it is, and so does the other', async () => {
    const before = bytes();
    const read = await taskOf(FROM, 'Read');
    const nowhere = { after: { id: null, line: 99, title: 'Nothing' } };
    const refused = await world.manager.transfer(FROM, [read], TO, nowhere);
    expect(refused.ok).toBe(false);
    expect(bytes()).toEqual(before);
    // Between the two writes another program renames the task.
    const off = world.manager.onChange(({ path }) => {
      if (path === TO)
        world.editNote('build', (text) => text.replace(/\] Read (?!it )/u, '] Read it '));
    });
    const changed = await world.manager.transfer(FROM, [read], TO);
    off();
    expect(changed).toMatchObject({ ok: false, code: 'changed_since' });
    expect(await shape(TO)).toEqual(['#1 Plan, Begin', '#2 Send, End, after Plan']);
    expect((await shape(FROM))[0]).toBe('#1 Read it, First');
  });

  test('[TASKS83] a task moves in front of another, also before the first of a phase', async () => {
    const print = await taskOf(FROM, 'Print');
    const moved = await world.manager.commit(FROM, PERSON, [
      { type: 'move', id: print, before: await taskOf(FROM, 'Read') },
    ]);
    expect(moved.ok).toBe(true);
    expect((await shape(FROM)).map((line) => line.split(',')[0])).toEqual([
      '#5 Print',
      '#1 Read',
      '#2 Write',
      '#3 Draft',
      '#4 Check',
    ]);
    const inside = await world.manager.commit(FROM, PERSON, [
      { type: 'move', id: await taskOf(FROM, 'Write'), before: await taskOf(FROM, 'Draft') },
    ]);
    expect(inside).toMatchObject({ ok: false, code: 'bad_place' });
  });
});
