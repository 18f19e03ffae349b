import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../core/ports';
import { MAX_FRAME_BYTES } from '../../protocol/frame-limits';
import { CLOSE, offeredToken, SUBPROTOCOL } from '../../protocol/handshake';
import { closeSocket } from './peer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface SocketServerOptions {
  /** the token in the run file; a client that has it can read that file */
  readonly token: string;
  /** one origin that is accepted besides Obsidian's */
  readonly extraOrigin: string | undefined;
  readonly clock: Clock;
  /**
   * Takes over a socket with a valid token; must read its frames from now on.
   * @param since when the connection was opened; ms of the clock
   */
  readonly accept: (socket: WebSocket, since: number) => void;
}

export interface SocketServer {
  readonly port: number;
  /** Cuts every connection. May be called twice. */
  close(): void;
}

/** Most clients at a time; each Obsidian window is one. */
const MAX_CLIENTS = 64;

/** Most sockets with a wrong token at a time; each is closed within a second. */
const MAX_UNAUTHORIZED = 16;

/** Most connections at a time without a token yet; beyond that, the oldest is cut. */
const MAX_PENDING = 64;

/** ms for a connection to complete its handshake. */
const HANDSHAKE_TIMEOUT = 3_000;

/**
 * A WebSocket server on loopback, on a port chosen by the system. Requests that may not upgrade get
 * 403. A connection with a wrong token is accepted and closed with 4401, without reading from it,
 * so that a browser can see the reason.
 *
 * Parses request heads itself: OpenCode's `http` server reports a connection only once the request
 * is complete, supports no deadline, and gives `ws` a socket that it can't write to.
 */
export async function startSocketServer(options: SocketServerOptions): Promise<SocketServer> {
  const handshakes = new HandshakeServer(options);
  const server = createServer((socket) => handshakes.handleConnection(socket));
  const port = await listen(server);
  handshakes.port = port;
  return {
    port,
    close: () => {
      server.close();
      handshakes.close();
    },
  };
}

class HandshakeServer {
  port = 0;
  /** in order of arrival */
  readonly #pending = new Set<Socket>();
  readonly #clients = new Set<WebSocket>();
  readonly #unauthorized = new Set<WebSocket>();
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // Above our limit: a frame that is too large is read whole, so that the reason arrives. A socket
    // that closes while the client still writes is reset, often before the client has read why.
    maxPayload: 4 * MAX_FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });

  constructor(private readonly options: SocketServerOptions) {}

  handleConnection(socket: Socket): void {
    const { clock } = this.options;
    const since = clock.now();
    this.#pending.add(socket);
    const [oldest] = this.#pending;
    if (oldest !== undefined && this.#pending.size > MAX_PENDING) {
      this.#pending.delete(oldest);
      oldest.destroy();
    }
    const undo = clock.after(HANDSHAKE_TIMEOUT, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      undo();
      this.#pending.delete(socket);
    });
    let bytes = Buffer.alloc(0);
    const read = (data: Buffer): void => {
      bytes = Buffer.concat([bytes, data]);
      const found = readHead(bytes);
      if (found.kind === 'part') return;
      socket.off('data', read);
      if (found.kind === 'none') return refuse(socket, '400 Bad Request');
      // From here on, the peer has its own deadlines, counted from the same time.
      if (this.#upgrade(socket, found.head, found.rest, since)) undo();
    };
    socket.on('data', read);
  }

  close(): void {
    for (const socket of this.#pending) socket.destroy();
    for (const socket of [...this.#clients, ...this.#unauthorized]) socket.terminate();
    this.#upgrades.close();
  }

  /** @returns whether the connection is a WebSocket now */
  #upgrade(socket: Socket, head: UpgradeHead, rest: Buffer, since: number): boolean {
    const { token, extraOrigin, accept, clock } = this.options;
    const known = sameToken(tokenOf(head), token);
    const full = known
      ? this.#clients.size >= MAX_CLIENTS
      : this.#unauthorized.size >= MAX_UNAUTHORIZED;
    if (!head.headers.upgrade) refuse(socket, '426 Upgrade Required');
    else if (!mayUpgrade(head, this.port, extraOrigin)) refuse(socket, '403 Forbidden');
    else if (full) refuse(socket, '503 Busy');
    else {
      let done = false;
      this.#upgrades.handleUpgrade(head as IncomingMessage, socket, rest, (client) => {
        done = true;
        const group = known ? this.#clients : this.#unauthorized;
        group.add(client);
        client.on('close', () => group.delete(client));
        if (!known) return rejectToken(client, clock);
        // Not cut any more, however many others arrive, until its time for the hello is over.
        this.#pending.delete(socket);
        accept(client, since);
      });
      return done;
    }
    return false;
  }
}

function tokenOf({ headers }: UpgradeHead): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',');
  return offeredToken(offered.map((name) => name.trim()));
}

/** Refuses a request. If the client stays, the deadline of the handshake cuts it. */
function refuse(socket: Socket, status: string): void {
  socket.resume();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function rejectToken(socket: WebSocket, clock: Clock): void {
  socket.on('error', () => undefined);
  closeSocket(socket, clock, CLOSE.token, 'Wrong token.');
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      // The server must not keep OpenCode from exiting.
      server.unref();
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The origin of Obsidian's desktop app. */
const OBSIDIAN = 'app://obsidian.md';

type Headers = Pick<UpgradeHead, 'rawHeaders'>;

/**
 * Whether a WebSocket upgrade is allowed: it must be addressed to this machine by name (with DNS
 * rebinding, Host is the page's own name), and come from Obsidian or from no page (Node clients
 * send no Origin). Refuses duplicate headers, since readers differ in which one they use.
 * @param extraOrigin one more accepted origin, compared exactly
 */
export function mayUpgrade(head: Headers, port: number, extraOrigin?: string): boolean {
  const hosts = valuesOf(head, 'host');
  const origins = valuesOf(head, 'origin');
  if (hosts.length !== 1 || origins.length > 1) return false;
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (!ours.includes(hosts[0] ?? '')) return false;
  const [origin] = origins;
  return origin === undefined || origin === OBSIDIAN || isExtra(origin, extraOrigin);
}

function isExtra(origin: string, extra: string | undefined): boolean {
  return extra !== undefined && extra !== '' && extra !== 'null' && origin === extra;
}

function valuesOf({ rawHeaders }: Headers, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** The parts of an HTTP request head that an upgrade needs. */
interface UpgradeHead {
  readonly method: string;
  readonly url: string;
  /** names and values alternately, as received; names may repeat */
  readonly rawHeaders: readonly string[];
  /** by name in lower case; values of repeated names are joined by `, ` */
  readonly headers: Readonly<Record<string, string>>;
}

/** Largest head in bytes; ours take 400. */
const MAX_HEAD = 8 * 1024;

const HEAD_END = '\r\n\r\n';

/** The target must be a path: other forms contain a host that overrides `Host`. */
const REQUEST_LINE = /^([A-Z]+) (\/[\x21-\x7e]*) HTTP\/1\.1$/;

/**
 * A name is a token; a value has no control characters (RFC 9110, 5.5 and 5.6.2). Surrounding
 * spaces are trimmed afterwards, since a pattern that does it would backtrack over them.
 */
const HEADER_FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;

const SPACE: ReadonlySet<string | undefined> = new Set([' ', '\t']);

/** Headers that announce a body, which would be read as frames. */
const BODY: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** The first bytes of a connection: a partial head, a head and what follows it, or neither. */
type ReadHead =
  | { readonly kind: 'part' }
  | { readonly kind: 'head'; readonly head: UpgradeHead; readonly rest: Buffer }
  | { readonly kind: 'none' };

/** Parses a request head strictly. What parsers could interpret differently is rejected. */
export function readHead(bytes: Buffer): ReadHead {
  const end = bytes.indexOf(HEAD_END);
  if (end > MAX_HEAD || (end < 0 && bytes.length > MAX_HEAD)) return { kind: 'none' };
  if (end < 0) return { kind: 'part' };
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const request = REQUEST_LINE.exec(first);
  const fields = lines.map((line) => HEADER_FIELD.exec(line));
  if (request === null || fields.includes(null)) return { kind: 'none' };
  const rawHeaders = fields.flatMap((field) => [field?.[1] ?? '', trimmed(field?.[2] ?? '')]);
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  if ([...headers.keys()].some((name) => BODY.has(name))) return { kind: 'none' };
  const [, method = '', url = ''] = request;
  const head = { method, url, rawHeaders, headers: Object.fromEntries(headers) };
  return { kind: 'head', head, rest: bytes.subarray(end + HEAD_END.length) };
}

/** Trims spaces and tabs only. Other white space is part of the value. */
function trimmed(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && SPACE.has(value[from])) from += 1;
  while (to > from && SPACE.has(value[to - 1])) to -= 1;
  return value.slice(from, to);
}

/** 32 random bytes as base64url: 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time, which reveals neither the difference nor the length. */
export function sameToken(offered: string | undefined, own: string): boolean {
  if (offered === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(offered), digest(own));
}
