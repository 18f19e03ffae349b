import { expect, test } from 'vitest';
import { flushPromises } from '../wire/manual-clock';
import { LinkedWorld } from './linked-world';

test('[LINK24] a connection whose hello comes late takes nothing from the one that is there', async () => {
  const w = new LinkedWorld();
  w.connection.connect();
  await flushPromises();
  const [late = ''] = w.pair.sent;
  const resume = [{ sessionId: 'ses_1', epoch: 'epoch-1', lastSeq: 0 }];
  const hello = JSON.parse(late) as { payload: object };
  w.pair.cut();
  await w.clock.advance(250);
  w.token('a');
  await w.clock.advance(1000); // it is acknowledged
  w.token('b');
  const stale = { ...hello, id: 'late', payload: { ...hello.payload, resume } };
  const pair = await w.connectWith(JSON.stringify(stale));
  expect(pair.closedWith).toBe(4409);
  expect(w.connection.state.kind).toBe('connected');
  w.pair.cut();
  await w.clock.advance(250);
  expect(w.text()).toBe('ab');
  expect(w.reads).toBe(0);
});
