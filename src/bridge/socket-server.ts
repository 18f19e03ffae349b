import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../core/ports';
import { MAX_FRAME_BYTES } from '../protocol/frame-limits';
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

/** Clients at one time; each Obsidian window is one. */
const MOST_CLIENTS = 64;
/** Sockets with a wrong token at one time; each is gone within a second. */
const MOST_STRANGERS = 16;
/** Bytes of all headers; ours take 400. */
const MOST_HEADERS = 8 * 1024;
/** What a handshake may take, ms… */
const HANDSHAKE = 3_000;
/** …and how often Node looks for one that takes longer; by itself only every 30 s. */
const LOOK_EVERY = 1_000;

/**
 * A WebSocket server on loopback, at a port of the system's choice. What may not upgrade gets 403;
 * a wrong token is let in and closed with 4401, so that a browser can tell, and never read.
 */
export async function startSocketServer(options: SocketServerOptions): Promise<SocketServer> {
  const limits = {
    maxHeaderSize: MOST_HEADERS,
    headersTimeout: HANDSHAKE,
    requestTimeout: HANDSHAKE,
    connectionsCheckingInterval: LOOK_EVERY,
  };
  const http = createServer(limits, (_, response) => {
    response.writeHead(426, { connection: 'close' });
    response.end();
  });
  await listen(http);
  const { port } = http.address() as AddressInfo;
  const clients = new Set<WebSocket>();
  const strangers = new Set<WebSocket>();
  const isKnown = (request: IncomingMessage): boolean => sameToken(tokenOf(request), options.token);
  const sockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    // One byte above our own limit, so that our own close is what is said.
    maxPayload: MAX_FRAME_BYTES + 1,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    verifyClient: ({ req }, answer) => {
      const full = isKnown(req) ? clients.size >= MOST_CLIENTS : strangers.size >= MOST_STRANGERS;
      if (!mayUpgrade(req, port, options.extraOrigin)) answer(false, 403, 'Forbidden');
      else if (full) answer(false, 503, 'Busy');
      else answer(true);
    },
  });
  sockets.on('error', () => undefined);
  sockets.on('connection', (socket, request) => {
    const known = isKnown(request);
    const group = known ? clients : strangers;
    group.add(socket);
    socket.on('close', () => group.delete(socket));
    if (known) options.accept(socket);
    else refuse(socket, options.clock);
  });
  return { port, close: () => closeServer(http, sockets) };
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',');
  return offeredToken(offered.map((name) => name.trim()));
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
