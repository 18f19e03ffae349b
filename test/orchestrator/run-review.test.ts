import { describe, expect, test } from 'vitest';
import { lookAtPlan } from '../../src/core/orchestrator/plan-look';
import { board, task } from './plan-board';
import { Led } from './run-fixture';

const DAY = '2026-11-21';

function why(led: Led): unknown {
  return led.state.kind === 'waiting' ? led.state.why : led.state.kind;
}

/** A task that its worker completed and that waits for the person's approval. */
function waiting(body: string[] = []): Led {
  const led = new Led().planned([task(1, { approve: 'me', body })]).begun('w1');
  led.set('k3f9-1', { status: 'in_progress', review: DAY });
  led.turnEnded('w1', 'm2');
  return led;
}

describe('a review in a run', () => {
  test('[REVIEW10] waits for the person, and goes on when they accept', () => {
    const led = waiting();
    expect(why(led)).toEqual([{ kind: 'approval', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    led.set('k3f9-1', { status: 'completed', review: null });
    led.do({ type: 'board', byPerson: ['k3f9-1'] });
    expect(led.state.kind).toBe('completed');
  });

  test('[REVIEW10] that is sent back is tried again with the words, each time', () => {
    const led = waiting();
    for (const [at, words] of ['Umlauts are lost', 'Now it is slow'].entries()) {
      const missed = ['Umlauts are lost', 'Now it is slow'].slice(0, at + 1);
      led.set('k3f9-1', { review: null, body: missed.map((one) => `Sent back: ${one}`) });
      led.do({ type: 'board', byPerson: ['k3f9-1'] });
      expect(led.asked('write').write).toEqual({ kind: 'reopen' });
      led.done('write');
      expect(led.asked('prompt')).toMatchObject({ session: 'w1', wrong: words });
      led.done('prompt');
      led.set('k3f9-1', { review: DAY });
      led.turnEnded('w1', `m${at + 3}`);
      expect(why(led)).toMatchObject([{ kind: 'approval' }]);
    }
  });

  test('[REVIEW10] ends where the check fails before the person looks', () => {
    const led = waiting(['Success: it works']);
    led.opened('c1');
    led.done('prompt');
    const fail =
      '{"verdict": "fail", "criteria": [{"n": 1, "met": false, "why": "no"}], "result": ""}';
    led.do({ type: 'said', sessionId: 'c1', text: fail });
    led.turnEnded('c1', 'm9');
    expect(led.asked('write').write).toEqual({ kind: 'reopen' });
  });

  test('[REVIEW10] of a task that no step is at is waited for, not worked on', () => {
    const led = new Led().planned([task(1, { status: 'in_progress', review: DAY })]);
    expect(why(led)).toEqual([{ kind: 'own', task: { id: 'k3f9-1', title: 'Task 1' } }]);
    expect(led.count('checkpoint')).toBe(0);
    const look = lookAtPlan(board([task(1, { status: 'in_progress', review: DAY })]));
    expect(look).toMatchObject({ tasks: [{ startable: false, mine: true, review: true }] });
  });
});
