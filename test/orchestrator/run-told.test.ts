import { describe, expect, test } from 'vitest';
import { entryText } from '../../src/core/orchestrator/run-text';
import { task } from './plan-board';
import { ManualRun } from './run-fixture';

const FAIL =
  '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "2 of 40"}], "result": ""}';

function told(led: ManualRun, kind: string): readonly string[] {
  const { state } = led;
  if (!('run' in state)) return [];
  return state.run.timeline.filter((one) => one.kind === kind).map(entryText);
}

describe('the timeline', () => {
  test('[RUN26] which attempt failed, why, which of how many comes next, and which passed', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { body: ['Success: all split'] })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    led.reportOpened('c1');
    led.reportDone('prompt');
    led.send({ type: 'said', sessionId: 'c1', text: FAIL });
    led.reportTurnEnded('c1', 'm3');
    expect(told(led, 'tried_again')).toEqual([
      'Task 1 · Attempt 1 failed: Not met: all split: 2 of 40. Trying again, 2 of 3.',
    ]);
    led.reportDone('write');
    led.send({ type: 'time' }, 60_000);
    led.reportDone('prompt');
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm4', 'interrupted');
    led.send({ type: 'mark_done', task: 'k3f9-1' });
    led.reportDone('write');
    expect(told(led, 'passed')).toEqual(['Done · Task 1 · Attempt 2 passed']);
  });

  test('[RUN26] the last attempt, with the session that it was', () => {
    const led = new ManualRun().startPlanned([task(1)], {}, { attempts: 1 }).startTask('w1');
    led.reportTurnEnded('w1', 'm2', 'error');
    led.reportDone('write');
    expect(told(led, 'failed')).toEqual([
      'Failed · Task 1 · Attempt 1 of 1: The model is overloaded.',
    ]);
    const entry = 'run' in led.state ? led.state.run.timeline.at(-2) : undefined;
    expect(entry).toMatchObject({ kind: 'failed', id: 'k3f9-1', session: 'w1' });
  });

  test('[RUN26] which checkpoint was made, and how long a connection was away', () => {
    const led = new ManualRun().startPlanned([task(1)]);
    led.send({ type: 'done', key: led.newestCommand('checkpoint').key, n: 3 });
    expect(told(led, 'checkpoint')).toEqual(['Checkpoint 3 · Task 1']);
    led.send({ type: 'linked', up: false });
    led.send({ type: 'linked', up: true }, 8_200);
    expect(told(led, 'connection')).toEqual([
      'Connection · The connection was lost.',
      'Connection · Reconnected after 8 s. Nothing was lost.',
    ]);
  });
});

describe('what the timeline tells of waiting', () => {
  const kinds = (led: ManualRun): readonly string[] =>
    'run' in led.state ? led.state.run.timeline.map(({ kind }) => kind) : [];

  test('[RUN112] why it waits stands there, with what is asked for, cut to a sensible length', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.send({ type: 'asked', sessionId: 'w1', request: 'p1', what: 'bash: rm -rf build' });
    expect(told(led, 'waits')).toEqual(['Waits for you · Task 1 asks you: bash: rm -rf build.']);
    led.send({ type: 'answered', sessionId: 'w1', request: 'p1' });
    expect(kinds(led).at(-1)).toBe('resumed');
    led.send({ type: 'asked', sessionId: 'w1', request: 'p2', what: `bash: ${'😀'.repeat(200)}` });
    led.send({ type: 'asked', sessionId: 'w1', request: 'p3', what: 'edit: a.md' });
    const [, second = ''] = told(led, 'waits');
    expect([...second].length).toBeLessThan(170);
    expect(second.endsWith('😀…')).toBe(true);
    expect(led.state).toMatchObject({ why: [{ what: [expect.anything(), 'edit: a.md'] }] });
  });

  test('[RUN112] what is done to one of two tasks that wait is told as that, not as going on and waiting', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)], {}, { parallel: 2 });
    led.send({
      type: 'refused',
      key: led.newestCommand('checkpoint').key,
      message: 'The disk is full.',
    });
    const first = led.commands.find((one) => one.type === 'checkpoint');
    led.send({ type: 'refused', key: first?.key ?? '', message: 'The disk is full.' });
    const before = kinds(led).length;
    expect(kinds(led).at(-1)).toBe('waits');
    led.send({ type: 'mark_done', task: 'k3f9-1' });
    led.reportDone('write');
    expect(kinds(led).slice(before)).toEqual(['person', 'passed', 'waits']);
    led.send({ type: 'retry', task: 'k3f9-2' });
    expect(told(led, 'person').at(-1)).toBe('You · Task 2 · tried again');
    expect(kinds(led)).not.toContain('resumed');
  });

  test('[RUN113] that the board went back stands there', () => {
    const led = new ManualRun().startPlanned([task(1)]);
    led.send({ type: 'pause' });
    led.send({ type: 'rolled_back', n: 3 });
    expect(told(led, 'rolled_back')).toEqual(['Rolled back to checkpoint 3']);
    expect(led.state.kind).toBe('paused');
  });
});

test('[RUN27] tokens of an answer that are told again are not counted again', () => {
  const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
  const tokens = { type: 'tokens', sessionId: 'w1', count: 10 } as const;
  for (const message of ['m1', 'm2', 'm1', null, null]) led.send({ ...tokens, message });
  expect('run' in led.state ? led.state.run.used.tokens : 0).toBe(40);
});
