import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { task } from './plan-board';
import { Led, wish } from './run-fixture';

const PASS =
  '{"verdict": "pass", "criteria": [{"n": 1, "met": true, "why": ""}], "result": "40 of 40"}';
const FAIL =
  '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "2 of 40"}], "result": ""}';

function why(led: Led): unknown {
  return led.state.kind === 'waiting' ? led.state.why : led.state.kind;
}

describe('planning', () => {
  test('[RUN2] the plan is asked for, and approved before anything is begun', () => {
    const led = new Led();
    led.do({ type: 'start', run: 'r1', wish: wish(), session: null });
    expect(led.asked('start_session')).toMatchObject({ role: 'plan', parent: null, task: null });
    led.opened('planner');
    expect(led.asked('prompt')).toMatchObject({ role: 'plan', session: 'planner', attempt: 1 });
    led.done('prompt');
    led.tasks = [task(1)];
    led.turnEnded('planner', 'm1');
    expect(stateName(led.state)).toBe('approving');
    expect(led.asked('tell').what).toEqual({ kind: 'approve' });
    expect(led.count('checkpoint')).toBe(0);
    led.tasks = [task(1, { title: 'Another first step' }), task(2)];
    led.do({ type: 'approve' });
    expect(led.asked('checkpoint').label).toBe('Before: Another first step');
  });

  test('[RUN2] a plan that comes as text is put onto the board', () => {
    const led = new Led();
    led.do({ type: 'start', run: 'r1', wish: wish(), session: null });
    led.opened('planner');
    led.done('prompt');
    led.do({ type: 'said', sessionId: 'planner', text: '1. Read\n2. Write' });
    led.turnEnded('planner', 'm1');
    expect(led.asked('plan_text').text).toBe('1. Read\n2. Write');
    led.tasks = [task(1), task(2)];
    led.done('plan_text');
    expect(stateName(led.state)).toBe('approving');
  });

  test('[RUN2] a planning that ends without a plan is tried again, then the run fails', () => {
    const led = new Led();
    led.do({ type: 'start', run: 'r1', wish: wish({}, { attempts: 2 }), session: null });
    led.opened('planner');
    led.done('prompt');
    led.turnEnded('planner', 'm1');
    led.do({ type: 'time' }, 60_000);
    expect(led.asked('prompt').attempt).toBe(2);
    expect(led.asked('prompt').wrong).toContain('no plan');
    led.done('prompt');
    led.turnEnded('planner', 'm2');
    expect(led.state).toMatchObject({ kind: 'failed', reason: 'no_plan' });
  });

  test('[RUN2] another plan is asked for with the person’s words, in the same session', () => {
    const led = new Led().planned([task(1)], { approve: true });
    const again = new Led();
    again.do({ type: 'start', run: 'r1', wish: wish(), session: null });
    again.opened('planner');
    again.done('prompt');
    again.tasks = [task(1)];
    again.turnEnded('planner', 'm1');
    again.do({ type: 'replan', words: 'smaller steps' });
    expect(again.asked('prompt')).toMatchObject({ session: 'planner', wrong: 'smaller steps' });
    expect(stateName(led.state)).toBe('executing');
  });
});

describe('a step', () => {
  test('[RUN3] a checkpoint, the board, a session bound to the task, the prompt: in this order', () => {
    const led = new Led().planned([task(1, { owner: 'explore' })]);
    const from = led.commands.length - 1;
    led.begun('w1');
    const asked = led.commands.slice(from).filter(({ type }) => type !== 'store');
    expect(asked.map(({ type }) => type)).toEqual([
      'checkpoint',
      'write',
      'start_session',
      'prompt',
    ]);
    expect(led.asked('start_session')).toMatchObject({
      ...{ role: 'work', parent: 'planner', task: 'k3f9-1', agent: 'explore' },
    });
    expect(led.asked('start_session').title).toBe('Task 1');
  });

  test('[RUN5] sending completes nothing, and neither does the agent’s word before its turn is over', () => {
    const led = new Led().planned([task(1), task(2, { dependsOn: ['k3f9-1'] })]).begun('w1');
    expect(led.count('checkpoint')).toBe(1);
    led.set('k3f9-1', { status: 'completed' });
    led.do({ type: 'board', byPerson: [] });
    expect(led.count('checkpoint')).toBe(1);
    led.do({ type: 'said', sessionId: 'w1', text: 'Read 40 files.' });
    led.turnEnded('w1', 'm2');
    expect(led.asked('write').write).toEqual({ kind: 'result', result: 'Read 40 files.' });
    led.done('write');
    expect(led.asked('checkpoint').label).toBe('Before: Task 2');
  });

  test('[TASKS81] what came of a task is noted without colour sequences', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.do({ type: 'board', byPerson: [] });
    led.do({
      type: 'said',
      sessionId: 'w1',
      text: '\u001b[32mRead\u001b[0m 40\u001b[1m files\u001b[m.',
    });
    led.turnEnded('w1', 'm2');
    expect(led.asked('write').write).toEqual({ kind: 'result', result: 'Read 40 files.' });
  });

  test('[RUN6] criteria are judged in a session of its own before what waits for the task begins', () => {
    const tasks = [
      task(1, { body: ['Success: all samples split'] }),
      task(2, { dependsOn: ['k3f9-1'] }),
    ];
    const led = new Led().planned(tasks, {}, { parallel: 2 }).begun('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    expect(led.asked('start_session')).toMatchObject({
      role: 'check',
      parent: 'planner',
      task: null,
    });
    expect(stateName(led.state)).toBe('validating');
    led.opened('c1');
    led.done('prompt');
    expect(led.count('checkpoint')).toBe(1);
    led.do({ type: 'said', sessionId: 'c1', text: PASS });
    led.turnEnded('c1', 'm3');
    expect(led.asked('write').write).toEqual({ kind: 'result', result: '40 of 40' });
    led.done('write');
    expect(led.count('checkpoint')).toBe(2);
  });

  test('[RUN7] a check that fails has the task done again, with what was not met', () => {
    const led = new Led().planned([task(1, { body: ['Success: all samples split'] })]).begun('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    led.opened('c1');
    led.done('prompt');
    led.do({ type: 'said', sessionId: 'c1', text: FAIL });
    led.turnEnded('c1', 'm3');
    expect(led.asked('write').write).toEqual({ kind: 'reopen' });
    led.done('write');
    expect(stateName(led.state)).toBe('retrying');
    const prompts = led.count('prompt');
    led.do({ type: 'time' }, 999);
    expect(led.count('prompt')).toBe(prompts);
    led.do({ type: 'time' }, 1);
    expect(led.asked('prompt')).toMatchObject({
      ...{ session: 'w1', attempt: 2, wrong: 'Not met: all samples split: 2 of 40' },
    });
  });

  test('[RUN7] after the last attempt the task fails, the others go on, and the person is asked', () => {
    const led = new Led().planned([task(1), task(2)], {}, { attempts: 2 }).begun('w1');
    led.turnEnded('w1', 'm2');
    led.do({ type: 'time' }, 60_000);
    led.done('prompt');
    led.turnEnded('w1', 'm3', 'error');
    expect(led.asked('write').write).toEqual({ kind: 'fail', reason: 'The model is overloaded.' });
    led.done('write');
    expect(led.asked('checkpoint').label).toBe('Before: Task 2');
    led.begun('w2');
    led.set('k3f9-2', { status: 'completed' });
    led.turnEnded('w2', 'm4');
    expect(why(led)).toEqual([
      {
        ...{ kind: 'held', why: 'failed', message: 'The model is overloaded.' },
        task: { id: 'k3f9-1', title: 'Task 1' },
      },
    ]);
    led.do({ type: 'retry', task: 'k3f9-1' });
    led.done('write');
    led.do({ type: 'time' }, 1);
    expect(led.asked('prompt')).toMatchObject({ session: 'w1', attempt: 1 });
  });

  test('[RUN8] a task to be approved waits for the person, and is done when they tick it', () => {
    const led = new Led().planned([task(1, { approve: 'me' })]).begun('w1');
    led.turnEnded('w1', 'm2');
    expect(why(led)).toEqual([{ kind: 'approval', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    led.set('k3f9-1', { status: 'completed' });
    led.do({ type: 'board', byPerson: ['k3f9-1'] });
    expect(led.state.kind).toBe('completed');
  });

  test('[RUN9] an agent that takes its task off has not done it: the person is asked', () => {
    const led = new Led().planned([task(1), task(2, { dependsOn: ['k3f9-1'] })]).begun('w1');
    led.set('k3f9-1', { status: 'cancelled' });
    led.turnEnded('w1', 'm2');
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'given_up' }]);
    expect(led.count('checkpoint')).toBe(1);
    led.do({ type: 'skip', task: 'k3f9-1', how: 'cancelled', reason: 'not needed' });
    led.done('write');
    expect(led.count('checkpoint')).toBe(2);
  });

  test('[RUN12] what a turn asks is waited for, and said; what ran out stops the task', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.do({ type: 'asked', sessionId: 'w1', request: 'p1' });
    expect(why(led)).toMatchObject([{ kind: 'asked', session: 'w1' }]);
    led.do({ type: 'answered', sessionId: 'w1', request: 'p1' });
    expect(stateName(led.state)).toBe('executing');
    led.do({ type: 'asked', sessionId: 'w1', request: 'p2' });
    led.do({ type: 'lapsed', sessionId: 'w1', request: 'p2' });
    expect(stateName(led.state)).toBe('executing');
    led.turnEnded('w1', 'm2');
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'unanswered' }]);
  });

  test('[RUN4] a task without a number gets one before it is begun; where it can’t, the run says so', () => {
    const led = new Led().planned([task(1, { id: null, n: null, key: '@12', line: 12 })]);
    expect(led.asked('number')).toMatchObject({ line: 12, title: 'Task 1' });
    led.do({ type: 'refused', key: led.asked('number').key, message: 'The line is malformed.' });
    expect(why(led)).toMatchObject([{ kind: 'board', message: 'The line is malformed.' }]);
    expect(led.count('number')).toBe(1);
    led.tasks = [task(1)];
    led.do({ type: 'board', byPerson: [] });
    expect(led.count('checkpoint')).toBe(1);
  });
});
