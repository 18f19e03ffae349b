import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { jsonAs } from '../../core/json';
import { PRODUCT_VERSION } from '../../core/version';
import { mayUpgrade, newToken, sameToken } from '../server/socket-server';

/** A tool as listed for MCP clients. */
export interface EndpointTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

interface EndpointServices {
  readonly tools: () => Promise<readonly EndpointTool[]>;
  /** @throws Error with a message for the model */
  readonly call: (tool: string, args: unknown, abort: AbortSignal) => Promise<string>;
}

export interface McpEndpoint {
  readonly url: string;
  /** headers that each request must have */
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
  /** Closes all connections, which cancels their calls. May be called twice. */
  close(): void;
}

/** Largest request in bytes; enough for a call that writes a long note. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * ms between keep-alive comments while a call waits for a person. Clients give up on silent
 * connections.
 */
const KEEP_ALIVE_INTERVAL = 15_000;

/**
 * Protocol version for clients that ask for none. A requested version is accepted as it is, since
 * all have the same form here.
 */
const VERSION = '2025-11-25';

const request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.union([z.string(), z.number()])),
  method: z.string(),
  params: z.optional(z.record(z.string(), z.unknown())),
});

type Request = z.infer<typeof request>;

const INVALID = -32_600;
const UNKNOWN_METHOD = -32_601;

/**
 * Serves tools over MCP (streamable HTTP) on loopback, on a port chosen by the system, to clients
 * with the token. Keeps no state except for running calls.
 */
export async function openEndpoint(services: EndpointServices): Promise<McpEndpoint> {
  const token = newToken();
  const endpoint = new Endpoint(services, token);
  const server = createServer((incoming, response) => void endpoint.handle(incoming, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  endpoint.port = port;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { authorization: `Bearer ${token}` },
    token,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

class Endpoint {
  port = 0;
  /** by request id */
  readonly #calls = new Map<string | number, AbortController>();

  constructor(
    private readonly services: EndpointServices,
    private readonly token: string,
  ) {}

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // The client closed the connection, so nobody reads a response.
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    const refuse = (status: number): void => void response.writeHead(status).end();
    const given = incoming.headers.authorization?.replace(/^Bearer /, '');
    if (!mayUpgrade(incoming, this.port) || incoming.headers.origin !== undefined)
      return refuse(403);
    if (!sameToken(given, this.token)) return refuse(401);
    // No event streams and no other paths.
    if (incoming.method !== 'POST' || incoming.url !== '/mcp') return refuse(405);
    const text = await bodyOf(incoming).catch(() => '');
    if (text === undefined) return refuse(413);
    const message = jsonAs(request, text);
    if (message === undefined) return answer(response, null, fault(INVALID, 'No request.'));
    if (message.id === undefined) return this.#handleNotification(message, response);
    const { id, method, params = {} } = message;
    if (method === 'tools/call') return this.#call(id, params, response);
    answer(response, id, await this.#result(method, params));
  }

  async #result(method: string, params: Readonly<Record<string, unknown>>): Promise<Answer> {
    if (method === 'initialize') {
      const serverInfo = { name: 'agent-task-boards', version: PRODUCT_VERSION };
      const protocolVersion = params['protocolVersion'] ?? VERSION;
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
    }
    if (method === 'tools/list') return { result: { tools: await this.services.tools() } };
    return method === 'ping' ? { result: {} } : fault(UNKNOWN_METHOD, `No method ${method}.`);
  }

  /** Handles a notification. Only cancellations have an effect. */
  #handleNotification({ method, params = {} }: Request, response: ServerResponse): void {
    const id = params['requestId'];
    if (
      method === 'notifications/cancelled' &&
      (typeof id === 'string' || typeof id === 'number')
    ) {
      this.#calls.get(id)?.abort();
    }
    response.writeHead(202).end();
  }

  async #call(
    id: string | number,
    { name, arguments: args = {} }: Readonly<Record<string, unknown>>,
    response: ServerResponse,
  ): Promise<void> {
    const abort = new AbortController();
    this.#calls.set(id, abort);
    response.on('close', () => abort.abort());
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    const alive = setInterval(() => response.write(': \n\n'), KEEP_ALIVE_INTERVAL);
    const result = await this.services.call(String(name), args, abort.signal).then(
      (text) => content(text, false),
      (error: unknown) => content(error instanceof Error ? error.message : String(error), true),
    );
    clearInterval(alive);
    if (this.#calls.get(id) === abort) this.#calls.delete(id);
    response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...result })}\n\n`);
  }
}

type Answer = { readonly result: unknown } | { readonly error: unknown };

function content(text: string, isError: boolean): Answer {
  return { result: { content: [{ type: 'text', text }], ...(isError && { isError }) } };
}

function fault(code: number, message: string): Answer {
  return { error: { code, message } };
}

function answer(response: ServerResponse, id: string | number | null, result: Answer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result }));
}

/**
 * Reads the body. Returns undefined if it is too long, after reading it to the end: otherwise the
 * sender would not get the response.
 */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming) {
    bytes += (part as Buffer).length;
    if (bytes <= MAX_BYTES) parts.push(part as Buffer);
  }
  return bytes > MAX_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
}
