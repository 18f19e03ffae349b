import { beforeEach, describe, expect, test } from 'vitest';
import { Sessions } from '../../src/core/session/sessions';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';
import { created, ended, progress, token } from './events';

let c: ConnectionFixture;
let sessions: Sessions;
let changes: (readonly string[])[];

beforeEach(() => {
  c = new ConnectionFixture();
  sessions = new Sessions(c.bus, c.connection);
  changes = [];
  sessions.onChange((ids) => changes.push(ids));
});

const titles = (): string[] => sessions.all().map(({ title }) => title);

describe('sessions', () => {
  test('[BUS24] hold what a welcome lists, and replace it with the next', async () => {
    c.bridge.sessions = [
      { id: 'a', title: 'A', status: 'idle' },
      { id: 'b', title: 'B', status: 'busy', parentId: 'a', agent: 'explore' },
    ];
    await c.connect();
    expect(titles()).toEqual(['A', 'B']);
    expect(sessions.get('b')).toMatchObject({
      parentId: 'a',
      agent: 'explore',
      state: { kind: 'busy' },
    });
    expect(changes).toEqual([['a', 'b']]);
    c.bridge.sessions = [
      { id: 'b', title: 'B again', status: 'idle' },
      { id: 'c', title: 'C', status: 'idle' },
    ];
    c.bridge.closeConnection(1006);
    await c.clock.advance(500);
    expect(titles()).toEqual(['B again', 'C']);
    expect([sessions.get('a'), changes[1]]).toEqual([undefined, ['a', 'b', 'c']]);
  });

  test('[BUS25] a session is there when anybody else hears of it', () => {
    const seen: (string | undefined)[] = [];
    c.bus.onAll(({ sessionId }) => seen.push(sessions.get(sessionId)?.title));
    c.bus.onSession('x', () => seen.push(sessions.get('x')?.title));
    c.bus.emit(created('x', 'New'));
    expect(seen).toEqual(['New', 'New']);
  });

  test('[BUS24] an event changes its own session and no other, and is told once', () => {
    c.bus.emit(created('a', 'A'));
    c.bus.emit(created('b', 'B'));
    const before = sessions.get('b');
    changes = [];
    c.bus.emit(progress('a', { kind: 'busy' }));
    c.bus.emit(token('a', 'x'));
    expect(changes).toEqual([['a']]);
    expect(sessions.get('a')?.state).toEqual({ kind: 'busy' });
    expect(sessions.get('b')).toBe(before);
  });

  test('[BUS24] one that ended stays until the next connection', () => {
    c.bus.emit(created('a', 'A'));
    c.bus.emit(ended('a'));
    c.bus.emit(progress('a', { kind: 'busy' }));
    expect(sessions.get('a')?.state).toEqual({ kind: 'ended', reason: 'deleted' });
  });

  test('[BUS24] stand in the order of their last activity', () => {
    c.bus.emit({ ...created('a', 'A'), ts: 3 });
    c.bus.emit({ ...created('b', 'B'), ts: 1 });
    c.bus.emit({ ...created('c', 'C'), ts: 2 });
    expect(titles()).toEqual(['B', 'C', 'A']);
  });

  test('[BUS24] closed, they hear nothing more', async () => {
    sessions.close();
    sessions.close();
    c.bridge.sessions = [{ id: 'a', title: 'A', status: 'idle' }];
    await c.connect();
    c.bridge.created('b', 'B');
    await flushPromises();
    expect([titles(), changes]).toEqual([[], []]);
  });
});
