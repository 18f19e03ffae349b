import type { Ids, Log } from '../../src/core/ports';
import {
  ConnectionManager,
  type ConnectionState,
  type Endpoint,
} from '../../src/core/session/connection-manager';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { FakeBridge } from './fake-bridge';
import { ManualClock, flushPromises } from './manual-clock';

export const ENDPOINT: Endpoint = {
  url: 'ws://127.0.0.1:4001/',
  token: 'secret-token',
  folder: 'folder-1',
};

/** A connection manager with a fake bridge, a manual clock and chosen random numbers. */
export class ConnectionFixture {
  readonly clock = new ManualClock();
  readonly bridge = new FakeBridge();
  readonly bus = new SessionEventBus();
  readonly notes: string[] = [];
  readonly states: ConnectionState[] = [];
  /** the endpoint that is found; `searchCount` counts searches */
  endpoint: Endpoint | undefined = ENDPOINT;
  searchCount = 0;
  random = 0.5;
  readonly ids: Ids;
  readonly connection: ConnectionManager;
  #count = 0;

  constructor() {
    this.ids = { unique: () => `c${++this.#count}`, random: () => this.random };
    const log: Log = { note: (message) => void this.notes.push(message) };
    this.connection = new ConnectionManager({
      open: this.bridge.open,
      clock: this.clock,
      ids: this.ids,
      log,
      bus: this.bus,
      discover: async () => {
        this.searchCount++;
        return this.endpoint;
      },
      hello: () => ({ client: 'test', version: '0.1.0', vault: 'Demo', capabilities: ['tools'] }),
    });
    this.connection.onState((state) => this.states.push(state));
  }

  get kinds(): string[] {
    return this.states.map(({ kind }) => kind);
  }

  async connect(): Promise<void> {
    this.connection.connect();
    await flushPromises();
  }
}
