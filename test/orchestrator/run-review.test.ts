import { describe, expect, test } from 'vitest';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { board, task } from './plan-board';
import { ManualRun } from './run-fixture';

const DAY = '2026-11-21';

function why(led: ManualRun): unknown {
  return led.state.kind === 'waiting' ? led.state.why : led.state.kind;
}

/** A task that its worker completed and that waits for the person's approval. */
function waiting(body: string[] = []): ManualRun {
  const led = new ManualRun().startPlanned([task(1, { approve: 'me', body })]).startTask('w1');
  led.set('k3f9-1', { status: 'in_progress', review: DAY });
  led.reportTurnEnded('w1', 'm2');
  return led;
}

describe('a review in a run', () => {
  test('[REVIEW10] waits for the person, and goes on when they accept', () => {
    const led = waiting();
    expect(why(led)).toEqual([{ kind: 'approval', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    led.set('k3f9-1', { status: 'completed', review: null });
    led.send({ type: 'board', byPerson: ['k3f9-1'] });
    expect(led.state.kind).toBe('completed');
  });

  test('[REVIEW10] that is sent back is tried again with the words, each time', () => {
    const led = waiting();
    for (const [at, words] of ['Umlauts are lost', 'Now it is slow'].entries()) {
      const missed = ['Umlauts are lost', 'Now it is slow'].slice(0, at + 1);
      led.set('k3f9-1', { review: null, body: missed.map((one) => `Sent back: ${one}`) });
      led.send({ type: 'board', byPerson: ['k3f9-1'] });
      expect(led.newestCommand('write').write).toEqual({ kind: 'reopen' });
      led.reportDone('write');
      expect(led.newestCommand('prompt')).toMatchObject({ session: 'w1', wrong: words });
      led.reportDone('prompt');
      led.set('k3f9-1', { review: DAY });
      led.reportTurnEnded('w1', `m${at + 3}`);
      expect(why(led)).toMatchObject([{ kind: 'approval' }]);
    }
  });

  test('[REVIEW10] ends where the check fails before the person looks', () => {
    const led = waiting(['Success: it works']);
    led.reportOpened('c1');
    led.reportDone('prompt');
    const fail =
      '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "no"}], "result": ""}';
    led.send({ type: 'said', sessionId: 'c1', text: fail });
    led.reportTurnEnded('c1', 'm9');
    expect(led.newestCommand('write').write).toEqual({ kind: 'reopen' });
  });

  test('[REVIEW10] of a task that no step is at is waited for, not worked on', () => {
    const led = new ManualRun().startPlanned([task(1, { status: 'in_progress', review: DAY })]);
    expect(why(led)).toEqual([{ kind: 'own', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    expect(led.count('checkpoint')).toBe(0);
    const look = planSnapshotOf(board([task(1, { status: 'in_progress', review: DAY })]));
    expect(look).toMatchObject({ tasks: [{ startable: false, mine: true, review: true }] });
  });
});
