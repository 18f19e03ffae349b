import { describe, expect, test } from 'vitest';
import { entryWords } from '../../src/core/orchestrator/run-words';
import { task } from './plan-board';
import { Led } from './run-fixture';

const FAIL =
  '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "2 of 40"}], "result": ""}';

function told(led: Led, kind: string): readonly string[] {
  const { state } = led;
  if (!('run' in state)) return [];
  return state.run.timeline.filter((one) => one.kind === kind).map(entryWords);
}

describe('the timeline', () => {
  test('[RUN26] which attempt failed, why, which of how many comes next, and which passed', () => {
    const led = new Led().planned([task(1, { body: ['Success: all split'] })]).begun('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    led.opened('c1');
    led.done('prompt');
    led.do({ type: 'said', sessionId: 'c1', text: FAIL });
    led.turnEnded('c1', 'm3');
    expect(told(led, 'tried_again')).toEqual([
      'Task 1 · Attempt 1 failed: Not met: all split: 2 of 40. Trying again, 2 of 3.',
    ]);
    led.done('write');
    led.do({ type: 'time' }, 60_000);
    led.done('prompt');
    led.do({ type: 'interrupt', task: null });
    led.turnEnded('w1', 'm4', 'interrupted');
    led.do({ type: 'mark_done', task: 'k3f9-1' });
    led.done('write');
    expect(told(led, 'passed')).toEqual(['Done · Task 1 · Attempt 2 passed']);
  });

  test('[RUN26] the last attempt, with the session that it was', () => {
    const led = new Led().planned([task(1)], {}, { attempts: 1 }).begun('w1');
    led.turnEnded('w1', 'm2', 'error');
    led.done('write');
    expect(told(led, 'failed')).toEqual([
      'Failed · Task 1 · Attempt 1 of 1: The model is overloaded.',
    ]);
    const entry = 'run' in led.state ? led.state.run.timeline.at(-2) : undefined;
    expect(entry).toMatchObject({ kind: 'failed', id: 'k3f9-1', session: 'w1' });
  });

  test('[RUN26] which checkpoint was made, and how long a connection was away', () => {
    const led = new Led().planned([task(1)]);
    led.do({ type: 'done', key: led.asked('checkpoint').key, n: 3 });
    expect(told(led, 'checkpoint')).toEqual(['Checkpoint 3 · Task 1']);
    led.do({ type: 'linked', up: false });
    led.do({ type: 'linked', up: true }, 8_200);
    expect(told(led, 'connection')).toEqual([
      'Connection · The connection was lost.',
      'Connection · Reconnected after 8 s. Nothing was lost.',
    ]);
  });
});

describe('what the timeline tells of waiting', () => {
  const kinds = (led: Led): readonly string[] =>
    'run' in led.state ? led.state.run.timeline.map(({ kind }) => kind) : [];

  test('[RUN112] why it waits stands there, with what is asked for, cut to a sensible length', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.do({ type: 'asked', sessionId: 'w1', request: 'p1', what: 'bash: rm -rf build' });
    expect(told(led, 'waits')).toEqual(['Waits for you · Task 1 asks you: bash: rm -rf build.']);
    led.do({ type: 'answered', sessionId: 'w1', request: 'p1' });
    expect(kinds(led).at(-1)).toBe('resumed');
    led.do({ type: 'asked', sessionId: 'w1', request: 'p2', what: `bash: ${'😀'.repeat(200)}` });
    led.do({ type: 'asked', sessionId: 'w1', request: 'p3', what: 'edit: a.md' });
    const [, second = ''] = told(led, 'waits');
    expect([...second].length).toBeLessThan(170);
    expect(second.endsWith('😀…')).toBe(true);
    expect(led.state).toMatchObject({ why: [{ what: [expect.anything(), 'edit: a.md'] }] });
  });

  test('[RUN112] what is done to one of two tasks that wait is told as that, not as going on and waiting', () => {
    const led = new Led().planned([task(1), task(2)], {}, { parallel: 2 });
    led.do({ type: 'refused', key: led.asked('checkpoint').key, message: 'The disk is full.' });
    const first = led.commands.find((one) => one.type === 'checkpoint');
    led.do({ type: 'refused', key: first?.key ?? '', message: 'The disk is full.' });
    const before = kinds(led).length;
    expect(kinds(led).at(-1)).toBe('waits');
    led.do({ type: 'mark_done', task: 'k3f9-1' });
    led.done('write');
    expect(kinds(led).slice(before)).toEqual(['person', 'passed', 'waits']);
    led.do({ type: 'retry', task: 'k3f9-2' });
    expect(told(led, 'person').at(-1)).toBe('You · Task 2 · tried again');
    expect(kinds(led)).not.toContain('resumed');
  });

  test('[RUN113] that the board went back stands there', () => {
    const led = new Led().planned([task(1)]);
    led.do({ type: 'pause' });
    led.do({ type: 'rolled_back', n: 3 });
    expect(told(led, 'rolled_back')).toEqual(['Rolled back to checkpoint 3']);
    expect(led.state.kind).toBe('paused');
  });
});

test('[RUN27] tokens of an answer that are told again are not counted again', () => {
  const led = new Led().planned([task(1)]).begun('w1');
  const tokens = { type: 'tokens', sessionId: 'w1', count: 10 } as const;
  for (const message of ['m1', 'm2', 'm1', null, null]) led.do({ ...tokens, message });
  expect('run' in led.state ? led.state.run.used.tokens : 0).toBe(40);
});
