import type { Clock } from '../../src/core/ports';
import { ConnectionManager } from '../../src/core/session/connection-manager';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { openWebSocket } from '../../src/node/ws-transport';
import { nodeIds } from '../../src/node/node-ports';
import type { RunFile } from '../../src/protocol/run-file';
import { acceleratedClock } from './accelerated-clock';

/** The plugin's end of a link, on Node: connection, reconnection, bus. */
export class PluginLink {
  readonly bus = new SessionEventBus();
  readonly connection: ConnectionManager;
  readonly notes: string[] = [];
  readonly clock: Clock;

  /**
   * @param at returns the run file of the bridge, called before each attempt
   * @param clockFactor factor by which the client's clock runs faster (retry pauses, heartbeat)
   * @param capabilities the capabilities in its hello
   */
  constructor(
    at: () => { readonly port: number; readonly run: RunFile },
    clockFactor = 20,
    capabilities: readonly string[] = ['tools'],
  ) {
    this.clock = acceleratedClock(clockFactor);
    this.connection = new ConnectionManager({
      open: openWebSocket,
      clock: this.clock,
      ids: nodeIds,
      log: { note: (message, context) => this.#note(message, context) },
      bus: this.bus,
      discover: () => {
        const { port, run } = at();
        const { token, folder, protocol } = run;
        return Promise.resolve({ url: `ws://127.0.0.1:${port}/`, token, folder, protocol });
      },
      hello: () => ({
        ...{ client: 'soak', version: '1', vault: 'v' },
        capabilities: [...capabilities],
      }),
    });
  }

  async connected(): Promise<void> {
    if (this.connection.state.kind === 'connected') return;
    await new Promise<void>((resolve) => {
      const undo = this.connection.onState(({ kind }) => {
        if (kind !== 'connected') return;
        undo();
        resolve();
      });
    });
  }

  #note(message: string, context: object = {}): void {
    this.notes.push(`${message} ${JSON.stringify(context)}`);
    if (this.notes.length > 100) this.notes.shift();
  }

  close(): void {
    this.connection.close();
  }
}
