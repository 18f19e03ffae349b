import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../core/ports';
import { CLOSE, offeredToken, SUBPROTOCOL } from '../protocol/handshake';
import { closeSocket } from './peer';
import { sameToken } from './token';
import { mayUpgrade } from './upgrade-guard';

export interface SocketServerOptions {
  readonly token: string;
  /** one origin that is let in besides Obsidian's */
  readonly extraOrigin: string | undefined;
  readonly clock: Clock;
  /** A socket with the right token; must take its frames from now on. */
  readonly accept: (socket: WebSocket) => void;
}

export interface SocketServer {
  readonly port: number;
  /** Cuts every connection. May be called twice. */
  close(): void;
}

/** Sockets at one time; each Obsidian window has one. */
const MOST_SOCKETS = 64;
/** Bytes of all headers; ours take 400. */
const MOST_HEADERS = 8 * 1024;

/**
 * A WebSocket server on loopback, at a port of the system's choice. What may not upgrade gets 403;
 * a wrong token is let in and closed with 4401, so that a browser can tell, and never read.
 */
export async function startSocketServer(options: SocketServerOptions): Promise<SocketServer> {
  const http = createServer({ maxHeaderSize: MOST_HEADERS }, (_, response) => {
    response.writeHead(426, { connection: 'close' });
    response.end();
  });
  http.headersTimeout = 3_000;
  http.requestTimeout = 3_000;
  await listen(http);
  const { port } = http.address() as AddressInfo;
  const sockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    // One byte above our own limit, so that our own close is what is said.
    maxPayload: 1024 * 1024 + 1,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    verifyClient: (info, answer) => {
      const { rawHeaders } = info.req;
      if (!mayUpgrade({ rawHeaders }, port, options.extraOrigin)) answer(false, 403, 'Forbidden');
      else if (sockets.clients.size >= MOST_SOCKETS) answer(false, 503, 'Busy');
      else answer(true);
    },
  });
  sockets.on('error', () => undefined);
  sockets.on('connection', (socket, request) => {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',');
    const token = offeredToken(offered.map((name) => name.trim()));
    if (sameToken(token, options.token)) options.accept(socket);
    else refuse(socket, options.clock);
  });
  return { port, close: () => closeServer(http, sockets) };
}

function refuse(socket: WebSocket, clock: Clock): void {
  socket.on('error', () => undefined);
  closeSocket(socket, clock, CLOSE.token, 'Wrong token.');
}

function listen(http: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', () => {
      http.off('error', reject);
      http.on('error', () => undefined);
      // A server that listens must not keep OpenCode from ending.
      http.unref();
      resolve();
    });
  });
}

function closeServer(http: Server, sockets: WebSocketServer): void {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  http.close();
  http.closeAllConnections();
}
