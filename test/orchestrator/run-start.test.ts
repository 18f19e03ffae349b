import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { task } from './plan-board';
import { ManualRun, runOptions } from './run-fixture';

function started(led: ManualRun, approve = true): ManualRun {
  led.send({ type: 'start', run: 'r1', wish: runOptions({ approve }), session: 's7' });
  return led;
}

describe('a run that starts in a session', () => {
  test('[RUN23] its board is the plan: approved or carried out, and nobody is asked to plan', () => {
    const led = new ManualRun();
    led.tasks = [task(1, { status: 'completed' }), task(2)];
    started(led);
    expect(stateName(led.state)).toBe('approving');
    expect(led.newestCommand('tell').what).toEqual({ kind: 'approve' });
    led.send({ type: 'approve' });
    led.reportDone('checkpoint');
    led.reportDone('write');
    expect(led.newestCommand('start_session')).toMatchObject({ role: 'work', parent: 's7' });
    const at = new ManualRun();
    at.tasks = [task(1)];
    expect(started(at, false).newestCommand('checkpoint').label).toBe('Before: Task 1');
  });

  test('[RUN23] another plan is asked for in that session', () => {
    const led = new ManualRun();
    led.tasks = [task(1)];
    started(led);
    led.send({ type: 'replan', words: 'smaller steps' });
    expect(led.newestCommand('prompt')).toMatchObject({ session: 's7', wrong: 'smaller steps' });
  });

  test.each([
    ['no task', []],
    ['only tasks that are over', [task(1, { status: 'completed' })]],
  ])('[RUN23] with %s on its board that session plans', (_, tasks) => {
    const led = new ManualRun();
    led.tasks = tasks;
    started(led, false);
    expect(led.newestCommand('prompt')).toMatchObject({ session: 's7', role: 'plan' });
    led.reportDone('prompt');
    led.reportTurnEnded('s7', 'm1');
    expect(led.state).toMatchObject({ stage: { attempt: 2 } });
    led.tasks = [...tasks, task(9)];
    led.send({ type: 'time' }, 60_000);
    led.reportDone('prompt');
    led.reportTurnEnded('s7', 'm2');
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 9');
  });
});

test('[RUN24] a run that is over takes no second start, and what it has to stop stays asked for', () => {
  const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
  led.send({ type: 'cancel' });
  const { state } = led;
  expect(state).toMatchObject({ kind: 'cancelled', stops: [{ session: 'w1' }] });
  expect(led.send({ type: 'start', run: 'r2', wish: runOptions(), session: null })).toEqual([]);
  expect(led.state).toBe(state);
  led.reportTurnEnded('w1', 'm2', 'interrupted');
  expect(led.state).toMatchObject({ kind: 'cancelled', stops: [] });
});
