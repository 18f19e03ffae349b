import { describe, expect, test } from 'vitest';
import { analyseBoard, taskRisk } from '../../src/core/board/graph/analyse-board';
import { estimateMinutes } from '../../src/core/board/graph/plan-graph';
import { whatIf } from '../../src/core/board/graph/schedule';
import { boardOf } from './note-sample';

const of = (body: string) => analyseBoard(boardOf(body));

/** A release: 3 contains 5 and waits for nothing open; 11 failed; 2 and 4 are finished. */
const STORY = [
  '- [x] Read 🆔 p-2',
  '- [/] Index [risk:: high] 🆔 p-3 ⛔ p-2',
  '\t- [x] Split 🆔 p-4',
  '\t- [/] Keep 🆔 p-5',
  '- [ ] Score 🆔 p-6 ⛔ p-3',
  '- [ ] Highlight 🆔 p-7 ⛔ p-6',
  '- [ ] Choose 🆔 p-9',
  '- [ ] Measure [scope:: system] 🆔 p-10 ⛔ p-6,p-9',
  '- [!] Sign 🆔 p-11',
  '- [ ] Guide 🆔 p-12 ⛔ p-6',
  '- [ ] Publish 🆔 p-13 ⛔ p-10,p-11,p-12',
  '',
].join('\n');

describe('a plan as a graph', () => {
  test('[GRAPH1] prerequisites on the board count, finished ones hold nothing up, unknown ones are told', () => {
    const { order, parallel, unknown, blocked } = of(
      '- [x] a 🆔 p-1\n- [ ] b 🆔 p-2 ⛔ p-1,nobody\n- [x] c 🆔 p-3 ⛔ gone\n',
    );
    expect(order).toEqual(['p-2']);
    expect(parallel).toEqual([['p-2']]);
    expect(unknown).toEqual([{ task: 'p-2', id: 'nobody' }]);
    expect(blocked).toEqual(['p-2']);
  });

  test('[GRAPH2] a subtask waits for all that those above it wait for; a parent is done after it', () => {
    const { order, parallel } = of(
      '- [ ] p 🆔 p-1 ⛔ p-4\n\t- [ ] q 🆔 p-2\n\t\t- [ ] r 🆔 p-3\n- [ ] s 🆔 p-4\n- [ ] t ⛔ p-1 🆔 p-5\n',
    );
    expect(order).toEqual(['p-4', 'p-3', 'p-2', 'p-1', 'p-5']);
    expect(parallel).toEqual([['p-4'], ['p-3', 'p-2', 'p-1'], ['p-5']]);
  });

  test('[GRAPH4] waves are what can be done at the same time, a parent in that of its last subtask', () => {
    expect(of(STORY).parallel).toEqual([
      ['p-5', 'p-9', 'p-11', 'p-3'],
      ['p-6'],
      ['p-7', 'p-10', 'p-12'],
      ['p-13'],
    ]);
  });

  test('[GRAPH5] a cycle is told as its way of waiting; what is in it or behind has no place', () => {
    const { cycles, order } = of(
      '- [ ] a 🆔 p-1 ⛔ p-3\n- [ ] b 🆔 p-2 ⛔ p-1\n- [ ] c 🆔 p-3 ⛔ p-2\n- [ ] d 🆔 p-4 ⛔ p-3\n- [ ] e 🆔 p-5\n',
    );
    expect(cycles).toEqual([['p-1', 'p-3', 'p-2', 'p-1']]);
    expect(order).toEqual(['p-5']);
    expect(of('- [ ] a 🆔 p-1 ⛔ p-1\n').cycles).toEqual([['p-1', 'p-1']]);
    // The parent can only be done after it; the subtask, waiting with its parent, can't begin.
    expect(of('- [ ] a 🆔 p-1 ⛔ p-2\n\t- [ ] b 🆔 p-2\n').cycles).toEqual([['p-2', 'p-1', 'p-2']]);
    expect(of('- [x] a 🆔 p-1 ⛔ p-2\n- [ ] b 🆔 p-2 ⛔ p-1\n').cycles).toEqual([]);
  });

  test('[GRAPH6] tasks count 1 each; minutes as soon as an open one has an estimate, others then an hour', () => {
    expect(of('- [ ] a 🆔 p-1\n- [ ] b ⛔ p-1\n')).toMatchObject({ unit: 'tasks', length: 2 });
    expect(of('- [ ] a [estimate:: 1h 30m] 🆔 p-1\n- [ ] b ⛔ p-1\n')).toMatchObject({
      unit: 'minutes',
      length: 150,
    });
    expect(of('- [x] a [estimate:: 2h]\n- [ ] b\n')).toMatchObject({ unit: 'tasks', length: 1 });
    const parent = '- [ ] a [estimate:: 8h] 🆔 p-1\n\t- [ ] b [estimate:: 3h]\n\t- [x] c\n';
    expect(of(parent).length).toBe(180);
    expect(of(parent.replace('[ ] b', '[x] b')).length).toBe(0);
    expect(['30m', '2h', '1.5h', '1h 30m', '45 min', '1h30m'].map(estimateMinutes)).toEqual([
      30, 120, 90, 90, 45, 90,
    ]);
    expect(['', 'soon', '2d', 'h', null].map(estimateMinutes)).toEqual(Array(5).fill(undefined));
  });

  test('[GRAPH7] the critical path is the longest chain; of several the one that stands first', () => {
    const { criticalPath, length } = of(STORY);
    expect(criticalPath).toEqual(['p-5', 'p-3', 'p-6', 'p-10', 'p-13']);
    expect(length).toBe(4);
    expect(of('').criticalPath).toEqual([]);
  });

  test('[GRAPH8] slack is how much longer a task may take before the plan does', () => {
    expect(Object.fromEntries(of(STORY).slack.map(({ task, slack }) => [task, slack]))).toEqual({
      'p-3': 0,
      'p-5': 0,
      'p-6': 0,
      'p-7': 1,
      'p-9': 1,
      'p-10': 0,
      'p-11': 2,
      'p-12': 0,
      'p-13': 0,
    });
  });

  test('[GRAPH9] bottlenecks stand between others; above 1,000 tasks a fixed sample tells', () => {
    const { bottlenecks, sampled } = of(
      '- [ ] a 🆔 p-1\n- [ ] b 🆔 p-2\n- [ ] c 🆔 p-3 ⛔ p-1,p-2\n- [ ] d 🆔 p-4 ⛔ p-3\n- [ ] e ⛔ p-3\n- [x] f ⛔ p-3\n',
    );
    expect(bottlenecks).toEqual([{ task: 'p-3', score: 4 }]);
    expect(sampled).toBe(false);
    const hub = Array.from({ length: 1200 }, (_, i) =>
      i === 600
        ? '- [ ] h 🆔 p-600 ⛔ p-1,p-2\n'
        : `- [ ] t 🆔 p-${i}${i > 600 ? ' ⛔ p-600' : ''}\n`,
    ).join('');
    const large = of(hub);
    expect(large.sampled).toBe(true);
    expect(large.bottlenecks).toHaveLength(1);
    // 2 tasks before it, 599 after: 1,198 paths; the sample finds both of the 2, one or none.
    expect(large.bottlenecks[0]?.task).toBe('p-600');
    expect(of(hub).bottlenecks).toEqual(large.bottlenecks);
  });
});

describe('risk', () => {
  test('[GRAPH10] a failure costs more the more it touches, so that probability matters', () => {
    const assessed = { risk: 'high', scope: 'moderate', impact: 'phase' };
    const high = taskRisk(assessed);
    expect(high.success).toBe(0.65);
    expect(high.cost).toBe(3);
    expect(high.expectedCost).toBeCloseTo(5.1, 9); // 3 + 0.35 × 2 × 3
    expect(taskRisk({ ...assessed, risk: 'low' }).expectedCost).toBeCloseTo(3.6, 9);
    expect(taskRisk({ risk: null, scope: null, impact: null })).toEqual(
      taskRisk({ risk: 'medium', scope: 'narrow', impact: 'isolated' }),
    );
    expect(taskRisk({ risk: 'toString', scope: 'x', impact: '' }).expectedCost).toBeCloseTo(2.4, 9);
  });

  test('[GRAPH10] a plan adds up its open tasks; a parent stands for its open subtasks', () => {
    const { expected } = of(
      '- [ ] p [risk:: critical]\n\t- [ ] a [risk:: critical] [scope:: single] [impact:: component]\n\t- [ ] b\n- [x] c [risk:: critical]\n',
    );
    expect(expected.tasks).toBe(2);
    expect(expected.assessed).toBe(1);
    expect(expected.cost).toBe(3);
    expect(expected.expectedCost).toBeCloseTo(1.75 + 2.4, 9);
    expect(expected.success).toBeCloseTo(0.4, 9);
  });

  test('[GRAPH11] the risk path is the chain in which most can go wrong, however short', () => {
    const { risk, criticalPath } = of(
      [
        '- [ ] a [risk:: trivial] 🆔 p-1',
        '- [ ] b [risk:: trivial] 🆔 p-2 ⛔ p-1',
        '- [ ] c [risk:: trivial] 🆔 p-3 ⛔ p-2',
        '- [ ] d [risk:: critical] [impact:: project] 🆔 p-4',
        '- [ ] e [risk:: high] 🆔 p-5 ⛔ p-4',
        '',
      ].join('\n'),
    );
    expect(criticalPath).toEqual(['p-1', 'p-2', 'p-3']);
    expect(risk.path).toEqual(['p-4', 'p-5']);
    expect(risk.success).toBeCloseTo(0.325, 9);
  });

  test('[GRAPH12] large or risky tasks are to be split, those that were split already not', () => {
    const { decompose } = of(
      [
        '- [ ] a [scope:: broad]',
        '- [ ] b [scope:: system] [risk:: critical] [estimate:: 9h]',
        '- [ ] c [risk:: high]',
        '\t- [x] d',
        '- [x] e [scope:: system]',
        '- [ ] f [impact:: project] [estimate:: 8h]',
        '',
      ].join('\n'),
    );
    expect(decompose.map(({ reasons }) => reasons)).toEqual([
      ['system scope', 'critical risk', 'estimated at 9h'],
      ['broad scope'],
      ['impact on the whole project'],
    ]);
  });

  test('[GRAPH13] what if a task were done: whom it frees, what can start, who still waits', () => {
    expect(whatIf(boardOf(STORY), 'p-6')).toEqual({
      frees: ['p-7', 'p-12'],
      makesReady: ['p-7', 'p-12'],
      stillWait: ['p-10'],
    });
    const last = boardOf('- [ ] p 🆔 p-1\n\t- [ ] c 🆔 p-2\n- [ ] w 🆔 p-3 ⛔ p-1\n');
    expect(whatIf(last, 'p-2')).toEqual({ frees: [], makesReady: ['p-1'], stillWait: [] });
  });
});
