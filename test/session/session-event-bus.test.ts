import { beforeEach, describe, expect, test } from 'vitest';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { token } from './events';

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

describe('routing', () => {
  test('[BUS1] an event reaches the listeners of its session and type, and nobody else', () => {
    bus.on('a', 'stream.token', note('a token'));
    bus.on('a', 'stream.thinking', note('a thinking'));
    bus.on('b', 'stream.token', note('b token'));
    bus.onSession('b', note('b all'));
    bus.emit(token('a', 'x'));
    expect(heard).toEqual(['a token:x']);
  });

  test('[BUS1] of 50 interleaved sessions each hears its own tokens, in their order', () => {
    const ids = Array.from({ length: 50 }, (_, n) => `s${n}`);
    bus.setKnown(ids);
    const texts = new Map(ids.map((id) => [id, '']));
    for (const id of ids) {
      bus.on(id, 'stream.token', ({ sessionId, payload }) => {
        texts.set(id, `${texts.get(id) ?? ''}${sessionId}.${payload.delta} `);
      });
    }
    for (let n = 0; n < 300; n++) bus.emit(token(`s${(n * 37) % 50}`, String(n)));
    expect(texts.get('s0')).toBe('s0.0 s0.50 s0.100 s0.150 s0.200 s0.250 ');
    expect(texts.get('s37')).toBe('s37.1 s37.51 s37.101 s37.151 s37.201 s37.251 ');
    expect([...texts.values()].map((text) => text.split(' ').length - 1)).toEqual(ids.map(() => 6));
  });

  test('[BUS8] an event goes to the listeners of all, of its type, of its session, in this order', () => {
    bus.onSession('a', note('session'));
    bus.on('a', 'stream.token', note('type 1'));
    bus.onAll(note('all'));
    bus.on('a', 'stream.token', note('type 2'));
    bus.emit(token('a', 'x'));
    expect(heard).toEqual(['all:x', 'type 1:x', 'type 2:x', 'session:x']);
  });
});

describe('queue', () => {
  test('[BUS2] what a listener emits waits until the running event has reached everybody', () => {
    bus.on('a', 'stream.token', ({ payload }) => {
      if (payload.delta !== 'first') return;
      bus.emit(token('a', 'second'));
      bus.emit(token('b', 'third'));
    });
    bus.on('a', 'stream.token', note('a'));
    bus.on('b', 'stream.token', note('b'));
    bus.emit(token('a', 'first'));
    expect(heard).toEqual(['a:first', 'a:second', 'b:third']);
  });

  test('[BUS2] a long chain of events needs no stack', () => {
    let left = 100_000;
    bus.on('a', 'stream.token', () => {
      if (left-- > 0) bus.emit(token('a', 'again'));
    });
    bus.emit(token('a', 'start'));
    expect([left, bus.counters]).toEqual([
      -1,
      { delivered: 100_001, unknownSession: 0, endedSession: 0, faults: 0 },
    ]);
  });
});

describe('faults', () => {
  test('[BUS3] a listener that throws hurts no other, nor the events that wait', () => {
    const faults: unknown[] = [];
    bus.onFault((error) => faults.push(error));
    bus.onAll(() => {
      throw new Error('all');
    });
    bus.on('a', 'stream.token', ({ payload }) => {
      if (payload.delta === '1') bus.emit(token('a', '2'));
      throw new Error(`type ${payload.delta}`);
    });
    bus.on('a', 'stream.token', note('after'));
    bus.onSession('a', note('session'));
    bus.emit(token('a', '1'));
    expect(heard).toEqual(['after:1', 'session:1', 'after:2', 'session:2']);
    expect(faults.map(String)).toEqual([
      'Error: all',
      'Error: type 1',
      'Error: all',
      'Error: type 2',
    ]);
    expect(bus.counters.faults).toBe(4);
  });

  test('[BUS3] a listener for faults that throws hurts nobody either', () => {
    bus.onFault(() => {
      throw new Error('again');
    });
    bus.on('a', 'stream.token', () => {
      throw new Error('once');
    });
    bus.on('a', 'stream.token', note('after'));
    bus.emit(token('a', 'x'));
    bus.emit(token('a', 'y'));
    expect(heard).toEqual(['after:x', 'after:y']);
  });
});

describe('undo', () => {
  test('[BUS4] every on returns its undo, which may be called again', () => {
    const listener = note('twice');
    const undos = [
      bus.on('a', 'stream.token', listener),
      bus.on('a', 'stream.token', listener),
      bus.onSession('a', note('session')),
      bus.onAll(note('all')),
    ];
    bus.emit(token('a', '1'));
    expect(heard).toEqual(['all:1', 'twice:1', 'twice:1', 'session:1']);
    heard = [];
    undos[0]?.();
    undos[0]?.();
    bus.emit(token('a', '2'));
    expect(heard).toEqual(['all:2', 'twice:2', 'session:2']);
    heard = [];
    for (const undo of undos) undo();
    bus.emit(token('a', '3'));
    expect(heard).toEqual([]);
  });

  test('[BUS4] an undo that is called again takes no other listener with it', () => {
    const undo = bus.on('x', 'stream.token', note('first'));
    bus.on('x', 'stream.token', note('second'));
    undo();
    undo();
    bus.setKnown(['x']);
    bus.emit(token('x', '1'));
    expect(heard).toEqual(['second:1']);
  });

  test('[BUS4] of the same function twice, the one whose undo is called goes', () => {
    const twice = note('twice');
    let undo = (): void => undefined;
    bus.on('a', 'stream.token', twice);
    bus.on('a', 'stream.token', () => undo());
    undo = bus.on('a', 'stream.token', twice);
    bus.emit(token('a', '1'));
    expect(heard).toEqual(['twice:1']);
  });

  test('[BUS5] a listener removed during an event is not called any more', () => {
    const later: (() => void)[] = [];
    bus.onAll(() => later.forEach((undo) => undo()));
    later.push(bus.onAll(note('all')));
    later.push(bus.on('a', 'stream.token', note('type')));
    later.push(bus.onSession('a', note('session')));
    bus.onSession('a', note('stays'));
    bus.emit(token('a', 'x'));
    expect(heard).toEqual(['stays:x']);
  });

  test('[BUS5] a listener added during an event hears the next one first', () => {
    let added = false;
    bus.on('a', 'stream.token', () => undefined);
    bus.onSession('a', () => undefined);
    bus.onAll(() => {
      if (added) return;
      added = true;
      bus.onAll(note('all'));
      bus.on('a', 'stream.token', note('type'));
      bus.onSession('a', note('session'));
    });
    bus.emit(token('a', 'x'));
    expect(heard).toEqual([]);
    bus.emit(token('a', 'y'));
    expect(heard).toEqual(['all:y', 'type:y', 'session:y']);
  });
});
