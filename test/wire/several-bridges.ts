import type { OpenTransport } from '../../src/core/ports';
import { Bridges, type BridgesState } from '../../src/core/session/bridges';
import type { Endpoint } from '../../src/core/session/connection';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { FakeBridge } from './fake-bridge';
import { ManualClock, settled } from './manual-clock';

/** In-memory bridges that come and go; the plugin's side is real. */
export class SeveralBridges {
  readonly clock = new ManualClock();
  readonly bus = new SessionEventBus();
  readonly heard: SessionEvent[] = [];
  readonly states: BridgesState[] = [];
  readonly notes: string[] = [];
  readonly bridges: Bridges;
  readonly sessions: Sessions;
  readonly #there = new Map<string, { readonly endpoint: Endpoint; readonly bridge: FakeBridge }>();
  #count = 0;

  constructor() {
    const open: OpenTransport = (target, handlers) =>
      (this.#there.get(target.url)?.bridge ?? nobody()).open(target, handlers);
    this.bridges = new Bridges({
      open,
      clock: this.clock,
      ids: { unique: () => `c${++this.#count}`, random: () => 0.5 },
      log: { note: (message) => void this.notes.push(message) },
      bus: this.bus,
      discover: async () =>
        [...this.#there.values()]
          .map(({ endpoint }) => endpoint)
          .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0)),
      hello: () => ({ client: 'test', version: '1', vault: 'Demo', capabilities: ['tools'] }),
    });
    this.sessions = new Sessions(this.bus, this.bridges);
    this.bus.onAll((event) => this.heard.push(event));
    this.bridges.onState((state) => this.states.push(state));
  }

  /** Starts a bridge with these sessions, all idle. */
  add(port: number, ...ids: readonly string[]): FakeBridge {
    const bridge = new FakeBridge();
    bridge.token = `token-${port}`;
    bridge.sessions = ids.map((id) => ({ id, title: `${id} of ${port}`, status: 'idle' }));
    const url = `ws://127.0.0.1:${port}/`;
    const endpoint = { url, token: bridge.token, folder: `folder-${port}`, startedAt: port };
    this.#there.set(url, { endpoint, bridge });
    return bridge;
  }

  /** Removes a bridge and its run file; its connection breaks. */
  remove(port: number): void {
    const url = `ws://127.0.0.1:${port}/`;
    this.#there.get(url)?.bridge.drop(1006);
    this.#there.delete(url);
  }

  async connect(): Promise<void> {
    this.bridges.connect();
    await settled();
  }

  title(sessionId: string): string | undefined {
    return this.sessions.get(sessionId)?.title;
  }
}

function nobody(): FakeBridge {
  const bridge = new FakeBridge();
  bridge.listening = false;
  return bridge;
}
