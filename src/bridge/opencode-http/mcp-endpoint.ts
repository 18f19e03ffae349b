import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { jsonAs } from '../../core/json';
import { PRODUCT_VERSION } from '../../core/version';
import { mayUpgrade, newToken, sameToken } from '../server/socket-server';

/** A tool as MCP clients are told of it. */
export interface EndpointTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

interface EndpointServices {
  readonly tools: () => Promise<readonly EndpointTool[]>;
  /** @throws Error with words for the model */
  readonly call: (tool: string, args: unknown, abort: AbortSignal) => Promise<string>;
}

export interface McpEndpoint {
  readonly url: string;
  /** what each request must bring */
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
  /** Cuts all connections, and with them the calls. May be called twice. */
  close(): void;
}

/** Bytes of one request: a call that writes a long note. */
const MOST_BYTES = 4 * 1024 * 1024;

/** ms between two signs of life of a call that waits for a person: clients give up on a silent one. */
const ALIVE = 15_000;

/** The newest version of the protocol that is spoken, where a client asks for none that has the same form. */
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
 * Serves tools over MCP (streamable HTTP) on loopback, at a port of the system's choice, to whoever has
 * the token. It keeps nothing of a client but the calls that are out.
 */
export async function openEndpoint(services: EndpointServices): Promise<McpEndpoint> {
  const token = newToken();
  const endpoint = new Endpoint(services, token);
  const server = createServer((incoming, response) => void endpoint.take(incoming, response));
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
  /** by id of the request */
  readonly #calls = new Map<string | number, AbortController>();

  constructor(
    private readonly services: EndpointServices,
    private readonly token: string,
  ) {}

  async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // Cut by the client: there is nobody to tell.
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    const refuse = (status: number): void => void response.writeHead(status).end();
    const given = incoming.headers.authorization?.replace(/^Bearer /, '');
    if (!mayUpgrade(incoming, this.port) || incoming.headers.origin !== undefined)
      return refuse(403);
    if (!sameToken(given, this.token)) return refuse(401);
    // Nothing is told unasked.
    if (incoming.method !== 'POST' || incoming.url !== '/mcp') return refuse(405);
    const text = await bodyOf(incoming).catch(() => '');
    if (text === undefined) return refuse(413);
    const message = jsonAs(request, text);
    if (message === undefined) return answer(response, null, fault(INVALID, 'No request.'));
    if (message.id === undefined) return this.#told(message, response);
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

  /** A notification: of those only a cancel means anything. */
  #told({ method, params = {} }: Request, response: ServerResponse): void {
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
    const alive = setInterval(() => response.write(': \n\n'), ALIVE);
    const said = await this.services.call(String(name), args, abort.signal).then(
      (text) => content(text, false),
      (error: unknown) => content(error instanceof Error ? error.message : String(error), true),
    );
    clearInterval(alive);
    if (this.#calls.get(id) === abort) this.#calls.delete(id);
    response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n\n`);
  }
}

type Answer = { readonly result: unknown } | { readonly error: unknown };

function content(text: string, isError: boolean): Answer {
  return { result: { content: [{ type: 'text', text }], ...(isError && { isError }) } };
}

function fault(code: number, message: string): Answer {
  return { error: { code, message } };
}

function answer(response: ServerResponse, id: string | number | null, said: Answer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
}

/** Undefined where it is too long: then it is read to its end, or its sender would not hear why. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming) {
    bytes += (part as Buffer).length;
    if (bytes <= MOST_BYTES) parts.push(part as Buffer);
  }
  return bytes > MOST_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
}
