import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { waitReasonText } from '../../src/core/orchestrator/run-text';
import { LIMITS } from '../../src/core/orchestrator/limits';
import { task } from './plan-board';
import { ManualRun, runOptions } from './run-fixture';

const NO_AGENT = 'There is no agent “scribe”. There are: build, plan.';

function why(led: ManualRun): readonly string[] {
  return led.state.kind === 'waiting'
    ? led.state.why.map((one) => waitReasonText(one, LIMITS))
    : [];
}

function refuse(led: ManualRun, type: 'start_session' | 'prompt', message: string): void {
  led.send({ type: 'refused', key: led.newestCommand(type).key, message });
}

describe('what is refused for good', () => {
  test('[RUN110] a session for an agent that is not there is asked for once; the next try has the agent that the board names then', () => {
    const led = new ManualRun().startPlanned([task(1, { owner: 'scribe' })]);
    led.reportDone('checkpoint');
    led.reportDone('write');
    refuse(led, 'start_session', NO_AGENT);
    expect(led.count('start_session')).toBe(2);
    expect(why(led)).toEqual([
      `Task 1: ${NO_AGENT} The board names the agent scribe for it: change the owner there, then try again.`,
    ]);
    led.send({ type: 'time' }, 600_000);
    expect(led.count('start_session')).toBe(2);
    led.set('k3f9-1', { owner: 'plan' });
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.reportDone('write');
    expect(led.newestCommand('start_session')).toMatchObject({ agent: 'plan' });
    expect(led.state).toMatchObject({ stage: { steps: [{ attempt: 1 }] } });
  });

  test('[RUN110] a prompt that is refused is not sent again, nor is a check', () => {
    const led = new ManualRun().startPlanned([task(1, { body: ['Success: it is there'] })]);
    led.reportDone('checkpoint');
    led.reportDone('write');
    led.reportOpened('w1');
    refuse(led, 'prompt', 'The prompt is too long.');
    expect(why(led)).toEqual(['Task 1: The prompt is too long.']);
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.reportDone('write');
    led.send({ type: 'time' }, 60_000);
    led.reportDone('prompt');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    refuse(led, 'start_session', NO_AGENT);
    expect(why(led)).toEqual([`Task 1: It could not be checked: ${NO_AGENT}`]);
  });

  test('[RUN110] a planning that is refused waits for the person, and goes on at their word', () => {
    const led = new ManualRun();
    led.send({ type: 'start', run: 'r1', wish: runOptions({ agent: 'scribe' }), session: null });
    refuse(led, 'start_session', NO_AGENT);
    expect(why(led)).toEqual([
      `${NO_AGENT} Fix that and try again, or cancel this run and start another one.`,
    ]);
    expect(led.count('start_session')).toBe(1);
    led.send({ type: 'resume' });
    led.reportOpened('planner');
    expect(stateName(led.state)).toBe('planning');
    expect(led.newestCommand('prompt')).toMatchObject({ role: 'plan', attempt: 1 });
  });
});

describe('a model that gives no access', () => {
  const NO_KEY = 'Anthropic refuses the key (status 401).';
  const SAID = `${NO_KEY} It needs a key, credit or a sign-in, which only you can give.`;
  const fails = (led: ManualRun, sessionId: string, code: string): void => {
    const message = `m-${sessionId}`;
    led.send({ type: 'turn_ended', sessionId, message, reason: 'error', error: NO_KEY, code });
  };

  test.each(['auth', 'quota', 'auth_required'])(
    '[RUN125] no attempt is spent on a turn that ended with %s, nothing else is begun, and it goes on at the person’s word',
    (code) => {
      const led = new ManualRun().startPlanned([task(1), task(2)]).startTask('w1');
      fails(led, 'w1', code);
      expect(why(led)).toEqual([`Task 1: ${SAID}`]);
      led.send({ type: 'time' }, 600_000);
      expect(led.count('prompt')).toBe(2);
      expect(led.count('start_session')).toBe(2);
      led.send({ type: 'retry', task: 'k3f9-1' });
      led.reportDone('write');
      led.send({ type: 'time' }, 60_000);
      expect(led.newestCommand('prompt')).toMatchObject({ role: 'work', session: 'w1' });
      expect(led.state).toMatchObject({ kind: 'going', stage: { steps: [{ attempt: 1 }] } });
    },
  );

  test('[RUN125] a check and a planning wait for the person as well; other errors are tried again', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { body: ['Success: it is there'] })])
      .startTask('w1');
    led.reportTurnEnded('w1', 'm2', 'error');
    expect(led.state).toMatchObject({ kind: 'going', stage: { steps: [{ attempt: 2 }] } });
    led.send({ type: 'time' }, 600_000);
    led.reportDone('prompt');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm3');
    led.reportOpened('c1');
    led.reportDone('prompt');
    fails(led, 'c1', 'auth');
    expect(why(led)).toEqual([`Task 1: It could not be checked: ${SAID}`]);

    const planning = new ManualRun();
    planning.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    planning.reportOpened('planner');
    planning.reportDone('prompt');
    fails(planning, 'planner', 'auth');
    expect(why(planning)).toEqual([
      `${SAID} Fix that and try again, or cancel this run and start another one.`,
    ]);
    expect(planning.count('prompt')).toBe(1);
  });
});

describe('a conversation that is too long for the model', () => {
  const LONG = 'The conversation is too long.';
  const code = 'context_too_long';
  const fails = (led: ManualRun, sessionId: string, message: string) =>
    led.send({ type: 'turn_ended', sessionId, message, reason: 'error', error: LONG, code });

  test('[RUN126] it is tried again in a new session, and waits for the person if that is too long from its first turn', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.reportTurnEnded('w1', 'm2', 'error');
    led.send({ type: 'time' }, 600_000);
    led.reportDone('prompt');
    fails(led, 'w1', 'm3');
    led.reportOpened('w2');
    led.send({ type: 'time' }, 600_000);
    expect(led.newestCommand('prompt')).toMatchObject({
      ...{ role: 'work', session: 'w2', attempt: 3, wrong: LONG },
    });
    led.reportDone('prompt');
    fails(led, 'w2', 'm4');
    expect(why(led)).toEqual([
      `Task 1: ${LONG} It would be too long in a new session as well: split the task, or give it to an agent with a larger model.`,
    ]);
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.reportDone('write');
    led.reportOpened('w3');
    expect(led.newestCommand('prompt')).toMatchObject({ session: 'w3', attempt: 1 });
  });

  test('[RUN126] a check and a planning that are too long are not tried again', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { body: ['Success: it is there'] })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    led.reportOpened('c1');
    led.reportDone('prompt');
    fails(led, 'c1', 'm3');
    expect(why(led)).toEqual([`Task 1: It could not be checked: ${LONG}`]);

    const planning = new ManualRun();
    planning.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
    planning.reportOpened('planner');
    planning.reportDone('prompt');
    fails(planning, 'planner', 'm1');
    expect(why(planning)[0]).toContain(LONG);
    expect(planning.count('prompt')).toBe(1);
  });
});

describe('more criteria than a check can judge', () => {
  const many = Array.from({ length: 201 }, (_, at) => `Success: part ${at + 1}`);

  test('[RUN111] nothing is begun for the task, the others go on, and it is tried again when they are fewer', () => {
    const led = new ManualRun().startPlanned([task(1, { body: many }), task(2)]);
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 2');
    led.startTask('w2');
    led.set('k3f9-2', { status: 'completed' });
    led.reportTurnEnded('w2', 'm2');
    expect(why(led)).toEqual([
      'Task 1: It has 201 “Success:” lines, and a check judges 200 at most: put some together or split the task, then try again.',
    ]);
    led.send({ type: 'retry', task: 'k3f9-1' });
    expect(led.state.kind).toBe('waiting');
    led.set('k3f9-1', { body: many.slice(1) });
    led.send({ type: 'retry', task: 'k3f9-1' });
    led.reportDone('write');
    led.reportOpened('w1');
    expect(led.newestCommand('prompt')).toMatchObject({ role: 'work', session: 'w1' });
  });

  test('[RUN111] lines that come while the task is worked on keep it from being checked, not from being done', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.set('k3f9-1', { body: many, status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)[0]).toContain('201 “Success:” lines');
    led.send({ type: 'mark_done', task: 'k3f9-1' });
    expect(led.state.kind).toBe('completed');
  });
});
