import { describe, expect, test } from 'vitest';
import { task } from './plan-board';
import { ManualRun } from './run-fixture';

function why(led: ManualRun): unknown {
  return led.state.kind === 'waiting' ? led.state.why : led.state.kind;
}

describe('the person', () => {
  test('[RUN10] a pause sends nothing more; what runs goes on, and its end counts', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)]).startTask('w1');
    led.send({ type: 'pause' });
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect([led.state.kind, led.count('checkpoint')]).toEqual(['paused', 1]);
    led.send({ type: 'resume' });
    expect([led.state.kind, led.count('checkpoint')]).toEqual(['going', 2]);
  });

  test('[RUN10] a turn is stopped, a task skipped or marked done, only after its turn is over', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)]).startTask('w1');
    led.send({ type: 'skip', task: 'k3f9-1', how: 'deferred', reason: 'later' });
    expect(led.newestCommand('interrupt').session).toBe('w1');
    expect(led.newestCommand('write').write.kind).toBe('begin');
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(led.newestCommand('write').write).toEqual({ kind: 'deferred', reason: 'later' });
    led.reportDone('write');
    led.startTask('w2');
    led.send({ type: 'interrupt', task: null });
    led.reportTurnEnded('w2', 'm3', 'interrupted');
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'interrupted' }]);
    led.send({ type: 'mark_done', task: 'k3f9-2' });
    expect(led.newestCommand('write').write.kind).toBe('complete');
    led.reportDone('write');
    expect(why(led)).toMatchObject([{ kind: 'blocked', tasks: [{ id: 'k3f9-1' }] }]);
    led.send({ type: 'finish' });
    expect(led.state).toMatchObject({ kind: 'failed', reason: 'finished_here' });
  });

  test('[RUN10] cancelling stops what runs, also what is only on its way, and asks again after a restart', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)], {}, { parallel: 2 });
    const [one, two] = led.commands.filter(({ type }) => type === 'checkpoint');
    expect([one, two].every((command) => command !== undefined)).toBe(true);
    led.startTask('w2');
    led.send({ type: 'cancel' });
    expect(led.state).toMatchObject({ kind: 'cancelled', stops: [{ session: 'w2' }] });
    const key = led.newestCommand('interrupt').key;
    expect(led.send({ type: 'restarted' })).toContainEqual({
      type: 'interrupt',
      key,
      session: 'w2',
    });
    led.send({ type: 'done', key });
    expect(led.state).toMatchObject({ kind: 'cancelled', stops: [] });
    expect(led.send({ type: 'approve' })).toEqual([]);
  });

  test('[RUN4] what the person does to the plan counts at the next decision', () => {
    const led = new ManualRun().startPlanned([task(1), task(2), task(3)]).startTask('w1');
    led.tasks = [...led.tasks, task(4, { estimate: '1h' })];
    led.set('k3f9-2', { status: 'cancelled' });
    led.set('k3f9-3', { dependsOn: ['k3f9-4'], estimate: '5m' });
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(led.newestCommand('checkpoint').label).toBe('Before: Task 4');
  });

  test('[RUN4] a task that the person ticks while it is worked on is theirs: the turn is stopped', () => {
    const led = new ManualRun().startPlanned([task(1, { body: ['Success: x'] })]).startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'board', byPerson: ['k3f9-1'] });
    expect(led.newestCommand('interrupt').session).toBe('w1');
    led.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(led.state.kind).toBe('completed');
  });
});

describe('limits', () => {
  test('[RUN11] no prompt goes out beyond the limit of turns, and more turns let it go on', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)], {}, { turns: 2 }).startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)).toEqual([{ kind: 'limit', limit: 'turns' }]);
    led.send({ type: 'more', more: { turns: 20 } });
    expect(led.count('checkpoint')).toBe(2);
  });

  test('[RUN11] turns that use too many tokens or too much time are stopped', () => {
    const tokens = new ManualRun().startPlanned([task(1)], {}, { tokens: 100 }).startTask('w1');
    tokens.send({ type: 'tokens', sessionId: 'w1', message: 'm1', count: 100 });
    expect(tokens.count('interrupt')).toBe(1);
    tokens.reportTurnEnded('w1', 'm2', 'interrupted');
    expect(why(tokens)).toEqual([{ kind: 'limit', limit: 'tokens' }]);
    const minutes = new ManualRun().startPlanned([task(1)], {}, { minutes: 1 }).startTask('w1');
    minutes.send({ type: 'time' }, 59_000);
    expect(minutes.count('interrupt')).toBe(0);
    minutes.send({ type: 'time' }, 1_000);
    expect(minutes.count('interrupt')).toBe(1);
  });

  test('[RUN11] time in which it waits or is paused is not counted', () => {
    const led = new ManualRun().startPlanned([task(1)], {}, { minutes: 1 }).startTask('w1');
    led.send({ type: 'pause' });
    led.send({ type: 'time' }, 600_000);
    led.send({ type: 'resume' });
    led.send({ type: 'time' }, 1_000);
    expect(led.count('interrupt')).toBe(0);
  });

  test('[RUN11] three turns without progress stop it until the person has a say', () => {
    const led = new ManualRun().startPlanned([task(1)], {}, { attempts: 10 }).startTask('w1');
    for (const message of ['m2', 'm3', 'm4']) {
      led.reportTurnEnded('w1', message);
      led.send({ type: 'time' }, 60_000);
      if (message !== 'm4') led.reportDone('prompt');
    }
    expect(why(led)).toEqual([{ kind: 'limit', limit: 'no_progress' }]);
    const prompts = led.count('prompt');
    led.send({ type: 'resume' });
    expect(led.count('prompt')).toBe(prompts + 1);
  });
});

describe('faults', () => {
  test('[RUN13] after a restart what was asked for is asked for again under the same keys', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)], {}, { parallel: 2 });
    const keys = led.commands.flatMap((one) => (one.type === 'checkpoint' ? [one.key] : []));
    const again = led.send({ type: 'restarted' });
    expect(again[0]).toEqual({ type: 'store' });
    expect(again.flatMap((one) => ('key' in one ? [one.key] : []))).toEqual(keys);
    expect(keys).toHaveLength(2);
  });

  test('[RUN13] a turn whose end was not heard is judged by the board, and made again if it is not done', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.send({ type: 'linked', up: false });
    expect(why(led)).toEqual([{ kind: 'offline' }]);
    led.send({ type: 'linked', up: true });
    led.send({ type: 'at_rest', sessionId: 'w1' });
    led.send({ type: 'time' });
    expect(led.newestCommand('prompt')).toMatchObject({ session: 'w1', attempt: 1 });
    led.reportDone('prompt');
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'at_rest', sessionId: 'w1' });
    expect(led.state.kind).toBe('completed');
  });

  test('[RUN13] the end of a turn before, heard again, ends nothing', () => {
    const led = new ManualRun().startPlanned([task(1)]).startTask('w1');
    led.reportTurnEnded('w1', 'm2');
    led.reportTurnEnded('w1', 'm2');
    led.send({ type: 'time' }, 60_000);
    led.reportTurnEnded('w1', 'm2');
    led.reportDone('prompt');
    led.reportTurnEnded('w1', 'm2');
    expect(led.state).toMatchObject({ stage: { steps: [{ attempt: 2 }] } });
  });

  test('[RUN13] a prompt that is refused after the person stopped it leaves nothing running', () => {
    const led = new ManualRun().startPlanned([task(1)]);
    led.reportDone('checkpoint');
    led.reportDone('write');
    led.reportOpened('w1');
    const { key } = led.newestCommand('prompt');
    led.send({ type: 'interrupt', task: null });
    led.send({ type: 'refused', key, message: 'busy' });
    expect(why(led)).toMatchObject([{ kind: 'held', why: 'interrupted' }]);
  });

  test('[RUN9] a board that can’t be read stops the step at the end of its turn, and nothing is begun', () => {
    const led = new ManualRun().startPlanned([task(1), task(2)]).startTask('w1');
    led.unreadable = 'Conflict markers in line 4.';
    led.reportTurnEnded('w1', 'm2');
    expect(why(led)).toMatchObject([
      { kind: 'board', message: 'Conflict markers in line 4.' },
      { kind: 'held', why: 'refused' },
    ]);
    expect(led.count('checkpoint')).toBe(1);
  });
});
