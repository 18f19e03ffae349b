import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/core/session/session-event-bus';
import { fc } from '../seeded';
import type { FakeBridge } from '../wire/fake-bridge';
import { flushPromises } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

const SESSIONS = Array.from({ length: 50 }, (_, n) => `ses_${n}`);
const PORTS = [4001, 4002];
const WHAT = ['next', 'again', 'late', 'gap', 'unknown', 'end', 'foreign', 'broken'] as const;

const step = fc.record({
  what: fc.oneof(
    { weight: 30, arbitrary: fc.constant('next' as const) },
    { weight: 8, arbitrary: fc.constantFrom(...WHAT) },
  ),
  session: fc.nat(SESSIONS.length - 1),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Two bridges with 25 sessions each, the messages that they send and the expected results. */
class World {
  readonly several = new SeveralBridges();
  readonly expected = new Map(SESSIONS.map((id) => [id, [] as string[]]));
  readonly dropped = {
    ...{ duplicate: 0, gap: 0, refused: 0, foreign: 0 },
    ...{ endedSession: 0, unknownSession: 0 },
  };
  readonly #ended = new Set<string>();
  readonly #bridges: readonly FakeBridge[];
  /** the last sequence number by bridge and session; forgotten when disconnected */
  readonly #last: readonly Map<string, number>[] = PORTS.map(() => new Map());
  #words = 0;

  constructor() {
    this.#bridges = PORTS.map((port, at) =>
      this.several.add(port, ...SESSIONS.filter((_, n) => n % PORTS.length === at)),
    );
  }

  async perform({ what, session }: Step): Promise<void> {
    const id = SESSIONS[session] ?? '';
    const at = session % PORTS.length;
    if (this.#ended.has(id) && what !== 'next') return;
    const last = this.#last[at]?.get(id) ?? 0;
    switch (what) {
      case 'next':
        return this.#token(at, id, last + 1);
      case 'again':
      case 'late':
        if (last === 0) return;
        this.dropped.duplicate++;
        return this.#raw(at, id, what === 'again' ? last : 1, `${what} of ${id}`);
      case 'gap':
        this.dropped.gap++;
        this.#raw(at, id, last + 2, `behind a gap in ${id}`);
        return this.#reconnected(at);
      case 'unknown':
        this.dropped.unknownSession++;
        return this.#raw(at, 'ses_nobody', undefined, 'of nobody');
      case 'end':
        this.#ended.add(id);
        this.#last[at]?.set(id, last + 1);
        return this.#say(at, {
          ...{ type: 'session.end', sessionId: id, seq: last + 1 },
          payload: { reason: 'deleted' },
        });
      case 'foreign':
        this.dropped.foreign++;
        return this.#say(1 - at, {
          ...{ type: 'turn.end', sessionId: id },
          payload: { reason: 'completed' },
        });
      case 'broken':
        this.dropped.refused++;
        return this.#bridges[at]?.sendRaw(`{"v":1,"type":"stream.token","sessionId":"${id}"}`);
    }
  }

  #token(at: number, id: string, seq: number): void {
    const word = `${++this.#words}`;
    if (this.#ended.has(id)) this.dropped.endedSession++;
    else this.expected.get(id)?.push(word);
    this.#last[at]?.set(id, seq);
    this.#raw(at, id, seq, word);
  }

  #raw(at: number, sessionId: string, seq: number | undefined, delta: string): void {
    const payload = { messageId: `msg of ${sessionId}`, partId: 'p', delta };
    this.#say(at, {
      ...{ type: 'stream.token', sessionId, payload },
      ...(seq !== undefined && { seq }),
    });
  }

  #say(at: number, draft: Parameters<FakeBridge['send']>[0]): void {
    this.#bridges[at]?.send(draft);
  }

  /** A bridge in memory has no past: it starts to count again. */
  async #reconnected(at: number): Promise<void> {
    const bridge = this.#bridges[at];
    if (bridge) bridge.sessions = bridge.sessions.filter(({ id }) => !this.#ended.has(id));
    this.#last[at]?.clear();
    await this.several.clock.advance(15_000);
  }
}

test('[BUS11] whatever comes in whatever order, a listener hears its own session, once and in order', async () => {
  const seen = { heard: 0, duplicate: 0, gap: 0, refused: 0, foreign: 0 };
  const late = { endedSession: 0, unknownSession: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 80, maxLength: 300 }), async (steps) => {
      const world = new World();
      const { bus, bridges } = world.several;
      const heard = new Map(SESSIONS.map((id) => [id, { typed: [], all: [] as string[] }]));
      const hear = (id: string, list: string[]) => (event: SessionEvent) => {
        // The bus swallows what a listener throws, so this one records errors instead.
        if (event.sessionId !== id) list.push(`${event.type} of ${event.sessionId}`);
        if (event.type === 'stream.token') list.push(event.payload.delta);
      };
      for (const [id, { typed, all }] of heard) {
        bus.on(id, 'stream.token', () => {
          throw new Error('a listener that throws');
        });
        bus.on(id, 'stream.token', hear(id, typed));
        bus.onSession(id, hear(id, all));
      }
      await world.several.connect();
      let faults = 0;
      for (const one of steps) {
        await world.perform(one);
        await flushPromises();
      }
      for (const [id, words] of world.expected) {
        expect(heard.get(id)).toEqual({ typed: words, all: words });
        seen.heard += words.length;
        faults += words.length;
      }
      expect(bus.counters.faults).toBe(faults);
      expect(bridges.dropped).toEqual(world.dropped);
      for (const why of ['duplicate', 'gap', 'refused', 'foreign'] as const) {
        seen[why] += world.dropped[why];
      }
      late.endedSession += world.dropped.endedSession;
      late.unknownSession += world.dropped.unknownSession;
      bridges.close();
    }),
    { numRuns: 40 },
  );
  expect(Math.min(...Object.values(seen), ...Object.values(late))).toBeGreaterThan(20);
});
