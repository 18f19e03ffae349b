import type { OpenTransport } from '../../src/core/ports';
import { Bridges, type BridgesState } from '../../src/core/session/bridges';
import type { Endpoint } from '../../src/core/session/connection';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { FakeBridge } from './fake-bridge';
import { ManualClock, flushPromises } from './manual-clock';

/** In-memory bridges that come and go; the plugin's side is real. */
export class SeveralBridges {
  readonly clock = new ManualClock();
  readonly bus = new SessionEventBus();
  readonly heard: SessionEvent[] = [];
  readonly states: BridgesState[] = [];
  readonly notes: string[] = [];
  readonly bridges: Bridges;
  readonly sessions: Sessions;
  readonly #bridgeByUrl = new Map<
    string,
    { readonly endpoint: Endpoint; readonly bridge: FakeBridge }
  >();
  #count = 0;

  constructor() {
    const open: OpenTransport = (target, handlers) =>
      (this.#bridgeByUrl.get(target.url)?.bridge ?? unreachableBridge()).open(target, handlers);
    this.bridges = new Bridges({
      open,
      clock: this.clock,
      ids: { unique: () => `c${++this.#count}`, random: () => 0.5 },
      log: { note: (message) => void this.notes.push(message) },
      bus: this.bus,
      discover: async () =>
        [...this.#bridgeByUrl.values()]
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
    this.#bridgeByUrl.set(url, { endpoint, bridge });
    return bridge;
  }

  /** Removes a bridge and its run file; its connection breaks. */
  remove(port: number): void {
    const url = `ws://127.0.0.1:${port}/`;
    this.#bridgeByUrl.get(url)?.bridge.closeConnection(1006);
    this.#bridgeByUrl.delete(url);
  }

  async connect(): Promise<void> {
    this.bridges.connect();
    await flushPromises();
  }

  title(sessionId: string): string | undefined {
    return this.sessions.get(sessionId)?.title;
  }
}

function unreachableBridge(): FakeBridge {
  const bridge = new FakeBridge();
  bridge.isListening = false;
  return bridge;
}
