import { beforeEach, describe, expect, test } from 'vitest';
import { Compaction, type CompactionEvent } from '../../src/core/context/compaction';
import { contextUse } from '../../src/core/context/context-use';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { WireError } from '../../src/protocol/wire-error';
import { ManualClock } from '../bridge/manual-clock';

const S = 's1';

let bus: SessionEventBus;
let clock: ManualClock;
let asked: number;
let told: CompactionEvent[];
let full: [string, number][];
let used: number;
let on: boolean;
let rests: boolean;
let lost: () => void;
let compaction: Compaction;

const emit = (type: string, payload: object) =>
  bus.emit({ type, sessionId: S, ts: 1, payload } as unknown as SessionEvent);
const compacted = () => {
  emit('progress.update', { kind: 'compacted' });
  emit('turn.end', { reason: 'completed' });
};
const fails = () =>
  emit('turn.end', { reason: 'error', error: { code: 'APIError', message: 'No credit.' } });

beforeEach(() => {
  bus = new SessionEventBus();
  bus.setKnown([S]);
  clock = new ManualClock();
  [asked, told, full, used, on, rests] = [0, [], [], 900, true, true];
  compaction = new Compaction({
    ...{ bus, clock },
    compact: () => Promise.resolve(void (asked += 1)),
    canCompact: () => rests,
    contextUseOf: (_, next) =>
      contextUse(
        { blocks: [], tokens: { input: 0, output: 0, context: used, limit: 1_000 } },
        { next },
      ),
    compactsBeforePrompt: () => on,
    onLost: (listener) => {
      lost = listener;
      return () => undefined;
    },
    onFull: (sessionId, share) => void full.push([sessionId, share]),
    notify: (news) => void told.push(news),
  });
  compaction.follow();
});

describe('compacting because a person asked', () => {
  test('[CTX10] is done when the turn of the summary has ended, and asked for once at a time', async () => {
    let done = false;
    const both = [compaction.compact(S), compaction.compact(S)];
    void Promise.all(both).then(() => (done = true));
    emit('progress.update', { kind: 'compacted' });
    await Promise.resolve();
    expect([done, asked]).toEqual([false, 1]);
    emit('turn.end', { reason: 'completed' });
    await Promise.all(both);
    void compaction.compact(S);
    expect(asked).toBe(2);
  });

  test.each([
    ['a turn that fails', fails, 'internal', 'No credit.'],
    [
      'a turn without a summary',
      () => emit('turn.end', { reason: 'completed' }),
      'internal',
      'There is no summary.',
    ],
    ['a stop', () => emit('turn.end', { reason: 'interrupted' }), 'cancelled', 'It was stopped.'],
    [
      'the end of the session',
      () => emit('session.end', { reason: 'deleted' }),
      'cancelled',
      'The session has ended.',
    ],
    ['a lost connection', () => lost(), 'cancelled', 'Its program is not connected.'],
    [
      'a model that says nothing',
      () => clock.advance(600_000),
      'timeout',
      'The summary takes too long.',
    ],
  ])('[CTX10] %s is told', async (_, end, code, message) => {
    const done = compaction.compact(S);
    end();
    const error = await done.catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(WireError);
    expect(error).toMatchObject({ code, message });
  });
});

test('[HOOK9] a context that is full after a turn is told once, and again when it had room in between', () => {
  const turn = (tokens: number) => {
    used = tokens;
    emit('turn.end', { reason: 'completed' });
  };
  turn(949);
  expect(full).toEqual([]);
  turn(950);
  turn(990);
  expect(full).toEqual([[S, 0.95]]);
  turn(100);
  turn(960);
  expect(full.map(([, share]) => share)).toEqual([0.95, 0.96]);
});

describe('compacting before a prompt', () => {
  const before = async (end: () => void, text = 'Go on') => {
    const sent = compaction.beforePrompt(S, text);
    await Promise.resolve();
    end();
    await sent;
  };

  test('[CTX11] waits for the summary where 85 % of the room are used', async () => {
    await before(compacted);
    expect([asked, told]).toEqual([
      1,
      [{ kind: 'begun', sessionId: S, share: expect.closeTo(0.903) as number }],
    ]);
  });

  test.each([
    ['where the person does not want it', () => (on = false)],
    ['where less is used', () => (used = 840)],
    ['while the session works, or can’t be compacted', () => (rests = false)],
  ])('[CTX11] asks for nothing %s', async (_, set) => {
    set();
    await compaction.beforePrompt(S, 'Go');
    expect([asked, told]).toEqual([0, []]);
  });

  test('[CTX11] counts the words that are about to be sent', async () => {
    used = 840;
    await before(compacted, 'abc'.repeat(20));
    expect(asked).toBe(1);
  });

  test('[CTX12] stops after three failures in a row, and says so; a compaction by whomever begins anew', async () => {
    for (let n = 0; n < 4; n += 1) await before(fails);
    const failures = told.filter(({ kind }) => kind === 'failed');
    expect(asked).toBe(3);
    expect(failures.map((one) => 'last' in one && one.last)).toEqual([false, false, true]);
    emit('progress.update', { kind: 'compacted' });
    await before(compacted);
    expect(asked).toBe(4);
  });

  test('[CTX12] a person who stops it is no failure', async () => {
    for (let n = 0; n < 4; n += 1) {
      await before(() => emit('turn.end', { reason: 'interrupted' }));
    }
    expect([asked, told.every(({ kind }) => kind === 'begun')]).toEqual([4, true]);
  });
});
