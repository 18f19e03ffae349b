import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { task } from './plan-board';
import { Led, wish } from './run-fixture';

function started(led: Led, approve = true): Led {
  led.do({ type: 'start', run: 'r1', wish: wish({ approve }), session: 's7' });
  return led;
}

describe('a run that starts in a session', () => {
  test('[RUN23] its board is the plan: approved or carried out, and nobody is asked to plan', () => {
    const led = new Led();
    led.tasks = [task(1, { status: 'completed' }), task(2)];
    started(led);
    expect(stateName(led.state)).toBe('approving');
    expect(led.asked('tell').what).toEqual({ kind: 'approve' });
    led.do({ type: 'approve' });
    led.done('checkpoint');
    led.done('write');
    expect(led.asked('start_session')).toMatchObject({ role: 'work', parent: 's7' });
    const at = new Led();
    at.tasks = [task(1)];
    expect(started(at, false).asked('checkpoint').label).toBe('Before: Task 1');
  });

  test('[RUN23] another plan is asked for in that session', () => {
    const led = new Led();
    led.tasks = [task(1)];
    started(led);
    led.do({ type: 'replan', words: 'smaller steps' });
    expect(led.asked('prompt')).toMatchObject({ session: 's7', wrong: 'smaller steps' });
  });

  test.each([
    ['no task', []],
    ['only tasks that are over', [task(1, { status: 'completed' })]],
  ])('[RUN23] with %s on its board that session plans', (_, tasks) => {
    const led = new Led();
    led.tasks = tasks;
    started(led, false);
    expect(led.asked('prompt')).toMatchObject({ session: 's7', role: 'plan' });
    led.done('prompt');
    led.turnEnded('s7', 'm1');
    expect(led.state).toMatchObject({ stage: { attempt: 2 } });
    led.tasks = [...tasks, task(9)];
    led.do({ type: 'time' }, 60_000);
    led.done('prompt');
    led.turnEnded('s7', 'm2');
    expect(led.asked('checkpoint').label).toBe('Before: Task 9');
  });
});

test('[RUN24] a run that is over takes no second start, and what it has to stop stays asked for', () => {
  const led = new Led().planned([task(1)]).begun('w1');
  led.do({ type: 'cancel' });
  const { state } = led;
  expect(state).toMatchObject({ kind: 'cancelled', stops: [{ session: 'w1' }] });
  expect(led.do({ type: 'start', run: 'r2', wish: wish(), session: null })).toEqual([]);
  expect(led.state).toBe(state);
  led.turnEnded('w1', 'm2', 'interrupted');
  expect(led.state).toMatchObject({ kind: 'cancelled', stops: [] });
});
