import { expect, it } from 'vitest';
import { StoreError } from '../../../src/core/ports';
import { runOptions } from '../run-fixture';
import { Machine } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

it('[RUN33] a plan that came as text and could not be written at once is written, whatever a run before wrote', async () => {
  let plans = 0;
  const machine = new Machine({}, (tools) => (prompt, code) => {
    if (kindOf(prompt) === 'plan') plans += 1;
    const text = `1. Read part ${plans}\n2. Write part ${plans}`;
    return obedientAgent(tools, { text })(prompt, code);
  });
  const program = machine.program();
  const first = await program.runs.start(runOptions({ approve: false }));
  const end = await program.advanceUntilRest(first.ok ? first.value : '');
  expect(end.state.kind).toBe('completed');
  const path = end.board ?? '';

  const update = machine.store.update.bind(machine.store);
  let busy = 1;
  machine.store.update = (place, edit) => {
    if (place !== path || busy === 0) return update(place, edit);
    busy -= 1;
    return Promise.reject(new StoreError('busy', 'It is being synced.'));
  };
  const [session] = machine.code.sessions.keys();
  const on = { session: session ?? '' };
  const second = await program.runs.start(runOptions({ approve: false }), on);
  const again = await program.advanceUntilRest(second.ok ? second.value : '');
  expect(again.state).toMatchObject({
    kind: 'completed',
    run: { done: [{ title: 'Read part 2' }, { title: 'Write part 2' }] },
  });
  expect([busy, plans]).toEqual([0, 2]);
});
