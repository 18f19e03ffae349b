import { expect, test } from 'vitest';
import { actionFault } from '../../src/core/orchestrator/drive/orchestrator';
import type { RunAction } from '../../src/core/orchestrator/event';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { board, task } from './plan-board';
import { ManualRun, runOptions } from './run-fixture';

function faultOf(led: ManualRun, action: RunAction, rests = false): string | undefined {
  const { state } = led;
  if (!('stage' in state)) throw new Error('the run is over');
  return actionFault(state, planSnapshotOf(board(led.tasks)), action, rests);
}

const one = { task: 'k3f9-1' };
const skip = { type: 'skip', ...one, how: 'cancelled', reason: 'no' } as const;

test('[RUN115] what would change nothing is said, state by state, and all else is taken', () => {
  const led = new ManualRun();
  led.send({ type: 'start', run: 'r1', wish: runOptions(), session: null });
  expect(faultOf(led, { type: 'approve' })).toContain('no plan to approve yet');
  expect(faultOf(led, { type: 'replan', words: 'x' })).toContain('is being made');
  expect(faultOf(led, { type: 'interrupt', task: null })).toBe(undefined);
  led.reportOpened('planner');
  led.reportDone('prompt');
  led.tasks = [task(1)];
  led.reportTurnEnded('planner', 'm1');
  expect(faultOf(led, { type: 'resume' })).toBe('The plan waits for your approval.');
  expect(faultOf(led, { type: 'interrupt', task: null })).toContain('No turn is running');
  expect(faultOf(led, { type: 'approve' })).toBe(undefined);
  led.tasks = [];
  expect(faultOf(led, { type: 'approve' })).toContain('no task on the board');
  led.tasks = [task(1)];
  led.send({ type: 'approve' });
  expect(faultOf(led, { type: 'approve' })).toBe('The plan is approved already.');
  expect(faultOf(led, { type: 'replan', words: 'x' })).toContain('carried out already');
  led.startTask('w1');
  expect(faultOf(led, { type: 'resume' })).toBe('It is already running.');
  expect(faultOf(led, { type: 'resume' }, true)).toBe(undefined);
  expect(faultOf(led, { type: 'retry', ...one })).toContain('is being worked on');
  expect(faultOf(led, { type: 'retry', task: 'k3f9-9' })).toContain('not at this task');
  expect(faultOf(led, { ...skip, task: 'k3f9-9' })).toContain('not at this task');
  expect(faultOf(led, skip)).toBe(undefined);
  expect(faultOf(led, { type: 'pause' })).toBe(undefined);
  led.send({ type: 'pause' });
  expect(faultOf(led, { type: 'pause' })).toBe('The run is paused already.');
  expect(faultOf(led, { type: 'resume' })).toBe(undefined);
  led.reportTurnEnded('w1', 'm2', 'interrupted');
  expect(faultOf(led, { type: 'retry', ...one })).toBe(undefined);
});
