import { describe, expect, test } from 'vitest';
import type { Status } from '../../src/core/board/task';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { board, task } from './plan-board';
import { ManualRun } from './run-fixture';

function edits(led: ManualRun, id: string, status: Status): void {
  led.set(id, { status });
  led.send({ type: 'board', byPerson: [id] });
}

function doings(led: ManualRun): unknown {
  const { state } = led;
  if (!('stage' in state) || state.stage.kind !== 'executing') return state.kind;
  return state.stage.steps.map(({ task: id, doing }) => `${id} ${doing.kind}`);
}

function doneOf(led: ManualRun): unknown {
  return 'run' in led.state ? led.state.run.done.map((one) => one.task) : [];
}

describe('the board, changed by the person', () => {
  test('[RUN25] a roll back: what is put back is let go of and begun anew, its results are none', () => {
    const led = new ManualRun()
      .startPlanned([task(1), task(2, { dependsOn: ['k3f9-1'] })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    led.startTask('w2');
    expect(doneOf(led)).toEqual(['k3f9-1']);
    led.send({ type: 'pause' });
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w2', 'm3', 'interrupted');
    expect(doings(led)).toEqual(['k3f9-2 held']);
    led.set('k3f9-1', { status: 'pending' });
    led.set('k3f9-2', { status: 'pending' });
    led.send({ type: 'board', byPerson: ['k3f9-1', 'k3f9-2'] });
    expect([led.state.kind, doings(led), doneOf(led)]).toEqual(['paused', [], []]);
    led.send({ type: 'resume' });
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 1');
  });

  test('[RUN25] a prompt that is due for a task that is put back does not go out', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.reportTurnEnded('w1', 'm2');
    led.send({ type: 'pause' });
    const prompts = led.count('prompt');
    edits(led, 'k3f9-1', 'pending');
    expect(doings(led)).toEqual([]);
    led.send({ type: 'resume' }, 60_000);
    expect([led.count('prompt'), led.count('checkpoint')]).toEqual([prompts, 2]);
  });

  test('[RUN25] a task put back while its turn runs is stopped; an agent that ends it all the same is judged', () => {
    const led = new ManualRun().startPlanned([task(1, { body: ['Success: x'] })]).startTask('w1');
    edits(led, 'k3f9-1', 'pending');
    expect(led.newestCommand('interrupt').session).toBe('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(led.newestCommand('start_session').role).toBe('check');
  });

  test('[RUN25] the last word is the person’s: ticked, then opened again before the turn is over', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    edits(led, 'k3f9-1', 'completed');
    edits(led, 'k3f9-1', 'in_progress');
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(led.state.kind).toBe('going');
    expect(doneOf(led)).toEqual([]);
    expect(led.count('checkpoint')).toBe(2);
  });

  test.each<[Status, string]>([
    ['completed', 'completed'],
    ['cancelled', 'completed'],
    ['deferred', 'waiting'],
  ])('[RUN25] %s over a write that is under way', (status, kind) => {
    const led = new ManualRun().startPlanned([task(1)]);
    led.reportDone('checkpoint');
    const { key } = led.newestCommand('write');
    edits(led, 'k3f9-1', status);
    expect(led.state.kind).toBe(kind);
    expect(led.send({ type: 'done', key })).not.toContainEqual({ type: 'start_session' });
    expect(led.count('start_session')).toBe(1);
  });

  test('[RUN25] what was marked done and taken off meanwhile is not done', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    led.send({ type: 'mark_done', task: 'k3f9-1' });
    led.set('k3f9-1', { status: 'cancelled' });
    led.send({ type: 'done', key: led.newestCommand('write').key });
    expect(doneOf(led)).toEqual([]);
  });

  test('[RUN25] the end of a turn counts also where it shows first that the task is gone', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)]).startTask('w1');
    led.tasks = [task(2)];
    led.reportTurnEnded('w1', 'm2');
    expect(doings(led)).toEqual(['k3f9-2 saving']);
  });

  test('[RUN25] interrupting a turn that is being stopped takes nothing back', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.send({ type: 'skip', task: 'k3f9-1', how: 'cancelled', reason: 'no' });
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(led.newestCommand('write').write).toEqual({ kind: 'cancelled', reason: 'no' });
    expect(planSnapshotOf(board(led.tasks)).kind).toBe('plan');
  });
});
