import { describe, expect, test } from 'vitest';
import { boardFacts } from '../../src/core/board/facts';
import { stuckTasks } from '../../src/core/board/graph/stuck-tasks';
import type { Task } from '../../src/core/board/task';
import { fc } from '../seeded';
import { boardOf } from './note-sample';
import { randomPlan, planText } from './plan-model';

const stuck = (body: string) => Object.fromEntries(stuckTasks(boardOf(body)));

describe('what can never be finished', () => {
  test('[GRAPH20] a task that waits for a failed one is stuck, also through others; the failed one is not', () => {
    const failed = [{ kind: 'failed', task: 'p-1' }];
    expect(
      stuck(
        '- [!] Sign 🆔 p-1\n- [ ] Publish 🆔 p-2 ⛔ p-1\n- [/] Tell 🆔 p-3 ⛔ p-2\n- [ ] Rest 🆔 p-4\n',
      ),
    ).toEqual({ 'p-2': failed, 'p-3': failed });
    // A cancelled task blocks nobody; a deferred one is expected to be resumed.
    expect(stuck('- [-] Sign 🆔 p-1\n- [ ] Publish 🆔 p-2 ⛔ p-1\n')).toEqual({});
    expect(stuck('- [>] Sign 🆔 p-1\n- [ ] Publish 🆔 p-2 ⛔ p-1\n')).toEqual({});
  });

  test('[GRAPH20] what failed holds up what it is a part of, and its own parts', () => {
    const failed = [{ kind: 'failed', task: 'p-2' }];
    expect(
      stuck(
        '- [ ] Whole 🆔 p-1\n\t- [!] Part 🆔 p-2\n\t\t- [ ] Piece 🆔 p-3\n\t- [ ] Other 🆔 p-4\n',
      ),
    ).toEqual({ 'p-1': failed, 'p-3': failed });
  });

  test('[GRAPH20] an id that is not on the board is waited for in vain, unless it is archived', () => {
    const body = '- [ ] a 🆔 p-1 ⛔ p-9\n\t- [ ] b 🆔 p-2\n- [ ] c 🆔 p-3 ⛔ p-1\n';
    const missing = [{ kind: 'missing', task: 'p-1', id: 'p-9' }];
    expect(stuck(body)).toEqual({ 'p-1': missing, 'p-2': missing, 'p-3': missing });
    expect(stuckTasks({ ...boardOf(body), archived: new Set(['p-9']) })).toEqual(new Map());
  });

  test('[GRAPH20] tasks that wait for each other are stuck, and what waits for them; each cause is told', () => {
    const round = { kind: 'cycle', way: ['p-1', 'p-2', 'p-1'] };
    expect(
      stuck(
        '- [ ] a 🆔 p-1 ⛔ p-2\n- [ ] b 🆔 p-2 ⛔ p-1\n- [!] c 🆔 p-3\n- [ ] d 🆔 p-4 ⛔ p-1,p-3\n- [ ] e 🆔 p-5\n',
      ),
    ).toEqual({
      'p-1': [round],
      'p-2': [round],
      'p-4': [round, { kind: 'failed', task: 'p-3' }],
    });
  });

  test('[GRAPH20] it is what is left open when all that can be worked on was done, one after another', () => {
    let [some, none] = [0, 0];
    fc.assert(
      fc.property(randomPlan, fc.boolean(), (drawn, backwards) => {
        const board = boardOf(planText(drawn, backwards).replaceAll('[>]', '[!]'));
        const found = [...stuckTasks(board).keys()].filter(
          (key) => board.tasks.find((task) => task.key === key)?.status !== 'failed',
        );
        const left = allDone(board.tasks).filter(isWork);
        expect(found.sort()).toEqual(left.map(({ key }) => key).sort());
        if (left.length > 0) some += 1;
        else none += 1;
      }),
      { numRuns: 300 },
    );
    expect(some).toBeGreaterThan(50);
    expect(none).toBeGreaterThan(20);
  });
});

function isWork({ status }: Task): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** The tasks after completing all that can be completed, one after the other. */
function allDone(tasks: readonly Task[]): readonly Task[] {
  const facts = boardFacts({ tasks });
  const can = tasks.find((task) => {
    const { blocked = true, children = 0, finishedChildren = -1 } = facts.get(task.key) ?? {};
    return isWork(task) && !blocked && children === finishedChildren;
  });
  if (can === undefined) return tasks;
  return allDone(tasks.map((task) => (task === can ? { ...task, status: 'completed' } : task)));
}
