import { beforeEach, describe, expect, test } from 'vitest';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { created, ended, progress, token } from './events';

let bus: SessionEventBus;
let heard: string[];

/** A listener that records what it hears. */
function note(name: string) {
  return (event: { type: string; payload: object }): void => {
    const delta = 'delta' in event.payload ? String(event.payload.delta) : event.type;
    heard.push(`${name}:${delta}`);
  };
}

beforeEach(() => {
  bus = new SessionEventBus();
  heard = [];
  bus.setKnown(['a', 'b']);
});

describe('known sessions', () => {
  test('[BUS6] an event of an unknown session is counted, dropped, and shown to nobody else', () => {
    const dropped: string[] = [];
    bus.onDrop(({ sessionId }) => dropped.push(sessionId));
    bus.onAll(note('all'));
    bus.onSession('a', note('a'));
    bus.onSession('x', note('x'));
    bus.emit(token('x', 'lost'));
    expect(heard).toEqual([]);
    expect(dropped).toEqual(['x']);
    expect(bus.counters).toEqual({ delivered: 0, unknownSession: 1, endedSession: 0, faults: 0 });
  });

  test('[BUS7] a session is known from its session.created until after its session.end', () => {
    bus.onSession('x', note('x'));
    bus.emit(created('x'));
    bus.emit(token('x', 'now'));
    bus.emit(ended('x'));
    bus.emit(token('x', 'late'));
    expect(heard).toEqual(['x:session.created', 'x:now', 'x:session.end']);
    expect(bus.counters).toMatchObject({ unknownSession: 0, endedSession: 1 });
  });

  test('[BUS6] of the sessions that ended the last thousand are told from unknown ones', () => {
    for (let n = 0; n <= 1_000; n++) {
      bus.emit(created(`s${n}`));
      bus.emit(ended(`s${n}`));
    }
    bus.emit(token('s0', 'forgotten'));
    bus.emit(token('s1', 'late'));
    bus.emit(created('s2'));
    bus.emit(token('s2', 'alive again'));
    expect(bus.counters).toMatchObject({ unknownSession: 1, endedSession: 1 });
  });

  test('[BUS7] setKnown replaces what is known, and leaves the listeners', () => {
    bus.onSession('b', note('b'));
    bus.setKnown(['a']);
    bus.emit(token('b', 'gone'));
    bus.setKnown(['b']);
    bus.emit(token('b', 'back'));
    expect(heard).toEqual(['b:back']);
  });

  test('[BUS7] a session that is created by an event in the queue is known for those behind it', () => {
    bus.onSession('x', note('x'));
    bus.on('a', 'stream.token', () => {
      bus.emit(created('x'));
      bus.emit(token('x', 'behind'));
    });
    bus.emit(token('a', 'go'));
    expect(heard).toEqual(['x:session.created', 'x:behind']);
  });

  test('[BUS7] a session forgotten and listened to again during its own end keeps the listener', () => {
    bus.onAll(({ type }) => {
      if (type !== 'session.end') return;
      bus.setKnown([]);
      bus.onSession('a', note('new'));
    });
    bus.emit(ended('a'));
    bus.emit(created('a'));
    expect(heard).toEqual(['new:session.created']);
  });

  test('[BUS9] nothing is left of a session that is neither known nor listened to', () => {
    bus.setKnown([]);
    expect(bus.size).toBe(0);
    for (let n = 0; n < 1000; n++) {
      const id = `s${n}`;
      const undo = bus.on(id, 'stream.token', note(id));
      bus.emit(created(id));
      bus.emit(progress(id, { kind: 'busy' }));
      bus.emit(ended(id));
      undo();
      undo();
      bus.emit(token(`unknown ${n}`, 'x'));
    }
    expect(bus.size).toBe(0);
  });
});
