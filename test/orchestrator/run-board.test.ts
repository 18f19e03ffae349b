import { describe, expect, test } from 'vitest';
import type { Status } from '../../src/core/board/task';
import { lookAtPlan } from '../../src/core/orchestrator/plan-look';
import { board, task } from './plan-board';
import { Led } from './run-fixture';

function edits(led: Led, id: string, status: Status): void {
  led.set(id, { status });
  led.do({ type: 'board', byPerson: [id] });
}

function doings(led: Led): unknown {
  const { state } = led;
  if (!('stage' in state) || state.stage.kind !== 'executing') return state.kind;
  return state.stage.steps.map(({ task: id, doing }) => `${id} ${doing.kind}`);
}

function doneOf(led: Led): unknown {
  return 'run' in led.state ? led.state.run.done.map((one) => one.task) : [];
}

describe('the board, changed by the person', () => {
  test('[RUN25] a roll back: what is put back is let go of and begun anew, its results are none', () => {
    const led = new Led().planned([task(1), task(2, { dependsOn: ['k3f9-1'] })]).begun('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    led.begun('w2');
    expect(doneOf(led)).toEqual(['k3f9-1']);
    led.do({ type: 'pause' });
    led.do({ type: 'interrupt', task: null });
    led.turnEnded('w2', 'm3', 'interrupted');
    expect(doings(led)).toEqual(['k3f9-2 held']);
    led.set('k3f9-1', { status: 'pending' });
    led.set('k3f9-2', { status: 'pending' });
    led.do({ type: 'board', byPerson: ['k3f9-1', 'k3f9-2'] });
    expect([led.state.kind, doings(led), doneOf(led)]).toEqual(['paused', [], []]);
    led.do({ type: 'resume' });
    expect(led.asked('checkpoint').label).toBe('Before: Task 1');
  });

  test('[RUN25] a prompt that is due for a task that is put back does not go out', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.turnEnded('w1', 'm2');
    led.do({ type: 'pause' });
    const prompts = led.count('prompt');
    edits(led, 'k3f9-1', 'pending');
    expect(doings(led)).toEqual([]);
    led.do({ type: 'resume' }, 60_000);
    expect([led.count('prompt'), led.count('checkpoint')]).toEqual([prompts, 2]);
  });

  test('[RUN25] a task put back while its turn runs is stopped; an agent that ends it all the same is judged', () => {
    const led = new Led().planned([task(1, { body: ['Success: x'] })]).begun('w1');
    edits(led, 'k3f9-1', 'pending');
    expect(led.asked('interrupt').session).toBe('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.turnEnded('w1', 'm2');
    expect(led.asked('start_session').role).toBe('check');
  });

  test('[RUN25] the last word is the person’s: ticked, then opened again before the turn is over', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    edits(led, 'k3f9-1', 'completed');
    edits(led, 'k3f9-1', 'in_progress');
    led.turnEnded('w1', 'm2', 'interrupted');
    expect(led.state.kind).toBe('going');
    expect(doneOf(led)).toEqual([]);
    expect(led.count('checkpoint')).toBe(2);
  });

  test.each<[Status, string]>([
    ['completed', 'completed'],
    ['cancelled', 'completed'],
    ['deferred', 'waiting'],
  ])('[RUN25] %s over a write that is under way', (status, kind) => {
    const led = new Led().planned([task(1)]);
    led.done('checkpoint');
    const { key } = led.asked('write');
    edits(led, 'k3f9-1', status);
    expect(led.state.kind).toBe(kind);
    expect(led.do({ type: 'done', key })).not.toContainEqual({ type: 'start_session' });
    expect(led.count('start_session')).toBe(1);
  });

  test('[RUN25] what was marked done and taken off meanwhile is not done', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.do({ type: 'interrupt', task: null });
    led.turnEnded('w1', 'm2', 'interrupted');
    led.do({ type: 'mark_done', task: 'k3f9-1' });
    led.set('k3f9-1', { status: 'cancelled' });
    led.do({ type: 'done', key: led.asked('write').key });
    expect(doneOf(led)).toEqual([]);
  });

  test('[RUN25] the end of a turn counts also where it shows first that the task is gone', () => {
    const led = new Led().planned([task(1), task(2)]).begun('w1');
    led.tasks = [task(2)];
    led.turnEnded('w1', 'm2');
    expect(doings(led)).toEqual(['k3f9-2 saving']);
  });

  test('[RUN25] interrupting a turn that is being stopped takes nothing back', () => {
    const led = new Led().planned([task(1)]).begun('w1');
    led.do({ type: 'skip', task: 'k3f9-1', how: 'cancelled', reason: 'no' });
    led.do({ type: 'interrupt', task: null });
    led.turnEnded('w1', 'm2', 'interrupted');
    expect(led.asked('write').write).toEqual({ kind: 'cancelled', reason: 'no' });
    expect(lookAtPlan(board(led.tasks)).kind).toBe('plan');
  });
});
