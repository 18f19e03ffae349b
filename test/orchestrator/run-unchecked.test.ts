import { expect, test } from 'vitest';
import { task } from './plan-board';
import { ManualRun } from './run-fixture';

const OPEN = task(2);

test('[RUN104] a plan in which a step with criteria is called done already waits for the person, also where no approval is wished', () => {
  const done = task(1, { status: 'completed', body: ['Success: all are found'] });
  const led = new ManualRun().startPlanned([done, OPEN], { approve: false });
  expect(led.state).toMatchObject({ kind: 'going', stage: { kind: 'approving' } });
  led.send({ type: 'approve' });
  expect(led.state).toMatchObject({ kind: 'going', stage: { steps: [{ task: 'k3f9-2' }] } });
});

test('[RUN104] a step without criteria that was done before keeps nothing waiting', () => {
  const done = task(1, { status: 'completed' });
  const led = new ManualRun().startPlanned([done, OPEN], { approve: false });
  expect(led.state).toMatchObject({ kind: 'going', stage: { steps: [{ task: 'k3f9-2' }] } });
});
