import { acceptClients, type EngineServices } from './client-session';
import { openListener } from './listener';

interface BridgeOptions extends EngineServices {
  /** absolute path of the vault, where clients look for the run file */
  readonly vault: string;
  readonly token: string;
}

/**
 * Lets clients of the protocol find and use an engine.
 * @returns a function that closes the server; may be called twice
 */
export function openBridge(options: BridgeOptions): Promise<() => void> {
  const { vault, token, engine, clock, log } = options;
  return openListener({
    ...{ ...engine.self, vault, token, clock, log },
    extraOrigin: process.env.AGENT_TASK_BOARDS_ORIGIN,
    accept: acceptClients(options),
  });
}
