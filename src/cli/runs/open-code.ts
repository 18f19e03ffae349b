import { basename } from 'node:path';
import type { Clock, Log, Undo } from '../../core/ports';
import { BridgeRuntime } from '../../core/session/bridge-runtime';
import { Bridges } from '../../core/session/bridges';
import { Discovery } from '../../core/session/discovery';
import { SessionEventBus } from '../../core/session/session-event-bus';
import type { SessionRuntime } from '../../core/session/session-runtime';
import { Sessions } from '../../core/session/sessions';
import { openHttpSocket } from '../../node/http-transport';
import { mayLive } from '../../node/may-live';
import { nodeIds as ids } from '../../node/node-ids';
import { CLI_VERSION } from '../cli-version';
import type { OpenVault } from '../command';

/** The OpenCode processes of a vault, from the command line. */
export interface OpenCode {
  readonly bus: SessionEventBus;
  readonly connection: Bridges;
  readonly sessions: Sessions;
  readonly runtime: SessionRuntime;
  close(): void;
}

/**
 * Not connected yet. It offers no tools: agents' calls are run by Obsidian where that is connected,
 * else by the bridge itself.
 */
export function openCode({ folder, store }: OpenVault, clock: Clock, log: Log): OpenCode {
  const bus = new SessionEventBus();
  const discovery = new Discovery(store, () => ({ address: '', token: '' }), mayLive);
  const connection = new Bridges({
    open: openHttpSocket,
    discover: () => discovery.all(),
    hello: () => ({
      client: 'cli',
      version: CLI_VERSION,
      vault: basename(folder),
      capabilities: [],
    }),
    ...{ clock, ids, bus, log },
  });
  const sessions = new Sessions(bus, connection);
  const runtime = new BridgeRuntime(connection, ids);
  const close = (): void => {
    connection.close();
    sessions.close();
  };
  return { bus, connection, sessions, runtime, close };
}

/** From the first try to the welcome, ms: a bridge that answers does so in far less. */
const PATIENCE = 10_000;

/**
 * Connects, or says what to do where that can't be.
 * @returns undefined once it is connected
 */
export function connected(
  { connection }: Pick<OpenCode, 'connection'>,
  clock: Clock,
  stop: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const undos: Undo[] = [];
    const end = (fault: string | undefined): void => {
      for (const undo of undos) undo();
      stop.removeEventListener('abort', stopped);
      resolve(fault);
    };
    const stopped = (): void => end('It was stopped before OpenCode was connected.');
    const look = (): void => {
      const { state } = connection;
      if (state.kind === 'connected') end(undefined);
      else if (state.kind === 'failed') end(failureWords(state.message));
      else if (state.kind === 'disconnected' && state.reason === 'no_bridge') end(NONE_RUNS);
    };
    undos.push(
      connection.onState(look),
      clock.after(PATIENCE, () => end(SILENT)),
    );
    stop.addEventListener('abort', stopped);
    if (stop.aborted) stopped();
    else connection.connect();
  });
}

const NONE_RUNS =
  'OpenCode does not run in this vault, or without the bridge. Start it there with opencode serve (or opencode), then try again. If it runs: the plugin puts the bridge into .opencode/plugin ("Install bridge"), and OpenCode has to be started again then.';
const SILENT =
  'OpenCode runs in this vault, but its bridge does not answer. Start OpenCode again, then try once more.';

/** The words of a failure are for the plugin's person; here the next step is another command. */
function failureWords(message: string): string {
  return `${message} Then try again.`;
}
