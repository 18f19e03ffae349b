import { describe, expect, test } from 'vitest';
import { stateName } from '../../src/core/orchestrator/state';
import { waitWords } from '../../src/core/orchestrator/run-words';
import { LIMITS } from '../../src/core/orchestrator/limits';
import { task } from './plan-board';
import { Led, wish } from './run-fixture';

const NO_AGENT = 'There is no agent “scribe”. There are: build, plan.';

function why(led: Led): readonly string[] {
  return led.state.kind === 'waiting' ? led.state.why.map((one) => waitWords(one, LIMITS)) : [];
}

function refuse(led: Led, type: 'start_session' | 'prompt', message: string): void {
  led.do({ type: 'refused', key: led.asked(type).key, message });
}

describe('what is refused for good', () => {
  test('[RUN110] a session for an agent that is not there is asked for once; the next try has the agent that the board names then', () => {
    const led = new Led().planned([task(1, { owner: 'scribe' })]);
    led.done('checkpoint');
    led.done('write');
    refuse(led, 'start_session', NO_AGENT);
    expect(led.count('start_session')).toBe(2);
    expect(why(led)).toEqual([
      `Task 1: ${NO_AGENT} The board names the agent scribe for it: change the owner there, then try again.`,
    ]);
    led.do({ type: 'time' }, 600_000);
    expect(led.count('start_session')).toBe(2);
    led.set('k3f9-1', { owner: 'plan' });
    led.do({ type: 'retry', task: 'k3f9-1' });
    led.done('write');
    expect(led.asked('start_session')).toMatchObject({ agent: 'plan' });
    expect(led.state).toMatchObject({ stage: { steps: [{ attempt: 1 }] } });
  });

  test('[RUN110] a prompt that is refused is not sent again, nor is a check', () => {
    const led = new Led().planned([task(1, { body: ['Success: it is there'] })]);
    led.done('checkpoint');
    led.done('write');
    led.opened('w1');
    refuse(led, 'prompt', 'The prompt is too long.');
    expect(why(led)).toEqual(['Task 1: The prompt is too long.']);
    led.do({ type: 'retry', task: 'k3f9-1' });
    led.done('write');
    led.do({ type: 'time' }, 60_000);
    led.done('prompt');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    refuse(led, 'start_session', NO_AGENT);
    expect(why(led)).toEqual([`Task 1: It could not be checked: ${NO_AGENT}`]);
  });

  test('[RUN110] a planning that is refused waits for the person, and goes on at their word', () => {
    const led = new Led();
    led.do({ type: 'start', run: 'r1', wish: wish({ agent: 'scribe' }), session: null });
    refuse(led, 'start_session', NO_AGENT);
    expect(why(led)).toEqual([
      `${NO_AGENT} Fix that and try again, or cancel this run and start another one.`,
    ]);
    expect(led.count('start_session')).toBe(1);
    led.do({ type: 'resume' });
    led.opened('planner');
    expect(stateName(led.state)).toBe('planning');
    expect(led.asked('prompt')).toMatchObject({ role: 'plan', attempt: 1 });
  });
});

describe('more criteria than a check can judge', () => {
  const many = Array.from({ length: 201 }, (_, at) => `Success: part ${at + 1}`);

  test('[RUN111] nothing is begun for the task, the others go on, and it is tried again when they are fewer', () => {
    const led = new Led().planned([task(1, { body: many }), task(2)]);
    expect(led.asked('checkpoint').label).toBe('Before: Task 2');
    led.begun('w2');
    led.set('k3f9-2', { status: 'completed' });
    led.turnEnded('w2', 'm2');
    expect(why(led)).toEqual([
      'Task 1: It has 201 “Success:” lines, and a check judges 200 at most: put some together or split the task, then try again.',
    ]);
    led.do({ type: 'retry', task: 'k3f9-1' });
    expect(led.state.kind).toBe('waiting');
    led.set('k3f9-1', { body: many.slice(1) });
    led.do({ type: 'retry', task: 'k3f9-1' });
    led.done('write');
    led.opened('w1');
    expect(led.asked('prompt')).toMatchObject({ role: 'work', session: 'w1' });
  });

  test('[RUN111] lines that come while the task is worked on keep it from being checked, not from being done', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.set('k3f9-1', { body: many, status: 'completed' });
    led.turnEnded('w1', 'm2');
    expect(why(led)[0]).toContain('201 “Success:” lines');
    led.do({ type: 'mark_done', task: 'k3f9-1' });
    expect(led.state.kind).toBe('completed');
  });
});
