import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { task } from './plan-board';
import { ManualRun, runOptions } from './run-fixture';

const PASS =
  '{"verdict": "pass", "criteria": [{"n": 1, "met": true, "why": ""}], "result": "40 of 40"}';
const FAIL =
  '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "2 of 40"}], "result": ""}';

function why(led: ManualRun): unknown {
  return led.state.kind === 'waiting' ? led.state.why : led.state.kind;
}

describe('planning', () => {
  test('[RUN2] the plan is asked for, and approved before anything is begun', () => {
    const led = new ManualRun();
    led.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    expect(led.newestCommand('start_session')).toMatchObject({
      role: 'plan',
      parent: null,
      task: null,
    });
    led.reportOpened('planner');
    expect(led.newestCommand('prompt')).toMatchObject({
      role: 'plan',
      session: 'planner',
      attempt: 1,
    });
    led.reportDone('prompt');
    led.tasks = [task(1)];
    led.reportTurnEnded('planner', 'm1');
    expect(stateName(led.state)).toBe('approving');
    expect(led.newestCommand('tell').what).toEqual({ kind: 'approve' });
    expect(led.count('checkpoint')).toBe(0);
    led.tasks = [task(1, { title: 'Another first step' }), task(2)];
    led.send({ type: 'approve' });
    expect(led.newestCommand('checkpoint').label).toBe('Before: Another first step');
  });

  test('[RUN2] a plan that comes as text is put onto the board', () => {
    const led = new ManualRun();
    led.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    led.reportOpened('planner');
    led.reportDone('prompt');
    led.send({ type: 'said', sessionId: 'planner', text: '1. Read\n2. Write' });
    led.reportTurnEnded('planner', 'm1');
    expect(led.newestCommand('plan_text').text).toBe('1. Read\n2. Write');
    led.tasks = [task(1), task(2)];
    led.reportDone('plan_text');
    expect(stateName(led.state)).toBe('approving');
  });

  test('[RUN2] a planning that ends without a plan is tried again, then the run fails', () => {
    const led = new ManualRun();
    led.send({ type: 'start', run: 'r1', wish: runOptions({}, { attempts: 2 }), session: null });
    led.reportOpened('planner');
    led.reportDone('prompt');
    led.reportTurnEnded('planner', 'm1');
    led.send({ type: 'time' }, 60_000);
    expect(led.newestCommand('prompt').attempt).toBe(2);
    expect(led.newestCommand('prompt').wrong).toContain('no plan');
    led.reportDone('prompt');
    led.reportTurnEnded('planner', 'm2');
    expect(led.state).toMatchObject({ kind: 'failed', reason: 'no_plan' });
  });

  test('[RUN2] another plan is asked for with the person’s words, in the same session', () => {
    const led = new ManualRun().startPlanned([task(1)], { approve: true });
    const again = new ManualRun();
    again.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    again.reportOpened('planner');
    again.reportDone('prompt');
    again.tasks = [task(1)];
    again.reportTurnEnded('planner', 'm1');
    again.send({ type: 'replan', words: 'smaller steps' });
    expect(again.newestCommand('prompt')).toMatchObject({
      session: 'planner',
      wrong: 'smaller steps',
    });
    expect(stateName(led.state)).toBe('executing');
  });
});

describe('a step', () => {
  test('[RUN3] a checkpoint, the board, a session bound to the task, the prompt: in this order', () => {
    const led = new ManualRun().startPlanned([task(1, { owner: 'explore' })]);
    const from = led.commands.length - 1;
    led.startTask('w1');
    const asked = led.commands.slice(from).filter(({ type }) => type !== 'store');
    expect(asked.map(({ type }) => type)).toEqual([
      'checkpoint',
      'write',
      'start_session',
      'prompt',
    ]);
    expect(led.newestCommand('start_session')).toMatchObject({
      ...{ role: 'work', parent: 'planner', task: 'k3f9-1', agent: 'explore' },
    });
    expect(led.newestCommand('start_session').title).toBe('Task 1');
  });

  test('[RUN5] sending completes nothing, and neither does the agent’s word before its turn is over', () => {
    const led = new ManualRun()
      .startPlanned([task(1), task(2, { dependsOn: ['k3f9-1'] })])
      .startTask('w1');
    expect(led.count('checkpoint')).toBe(1);
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'board', byPerson: [] });
    expect(led.count('checkpoint')).toBe(1);
    led.send({ type: 'said', sessionId: 'w1', text: 'Read 40 files.' });
    led.reportTurnEnded('w1', 'm2');
    expect(led.newestCommand('write').write).toEqual({ kind: 'result', result: 'Read 40 files.' });
    led.reportDone('write');
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 2');
  });

  test('[TASKS81] what came of a task is noted without colour sequences', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'board', byPerson: [] });
    led.send({
      type: 'said',
      sessionId: 'w1',
      text: '\u001b[32mRead\u001b[0m 40\u001b[1m files\u001b[m.',
    });
    led.reportTurnEnded('w1', 'm2');
    expect(led.newestCommand('write').write).toEqual({ kind: 'result', result: 'Read 40 files.' });
  });

  test('[RUN6] criteria are judged in a session of its own before what waits for the task begins', () => {
    const tasks = [
      task(1, { body: ['Success: all samples split'] }),
      task(2, { dependsOn: ['k3f9-1'] }),
    ];
    const led = new ManualRun().startPlanned(tasks, {}, { parallel: 2 }).startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(led.newestCommand('start_session')).toMatchObject({
      role: 'check',
      parent: 'planner',
      task: null,
    });
    expect(stateName(led.state)).toBe('validating');
    led.reportOpened('c1');
    led.reportDone('prompt');
    expect(led.count('checkpoint')).toBe(1);
    led.send({ type: 'said', sessionId: 'c1', text: PASS });
    led.reportTurnEnded('c1', 'm3');
    expect(led.newestCommand('write').write).toEqual({ kind: 'result', result: '40 of 40' });
    led.reportDone('write');
    expect(led.count('checkpoint')).toBe(2);
  });

  test('[RUN7] a check that fails has the task done again, with what was not met', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { body: ['Success: all samples split'] })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    led.reportOpened('c1');
    led.reportDone('prompt');
    led.send({ type: 'said', sessionId: 'c1', text: FAIL });
    led.reportTurnEnded('c1', 'm3');
    expect(led.newestCommand('write').write).toEqual({ kind: 'reopen' });
    led.reportDone('write');
    expect(stateName(led.state)).toBe('retrying');
    const prompts = led.count('prompt');
    led.send({ type: 'time' }, 999);
    expect(led.count('prompt')).toBe(prompts);
    led.send({ type: 'time' }, 1);
    expect(led.newestCommand('prompt')).toMatchObject({
      ...{ session: 'w1', attempt: 2, wrong: 'Not met: all samples split: 2 of 40' },
    });
  });

  test('[RUN7] after the last attempt the task fails, the others go on, and the person is asked', () => {
    const led = new ManualRun()
      .startPlanned([task(1), task(2)], {}, { attempts: 2 })
      .startTask('w1');
    led.reportTurnEnded('w1', 'm2');
    led.send({ type: 'time' }, 60_000);
    led.reportDone('prompt');
    led.reportTurnEnded('w1', 'm3', 'error');
    expect(led.newestCommand('write').write).toEqual({
      kind: 'fail',
      reason: 'The model is overloaded.',
    });
    led.reportDone('write');
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 2');
    led.startTask('w2');
    led.set('k3f9-2', { status: 'completed' });
    led.reportTurnEnded('w2', 'm4');
    expect(why(led)).toEqual([
      {
        ...{ kind: 'held', why: 'failed', message: 'The model is overloaded.' },
        task: { id: 'k3f9-1', title: 'Task 1' },
      },
    ]);
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.reportDone('write');
    led.send({ type: 'time' }, 1);
    expect(led.newestCommand('prompt')).toMatchObject({ session: 'w1', attempt: 1 });
  });

  test('[RUN8] a task to be approved waits for the person, and is done when they tick it', () => {
    const led = new ManualRun().startPlanned([task(1, { approve: 'me' })]).startTask('w1');
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)).toEqual([{ kind: 'approval', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'board', byPerson: ['k3f9-1'] });
    expect(led.state.kind).toBe('completed');
  });

  test('[RUN9] an agent that takes its task off has not done it: the person is asked', () => {
    const led = new ManualRun()
      .startPlanned([task(1), task(2, { dependsOn: ['k3f9-1'] })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'cancelled' });
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'given_up' }]);
    expect(led.count('checkpoint')).toBe(1);
    led.send({ type: 'skip', task: 'k3f9-1', how: 'cancelled', reason: 'not needed' });
    led.reportDone('write');
    expect(led.count('checkpoint')).toBe(2);
  });

  test('[RUN12] what a turn asks is waited for, and said; what ran out stops the task', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.send({ type: 'asked', sessionId: 'w1', request: 'p1' });
    expect(why(led)).toMatchObject([{ kind: 'asked', session: 'w1' }]);
    led.send({ type: 'answered', sessionId: 'w1', request: 'p1' });
    expect(stateName(led.state)).toBe('executing');
    led.send({ type: 'asked', sessionId: 'w1', request: 'p2' });
    led.send({ type: 'lapsed', sessionId: 'w1', request: 'p2' });
    expect(stateName(led.state)).toBe('executing');
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'unanswered' }]);
  });

  test('[RUN4] a task without a number gets one before it is begun; where it can’t, the run says so', () => {
    const led = new ManualRun().startPlanned([
      task(1, { id: null, n: null, key: '@12', line: 12 }),
    ]);
    expect(led.newestCommand('number')).toMatchObject({ line: 12, title: 'Task 1' });
    led.send({
      type: 'refused',
      key: led.newestCommand('number').key,
      message: 'The line is malformed.',
    });
    expect(why(led)).toMatchObject([{ kind: 'board', message: 'The line is malformed.' }]);
    expect(led.count('number')).toBe(1);
    led.tasks = [task(1)];
    led.send({ type: 'board', byPerson: [] });
    expect(led.count('checkpoint')).toBe(1);
  });
});
