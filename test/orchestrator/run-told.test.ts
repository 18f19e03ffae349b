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
      'Trying again · Task 1 · Attempt 1 failed: Not met: all split: 2 of 40. Trying again, 2 of 3.',
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

test('[RUN27] tokens of an answer that are told again are not counted again', () => {
  const led = new Led().planned([task(1)]).begun('w1');
  const tokens = { type: 'tokens', sessionId: 'w1', count: 10 } as const;
  for (const message of ['m1', 'm2', 'm1', null, null]) led.do({ ...tokens, message });
  expect('run' in led.state ? led.state.run.used.tokens : 0).toBe(40);
});
