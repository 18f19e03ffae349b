import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock, Log } from '../core/ports';
import { isAlive, thisProcess } from '../node/holder';
import { PROTOCOL_VERSION } from '../protocol/handshake';
import { BRIDGE_VERSION } from './bridge-version';
import { onProcessEnd } from './exit-cleanup';
import { removeStaleRunFiles, writeRunFile } from './run-files';
import { startSocketServer, type SocketServer } from './socket-server';

export interface LineOptions {
  /** the vault, absolute: where clients look for the run file */
  readonly vault: string;
  /** the folder OpenCode runs in */
  readonly directory: string;
  readonly opencode: string;
  /** what a client proves by that it can read the run file */
  readonly token: string;
  /** one origin that is let in besides Obsidian's */
  readonly extraOrigin: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** @param folder what the run file says, for a client's hello to repeat */
  readonly accept: (socket: WebSocket, folder: string) => void;
}

/**
 * Opens the line for clients and leaves word of it in the vault. Where that fails, OpenCode works
 * without, and the tool runs headless.
 * @returns closes the line and takes the word back; may be called twice
 */
export async function openLine(options: LineOptions): Promise<() => void> {
  const { vault, clock, log, token } = options;
  const folder = randomUUID();
  const { host } = await thisProcess();
  let server: SocketServer | undefined;
  try {
    await removeStaleRunFiles(vault, host, isAlive);
    server = await startSocketServer({
      token,
      clock,
      extraOrigin: options.extraOrigin,
      accept: (socket) => options.accept(socket, folder),
    });
    const removeRunFile = await writeRunFile(vault, {
      port: server.port,
      token,
      pid: process.pid,
      host,
      directory: options.directory,
      folder,
      startedAt: clock.now(),
      protocol: PROTOCOL_VERSION,
      bridge: BRIDGE_VERSION,
      opencode: options.opencode,
    });
    const undoEnd = onProcessEnd(removeRunFile);
    return () => {
      undoEnd();
      removeRunFile();
      server?.close();
    };
  } catch (error) {
    server?.close();
    log.note('No client can connect: the line could not be opened.', { error: String(error) });
    return () => undefined;
  }
}
