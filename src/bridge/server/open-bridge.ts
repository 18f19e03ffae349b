import type { Clock, Ids, Log } from '../../core/ports';
import type { ToBridge } from '../../protocol/to-bridge';
import type { Engine } from '../engine';
import { ClientSession, counter } from './client-session';
import type { Clients } from './clients';
import type { LinkedClient } from './linked-client';
import { openListener } from './listener';
import type { RemoteCalls } from './remote-calls';
import { serve } from './serve';

interface BridgeOptions {
  /** the vault, absolute: where clients look for the run file */
  readonly vault: string;
  readonly token: string;
  readonly engine: Engine;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Lets clients of the protocol find and use an engine.
 * @returns closes the line; may be called twice
 */
export function openBridge(options: BridgeOptions): Promise<() => void> {
  const { vault, token, engine, calls, clients, clock, ids, log } = options;
  const talk = {
    ...{ calls, clients, clock, engine, log, nextId: counter('b'), nextNumber: counter() },
    serve: (client: LinkedClient, message: ToBridge) =>
      serve({ calls, clients, engine }, client, message),
    newEpoch: () => ids.unique(),
  };
  return openListener({
    ...{ ...engine.self, vault, token, clock, log },
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    accept: (socket, since, folder) => void new ClientSession({ ...talk, folder }, socket, since),
  });
}
