import { expect, test } from 'vitest';
import { ExpiringRequests } from '../../../src/core/orchestrator/drive/bridges-link';
import type { ToolRequest } from '../../../src/core/orchestrator/drive/orchestrator-deps';
import type { Session } from '../../../src/core/session/session';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import type { SessionRuntime } from '../../../src/core/session/bridge-runtime';
import { WireError } from '../../../src/protocol/wire-error';
import { ManualClock } from '../../bridge/manual-clock';

const MINUTE = 60_000;

interface Given {
  readonly minutes?: number;
  readonly parents?: Readonly<Record<string, string>>;
}

function scene({ minutes = 10, parents = {} }: Given = {}) {
  const bus = new SessionEventBus();
  const clock = new ManualClock();
  const told: string[] = [];
  const online = { is: true };
  const answerPermission: SessionRuntime['answerPermission'] = (session, request, reply, words) => {
    if (!online.is) return Promise.reject(new WireError('cancelled', 'Gone.', true));
    told.push(`${session} ${request} ${reply}: ${words ?? ''}`);
    return Promise.resolve();
  };
  const session = (id: string): Session => ({
    ...{ id, title: '', parentId: parents[id] ?? null, agent: null, state: { kind: 'busy' } },
    ...{ permissions: [], questions: [], lastActive: 0 },
  });
  const asks = new ExpiringRequests({
    ...{ bus, clock, runtime: { answerPermission }, log: { note: () => undefined } },
    minutes: () => minutes,
    usesSession: (id) => id === 'work',
    sessions: () => ['work', ...Object.keys(parents)].map(session),
  });
  asks.onEnd(
    ({ requestId }: ToolRequest, lapsed) => void told.push(`${requestId} ${String(lapsed)}`),
  );
  bus.setKnown(['work', 'other', ...Object.keys(parents)]);
  const emit = (sessionId: string, requestId: string): void =>
    bus.emit({
      ...{ type: 'permission.request', sessionId, ts: 0 },
      payload: { requestId, permission: 'bash', patterns: ['ls'], always: [], metadata: {} },
    });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { bus, clock, told, online, asks, emit, settled };
}

const DENIED =
  'reject: Nobody answered in time, so it was denied. Go on without it, and say at the end what is left.';

test('[RUN80] what OpenCode asks in a run and nobody answers in time is denied; the run hears it first', async () => {
  const { clock, told, emit, settled } = scene();
  emit('work', 'p1');
  clock.advance(10 * MINUTE - 1);
  // Repeated after a reconnect, it gets no extra time.
  emit('work', 'p1');
  expect(told).toEqual([]);
  clock.advance(1);
  await settled();
  expect(told).toEqual(['p1 true', `work p1 ${DENIED}`]);
});

test('[RUN80] what a subagent of the run asks is the run’s; other sessions are left alone', async () => {
  const { clock, told, emit, settled } = scene({ parents: { child: 'work', stray: 'other' } });
  emit('child', 'p1');
  emit('other', 'p2');
  emit('stray', 'p3');
  clock.advance(60 * MINUTE);
  await settled();
  expect(told).toEqual(['p1 true', `child p1 ${DENIED}`]);
});

test('[RUN80] what was answered is not denied, nor anything where no time is set', async () => {
  const { bus, clock, told, emit, settled } = scene();
  emit('work', 'p1');
  bus.emit({
    ...{ type: 'permission.resolved', sessionId: 'work', ts: 0 },
    payload: { requestId: 'p1', reply: 'once' },
  });
  const patient = scene({ minutes: 0 });
  patient.emit('work', 'p1');
  for (const one of [clock, patient.clock]) one.advance(1_000 * MINUTE);
  await settled();
  expect([...told, ...patient.told]).toEqual([]);
});

test('[RUN80] a denial that could not be sent is sent again; after the end nothing is', async () => {
  const { clock, told, online, asks, emit, settled } = scene();
  online.is = false;
  emit('work', 'p1');
  clock.advance(10 * MINUTE);
  await settled();
  online.is = true;
  clock.advance(MINUTE);
  await settled();
  expect(told.filter((line) => line.startsWith('work'))).toEqual([`work p1 ${DENIED}`]);
  emit('work', 'p2');
  asks.close();
  clock.advance(60 * MINUTE);
  await settled();
  expect(told.filter((line) => line.includes('p2'))).toEqual([]);
});
