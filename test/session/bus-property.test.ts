import { expect, test } from 'vitest';
import type { Undo } from '../../src/core/ports';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { fc } from '../seeded';
import { created, ended, progress, token } from './events';
import { NaiveBus } from './naive-bus';

const SESSIONS = ['a', 'b', 'c'];
const TYPES = ['session.created', 'stream.token', 'progress.update', 'session.end'] as const;
type Type = (typeof TYPES)[number];
type Scope = 'all' | 'type' | 'session';

/** An action on the bus, by the test or by a called listener. */
type Action =
  | { do: 'emit'; session: string; type: Type }
  | { do: 'listen'; scope: Scope; session: string; type: Type; script: readonly Action[] }
  | { do: 'undo'; which: number }
  | { do: 'known'; sessions: string[] }
  | { do: 'throw' };

const session = fc.constantFrom(...SESSIONS);
const type = fc.constantFrom(...TYPES);

const { action } = fc.letrec<{ action: Action }>((tie) => ({
  action: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ do: fc.constant('emit' as const), session, type }),
    fc.record({ do: fc.constant('emit' as const), session, type }),
    fc.record({ do: fc.constant('undo' as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant('known' as const), sessions: fc.subarray(SESSIONS) }),
    fc.record({ do: fc.constant('throw' as const) }),
    fc.record({
      do: fc.constant('listen' as const),
      scope: fc.constantFrom<Scope>('all', 'type', 'session'),
      session,
      type,
      script: fc.array(tie('action'), { minLength: 1, maxLength: 6 }),
    }),
  ),
}));

interface Bus {
  emit(event: SessionEvent): void;
  setKnown(ids: string[]): void;
  add(scope: Scope, session: string, type: Type, fn: (event: SessionEvent) => void): Undo;
}

function event(sessionId: string, kind: Type, delta: number): SessionEvent {
  if (kind === 'session.created') return created(sessionId, String(delta));
  if (kind === 'stream.token') return token(sessionId, String(delta));
  if (kind === 'session.end') return ended(sessionId);
  return progress(sessionId, { kind: 'busy' });
}

/** Runs the actions; entries of listeners' scripts once each. @returns who heard what, in order */
function run(bus: Bus, actions: readonly Action[]): string[] {
  const trace: string[] = [];
  const undos: Undo[] = [];
  let events = 0;
  const perform = (one: Action): void => {
    if (one.do === 'emit') bus.emit(event(one.session, one.type, events++));
    else if (one.do === 'undo') undos[one.which]?.();
    else if (one.do === 'known') bus.setKnown(one.sessions);
    else if (one.do === 'throw') throw new Error('on purpose');
    else {
      const name = `listener ${undos.length}`;
      const script = [...one.script];
      undos.push(
        bus.add(one.scope, one.session, one.type, (heard) => {
          trace.push(
            `${name}: ${heard.type} of ${heard.sessionId} ${JSON.stringify(heard.payload)}`,
          );
          const next = script.shift();
          if (next !== undefined) perform(next);
        }),
      );
    }
  };
  bus.setKnown(SESSIONS);
  for (const one of actions) if (one.do !== 'throw') perform(one);
  return trace;
}

function real(bus: SessionEventBus): Bus {
  return {
    emit: (one) => bus.emit(one),
    setKnown: (ids) => bus.setKnown(ids),
    add: (scope, sessionId, kind, fn) => {
      if (scope === 'all') return bus.onAll(fn);
      return scope === 'session' ? bus.onSession(sessionId, fn) : bus.on(sessionId, kind, fn);
    },
  };
}

test('[BUS10] does what the naive bus does, whatever listeners do meanwhile', () => {
  const seen = { heard: 0, dropped: 0, faults: 0 };
  fc.assert(
    fc.property(fc.array(action, { minLength: 5, maxLength: 60 }), (actions) => {
      const bus = new SessionEventBus();
      const naive = new NaiveBus();
      const trace = run(real(bus), actions);
      expect(trace).toEqual(run(naive, actions));
      const { unknownSession, endedSession, faults } = bus.counters;
      expect([unknownSession + endedSession, faults]).toEqual([naive.dropped, naive.faults]);
      seen.heard += trace.length;
      seen.dropped += naive.dropped;
      seen.faults += naive.faults;
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(seen.heard, seen.dropped, seen.faults)).toBeGreaterThan(300);
});
