import { describe, expect, test } from 'vitest';
import { comingTasks } from '../../src/core/board/graph/coming-tasks';
import { PERSON } from '../../src/core/board/history/actor';
import { workSpans } from '../../src/core/board/history/work-spans';
import type { Board } from '../../src/core/board/task';
import { MemoryStore } from '../store/memory-store';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');

/** A board whose clock the test sets, in minutes. */
class Timed extends ManagerFixture {
  minute = 0;

  constructor() {
    const clock = {
      now: () => this.minute * 60_000,
      today: () => '2026-11-21',
      after: () => () => {},
    };
    super(new MemoryStore(), { clock });
  }

  async at(minute: number, ...operations: unknown[]): Promise<void> {
    this.minute = minute;
    await this.call('build', ...operations);
  }

  async whole(): Promise<Board> {
    const board = await this.manager.load(path);
    if (board === undefined) throw new Error('no board');
    return board;
  }

  /** `title by who from-to`, in minutes. */
  async spans(): Promise<string[]> {
    const spans = workSpans(await this.manager.changes(path), await this.whole());
    return spans.map(({ title, by, from, to }) => {
      const who = by.kind === 'person' ? 'person' : by.name;
      return `${title} by ${who} ${from / 60_000}-${to === undefined ? '' : to / 60_000}`;
    });
  }
}

describe('who worked when', () => {
  test('[TIME1] a task that was in progress has a span, by who began it, from that change to the one that ended it', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'Build' }, { type: 'add', title: 'Ship' });
    await board.at(5, { type: 'update', id: 1, status: 'in_progress' });
    await board.at(9, { type: 'update', id: 1, title: 'Build it' });
    await board.at(20, { type: 'complete', id: 1 });
    board.minute = 30;
    const ship = (await board.whole()).tasks[1];
    if (ship === undefined) throw new Error('no task');
    await board.manager.commit(path, PERSON, [{ type: 'update', id: ship, status: 'in_progress' }]);
    expect(await board.spans()).toEqual(['Build it by build 5-20', 'Ship by person 30-']);
  });

  test('[TIME1] a span ends where its task is removed, begins anew where the task does, and counts subtasks', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'Build' }, { type: 'add', title: 'Test', parent: 1 });
    await board.at(1, { type: 'update', id: 2, status: 'in_progress' });
    await board.at(3, { type: 'update', id: 2, status: 'pending' });
    await board.at(6, { type: 'update', id: 2, status: 'in_progress' });
    await board.at(8, { type: 'remove', id: 2 });
    expect(await board.spans()).toEqual(['Test by build 1-3', 'Test by build 6-8']);
  });

  test('[TIME1] where a person ended it in the note, the span ends with the last change that is known', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'Build' }, { type: 'add', title: 'Ship' });
    await board.at(5, { type: 'update', id: 1, status: 'in_progress' });
    await board.at(7, { type: 'update', id: 2, priority: 'high' });
    board.editNote('build', (text) => text.replace('- [/] Build', '- [x] Build'));
    await board.manager.scan();
    expect(await board.spans()).toEqual(['Build by build 5-7']);
  });
});

describe('what comes', () => {
  const coming = async (board: Timed) =>
    comingTasks(await board.whole()).map(({ task, begins, ends }) => [task.title, begins, ends]);

  test('[TIME2] the critical path follows with its estimates, an hour where a task has none', async () => {
    const board = new Timed();
    await board.at(
      0,
      { type: 'add', title: 'Build', estimate: '2h' },
      { type: 'add', title: 'Score', dependsOn: [1] },
      { type: 'add', title: 'Ship', dependsOn: [2], estimate: '30m' },
      { type: 'add', title: 'Aside', estimate: '10m' },
    );
    expect(await coming(board)).toEqual([
      ['Build', 0, 120],
      ['Score', 120, 180],
      ['Ship', 180, 210],
    ]);
    await board.at(1, { type: 'complete', id: 1 });
    expect(await coming(board)).toEqual([
      ['Score', 0, 60],
      ['Ship', 60, 90],
    ]);
  });

  test('[TIME2] without any estimate it has an order and no times', async () => {
    const board = new Timed();
    await board.at(
      0,
      { type: 'add', title: 'Build' },
      { type: 'add', title: 'Ship', dependsOn: [1] },
    );
    expect(await coming(board)).toEqual([
      ['Build', null, null],
      ['Ship', null, null],
    ]);
  });
});
