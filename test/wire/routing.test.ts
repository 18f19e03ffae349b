import { expect, test } from 'vitest';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FaultProxy } from '../../soak/link/fault-proxy';
import { DeliveryCheck } from '../../soak/link/delivery-check';
import { withTimeout } from '../../soak/link/with-timeout';
import { acceleratedClock } from '../../soak/link/accelerated-clock';
import { TurnWriter } from '../../soak/link/turn-writer';
import { SeededRandom } from '../../soak/seeded';
import type { OpenTransport, TransportHandlers } from '../../src/core/ports';
import { Bridges } from '../../src/core/session/bridges';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { nodeIds } from '../../src/node/node-ports';
import { openWebSocket } from '../../src/node/ws-transport';

const COUNT = 50;
const STEPS = 4_000;
const EVERY_CUT = 800;

interface Talk {
  readonly id: string;
  readonly bridge: LocalBridge;
  readonly writer: TurnWriter;
  readonly heard: DeliveryCheck;
  /** events of other sessions that a second listener heard */
  readonly strange: string[];
}

/** Frames that no bridge would send, mixed into real ones. */
class Noise {
  readonly injected = { unknownSession: 0, endedSession: 0, refused: 0 };
  #next = 0;

  constructor(private readonly random: SeededRandom) {}

  /** Whether there is an ended session. */
  ended = false;

  /** A transport that receives such frames now and then, as long as it is open. */
  readonly open: OpenTransport = (target, handlers) => {
    let live = true;
    const transport = openWebSocket(target, {
      ...handlers,
      close: (event) => {
        live = false;
        handlers.close(event);
      },
      message: (text) => {
        handlers.message(text);
        if (live && this.ended && this.random.next() < 0.02) this.#inject(text, handlers);
      },
    });
    return {
      send: (text) => transport.send(text),
      close: (code, reason) => {
        live = false;
        transport.close(code, reason);
      },
    };
  };

  #inject(text: string, handlers: TransportHandlers): void {
    const what = WHAT[this.#next++ % WHAT.length] ?? 'refused';
    this.injected[what]++;
    handlers.message(what === 'refused' ? text.slice(0, -2) : stray(what));
  }
}

const WHAT = ['unknownSession', 'endedSession', 'refused'] as const;

/** A token of a session that never existed or has ended. */
function stray(what: 'unknownSession' | 'endedSession'): string {
  const payload = { messageId: 'm', partId: 'p', delta: 'astray' };
  const sessionId = what === 'endedSession' ? 'ses_ended' : 'ses_nobody';
  return JSON.stringify({ v: 1, type: 'stream.token', id: what, ts: 1, sessionId, payload });
}

test('[BUS12] fifty sessions of two bridges over links that break: each listener hears its own, whole', async () => {
  const random = new SeededRandom(7);
  const lost: string[] = [];
  const ids = Array.from({ length: COUNT }, (_, n) => `ses_${n}`);
  const half = (at: number): string[] => ids.filter((_, n) => n % 2 === at);
  const bridges = await Promise.all([startBridge(half(0)), startBridge(half(1))]);
  bridges[0].opencode.addSession('ses_ended', 'ses_ended');
  const repeat = (): boolean => random.next() < 0.05;
  const proxies = await Promise.all(
    bridges.map(({ run }) =>
      FaultProxy.start(run.port, () => ({ up: {}, down: { repeat }, reset: random.next() < 0.5 })),
    ),
  );
  const noise = new Noise(random);
  const bus = new SessionEventBus();
  const all = new Bridges({
    open: noise.open,
    clock: acceleratedClock(20),
    ids: nodeIds,
    log: { note: () => undefined },
    bus,
    discover: async () =>
      bridges.map(({ run: { token, folder } }, at) => ({
        url: `ws://127.0.0.1:${proxies[at]?.port}/`,
        ...{ token, folder, startedAt: at },
      })),
    hello: () => ({ client: 'test', version: '1', vault: 'v', capabilities: ['tools'] }),
  });
  const sessions = new Sessions(bus, all);
  let wake = (): void => undefined;
  const talks = ids.map((id, n): Talk => {
    const heard = new DeliveryCheck((what) => lost.push(`${id}: ${what}`));
    const strange: string[] = [];
    bus.on(id, 'stream.token', () => {
      throw new Error('a listener that throws');
    });
    bus.onSession(id, (event: SessionEvent) => heard.recordReceived(event));
    bus.onSession(id, (event) => {
      const own = !JSON.stringify(event).includes('ses_') || JSON.stringify(event).includes(id);
      if (event.sessionId !== id || !own) strange.push(event.type);
      wake();
    });
    const bridge = bridges[n % 2] as LocalBridge;
    return { id, bridge, writer: new TurnWriter(id, random), heard, strange };
  });
  const missing = (): number => talks.reduce((sum, { heard }) => sum + heard.missing, 0);
  const caughtUp = async (most: number): Promise<void> => {
    while (missing() > most) {
      const woken = new Promise<true>((resolve) => (wake = () => resolve(true)));
      if ((await withTimeout(woken)) === undefined) throw new Error('Nothing comes any more.');
    }
  };
  const status = (id: string, bridge: LocalBridge, type: string): Promise<void> =>
    bridge.hooks.event({
      event: { type: 'session.status', properties: { sessionID: id, status: { type } } },
    });
  for (const { id, bridge, heard } of talks) {
    heard.recordSent({ event: { type: '', properties: {} }, facts: ['idle'], words: 0 });
    await status(id, bridge, 'idle');
  }
  all.connect();
  await caughtUp(0);
  expect(all.state.among).toEqual({ up: 2, of: 2 });
  const ended = new Promise((resolve) => bus.on('ses_ended', 'session.end', resolve));
  bridges[0].opencode.removeSession('ses_ended');
  const gone = { sessionID: 'ses_ended', info: { id: 'ses_ended' } };
  await bridges[0].hooks.event({ event: { type: 'session.deleted', properties: gone } });
  await withTimeout(ended);
  noise.ended = true;
  for (let step = 0; step < STEPS; step++) {
    const { bridge, writer, heard } = talks[random.below(COUNT)] as Talk;
    for (const told of writer.next()) {
      heard.recordSent(told);
      await bridge.hooks.event({ event: told.event });
    }
    if (step % EVERY_CUT === EVERY_CUT - 1) proxies[random.below(2)]?.cutAll();
    if (step % 100 === 0) await caughtUp(2_000);
  }
  await caughtUp(0);
  expect(lost).toEqual([]);
  expect(talks.flatMap(({ strange }) => strange)).toEqual([]);
  expect(
    talks.every(({ id, heard }) => heard.receivedCount > 20 && sessions.get(id) !== undefined),
  ).toBe(true);
  const { duplicate, gap, foreign, ...strays } = all.dropped;
  expect(strays).toEqual(noise.injected);
  expect([gap, foreign]).toEqual([0, 0]);
  expect(duplicate).toBeGreaterThan(50);
  expect(Math.min(...Object.values(noise.injected))).toBeGreaterThan(5);
  expect(proxies.reduce((sum, { counts }) => sum + (counts.connections ?? 0), 0)).toBeGreaterThan(
    4,
  );
  all.close();
  await Promise.all([...proxies, ...bridges].map((one) => one.close()));
});
