import { readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { env, platform } from 'node:process';
import {
  CLIENTS,
  type AgentClient,
  type ClientState,
  type ConnectedClient,
} from '../core/connect/clients';
import { configuredVault } from '../core/connect/configured-vault';
import { ifMissing, systemCode } from './store-error';

/**
 * Whether each client is connected, according to the user's own configuration.
 * @param vault absolute path of its folder
 */
export function clientStates(vault: string): Promise<readonly ConnectedClient[]> {
  const machine = { platform, env, home: homedir() };
  return Promise.all(
    CLIENTS.map(async (client) => {
      const { config } = client.user(machine);
      const texts = await Promise.all(config.map(textOf));
      const at = Math.max(
        0,
        texts.findIndex((text) => text !== undefined),
      );
      const state = await stateOf(client, texts[at], vault);
      return {
        client,
        config: (texts[at] === undefined ? config.at(-1) : config[at]) ?? '',
        state,
      };
    }),
  );
}

/** Returns undefined if there is no file, null if it can't be read. */
function textOf(file: string): Promise<string | null | undefined> {
  return readFile(file, 'utf8').catch(ifMissing(undefined)).catch(ifRefused(null));
}

async function stateOf(
  client: AgentClient,
  text: string | null | undefined,
  vault: string,
): Promise<ClientState> {
  if (text === null) return 'unreadable';
  const configured = configuredVault(client, text ?? '');
  if (configured === undefined) return 'none';
  const [one, other] = await Promise.all([configured, vault].map(toRealPath));
  return one === other ? 'connected' : 'other';
}

/** The folder's real path, or its name if it is missing or inaccessible. */
function toRealPath(folder: string): Promise<string> {
  return realpath(folder).catch(ifRefused(folder));
}

/** For `catch`: returns the value for errors of the system, and rethrows others. */
function ifRefused<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (systemCode(error) === undefined) throw error;
    return value;
  };
}
