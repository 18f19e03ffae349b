import type { OpenTransport, Transport, TransportTarget } from '../../src/core/ports';
import type { Peer } from './linked-pair';

/**
 * The rules of OpenTransport, for any test runner and any implementation: in memory, in Node, in a
 * browser. The path of the address tells the server how to behave.
 */
export const BEHAVIOURS = [
  'echo', // sends back every frame
  'greet', // sends "1", "2", "3" at once, then echoes
  'protocols', // sends the offered subprotocols as JSON
  'token', // takes the connection and closes it with 4401
  'refuse', // refuses the upgrade
  'binary', // sends a binary frame
  'last', // sends the code that the last connection to `echo` was closed with
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** How a server treats a connection. `false` refuses it. */
export function behaviours(): (peer: Peer, behaviour: string) => boolean {
  let last = 0;
  return (peer, behaviour) => {
    if (behaviour === 'refuse') return false;
    if (behaviour === 'token') peer.close(4401, 'wrong token');
    if (behaviour === 'binary') peer.send(new Uint8Array([1, 2, 3]));
    if (behaviour === 'protocols') peer.send(JSON.stringify(peer.protocols));
    if (behaviour === 'last') peer.send(String(last));
    if (behaviour === 'greet') for (const frame of ['1', '2', '3']) peer.send(frame);
    peer.onMessage = (text) => peer.send(text);
    if (behaviour === 'echo') peer.onClose = (code) => void (last = code);
    return true;
  };
}

export interface TransportHarness {
  readonly open: OpenTransport;
  /** The address of a server with this behaviour; `nobody`: an address without a server. */
  url(behaviour: Behaviour | 'nobody'): string;
}

export interface ContractCase {
  readonly title: string;
  readonly run: (harness: TransportHarness) => Promise<void>;
}

const PROTOCOLS = ['agent-task-boards.v1', 'token.abc-DEF_123'];

type TransportEvent = { kind: 'open' } | { kind: 'message'; text: string } | Closed;
type Closed = { kind: 'close'; code: number; reason: string; opened: boolean };

/** A connection under test: records its events and can wait for more. */
class Probe {
  readonly events: TransportEvent[] = [];
  readonly transport: Transport;
  /** whether a handler was called before `open` returned */
  calledEarly = false;
  #wake: () => void = () => undefined;

  constructor(harness: TransportHarness, behaviour: Behaviour | 'nobody') {
    const target: TransportTarget = { url: harness.url(behaviour), protocols: PROTOCOLS };
    let returned = false;
    const record = (happening: TransportEvent): void => {
      this.calledEarly ||= !returned;
      this.events.push(happening);
      this.#wake();
    };
    this.transport = harness.open(target, {
      open: () => record({ kind: 'open' }),
      message: (text) => record({ kind: 'message', text }),
      close: (event) => record({ kind: 'close', ...event }),
    });
    returned = true;
  }

  /** Waits until there were `count` events. */
  async until(count: number): Promise<void> {
    while (this.events.length < count) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async closed(): Promise<Closed> {
    for (;;) {
      const found = this.events.find((happening) => happening.kind === 'close');
      if (found !== undefined) return found;
      await this.until(this.events.length + 1);
    }
  }

  get texts(): string[] {
    return this.events.flatMap((one) => (one.kind === 'message' ? [one.text] : []));
  }

  get kinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }
}

function expectSame(actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b.slice(0, 300)}, got ${a.slice(0, 300)}`);
}

/** Waits for another whole connection, so that a wrong late event would show up. */
async function waitForAnother(harness: TransportHarness): Promise<void> {
  const probe = new Probe(harness, 'greet');
  await probe.until(4);
  probe.transport.close();
  await probe.closed();
}

export const transportContract: readonly ContractCase[] = [
  {
    title: '[CONN30] opens before anything else, and never before the caller has the transport',
    run: async (harness) => {
      const probe = new Probe(harness, 'greet');
      await probe.until(4);
      expectSame(probe.calledEarly, false);
      expectSame(probe.kinds, ['open', 'message', 'message', 'message']);
      expectSame(probe.texts, ['1', '2', '3']);
      probe.transport.close();
    },
  },
  {
    title: '[CONN31] offers the subprotocols in their order',
    run: async (harness) => {
      const probe = new Probe(harness, 'protocols');
      await probe.until(2);
      expectSame(JSON.parse(probe.texts[0] ?? ''), PROTOCOLS);
      probe.transport.close();
    },
  },
  {
    title: '[CONN32] brings frames whole and in order, whatever their characters',
    run: async (harness) => {
      const probe = new Probe(harness, 'echo');
      await probe.until(1);
      const frames = Array.from({ length: 200 }, (_, n) => `${n} – ä 漢 🙂 \u0000 "\\`);
      for (const frame of frames) probe.transport.send(frame);
      await probe.until(201);
      expectSame(probe.texts, frames);
      probe.transport.close();
    },
  },
  {
    title: '[CONN32] brings a frame of nearly 1 MiB whole',
    run: async (harness) => {
      const probe = new Probe(harness, 'echo');
      await probe.until(1);
      const frame = 'x'.repeat(1024 * 1024 - 1);
      probe.transport.send(frame);
      await probe.until(2);
      expectSame(probe.texts[0] === frame, true);
      probe.transport.close();
    },
  },
  {
    title: '[CONN33] tells the code and reason of a close by the other end, once',
    run: async (harness) => {
      const probe = new Probe(harness, 'token');
      const { code, reason, opened } = await probe.closed();
      expectSame({ code, reason, opened }, { code: 4401, reason: 'wrong token', opened: true });
      probe.transport.close();
      probe.transport.send('late');
      await waitForAnother(harness);
      expectSame(probe.kinds, ['open', 'close']);
    },
  },
  ...(['refuse', 'nobody'] as const).map((behaviour) => ({
    title: `[CONN34] a connection that fails to open closes once, as not opened (${behaviour})`,
    run: async (harness: TransportHarness) => {
      const probe = new Probe(harness, behaviour);
      probe.transport.send('too early');
      expectSame((await probe.closed()).opened, false);
      probe.transport.close();
      await waitForAnother(harness);
      expectSame([probe.calledEarly, probe.kinds], [false, ['close']]);
    },
  })),
  {
    title: '[CONN35] closing may be repeated; it ends with one close, and nothing is sent after it',
    run: async (harness) => {
      const probe = new Probe(harness, 'echo');
      await probe.until(1);
      probe.transport.close(1000, 'done');
      probe.transport.close(1000, 'done');
      probe.transport.send('late');
      expectSame((await probe.closed()).opened, true);
      probe.transport.close();
      await waitForAnother(harness);
      expectSame(probe.kinds, ['open', 'close']);
    },
  },
  {
    title: '[CONN35] closing before it opened ends with one close, as not opened',
    run: async (harness) => {
      const probe = new Probe(harness, 'echo');
      probe.transport.close();
      expectSame((await probe.closed()).opened, false);
      await waitForAnother(harness);
      expectSame(probe.kinds, ['close']);
    },
  },
  {
    title: '[CONN36] the other end learns the code of a close',
    run: async (harness) => {
      const probe = new Probe(harness, 'echo');
      await probe.until(1);
      probe.transport.close(4408, 'dead');
      await probe.closed();
      const after = new Probe(harness, 'last');
      await after.until(2);
      expectSame(after.texts, ['4408']);
      after.transport.close();
    },
  },
  {
    title: '[CONN37] a binary frame ends the connection',
    run: async (harness) => {
      const probe = new Probe(harness, 'binary');
      await probe.closed();
      expectSame(probe.kinds, ['open', 'close']);
    },
  },
];
