import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { realpath } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultOf } from './call-fault';
import { CallSockets } from './call-sockets';
import { EventStream } from './event-stream';
import { proxy } from './http-proxy';
import { PAGE_DOCUMENT, PAGE_HEADERS } from './page-document';
import { isCall, runCall } from './page-calls';
import { PageHandles } from './page-handles';
import { PageProcesses } from './page-processes';
import { PagePrograms } from './page-programs';
import { refusal } from './request-guard';
import { mimeOf, readIfThere, staticFile } from './static-files';
import { VaultDisk } from './vault-disk';
import { visibleEntries } from './vault-index';
import { VaultWatch } from './vault-watch';

export interface WorkbenchOptions {
  /** the vault folder; must exist */
  readonly vault: string;
  /** 0, the default, picks a free port */
  readonly port?: number;
  /** holds the built main.js, styles.css and manifest.json */
  readonly pluginDir: string;
  /** Handles requests before the guard; returns false to leave a request to the workbench. */
  readonly extra?: (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ) => Promise<boolean>;
  /** whether links that lead out of the vault are followed, as in the app, or refused */
  readonly links?: 'follow' | 'refuse';
  /** absolute paths of programs that pages may run; by default none */
  readonly programs?: readonly string[];
  /** holds the built page.js and style.css; by default beside this file, or in `../build` */
  readonly assets?: string;
}

export interface Workbench {
  /** the page's address, ending in "/" */
  readonly url: string;
  /** the Origin that the page sends */
  readonly origin: string;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Largest body of one write, in bytes. */
const MAX_BODY = 64 * 1024 * 1024;

/** Serves the stand-in for Obsidian over a real vault folder, on loopback only. */
export async function startWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const disk = new VaultDisk(await realpath(resolve(options.vault)), options.links);
  const events = new EventStream();
  const processes = new PageProcesses();
  const programs = new PagePrograms(options.programs ?? []);
  const handles = new PageHandles();
  const watch = new VaultWatch(disk.root, (paths) => events.send('changed', paths));
  await watch.add('');
  const folders = { assets: options.assets ?? builtAssets(), plugin: resolve(options.pluginDir) };
  const parts = { disk, events, processes, programs, handles, folders, extra: options.extra };
  const server = createServer((request, response) => {
    handleRequest(request, response, parts).catch((error: unknown) => {
      sendFault(response, error);
    });
  });
  const sockets = new CallSockets(
    (address, body) => runCall(parts, new URL(address, 'http://page'), body),
    MAX_BODY,
  );
  server.on('upgrade', (request, socket, head) => sockets.open(request, socket, head));
  const port = await listen(server, options.port ?? 0);
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/`,
    origin,
    close: () => {
      processes.close();
      programs.close();
      sockets.close();
      return closeServer(server, watch, events);
    },
  };
}

interface Parts {
  readonly disk: VaultDisk;
  readonly events: EventStream;
  readonly processes: PageProcesses;
  readonly programs: PagePrograms;
  readonly handles: PageHandles;
  readonly folders: { assets: string; plugin: string };
  readonly extra: WorkbenchOptions['extra'];
}

async function handleRequest(request: IncomingMessage, response: ServerResponse, parts: Parts) {
  const port = request.socket.localPort ?? 0;
  const why = refusal(request, port);
  if (why !== undefined) return send(response, 403, 'text/plain', why);
  const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
  if (await parts.extra?.(request, response, url)) return;
  if (request.method === 'POST' && isCall(url)) {
    const result = await runCall(parts, url, await bodyOf(request));
    const type = typeof result === 'string' ? 'application/json' : 'application/octet-stream';
    return send(response, 200, type, result);
  }
  if (request.method === 'POST' && url.pathname === '/proxy') {
    return proxy(await bodyOf(request), response);
  }
  if (request.method !== 'GET') return send(response, 405, 'text/plain', 'GET only');
  return handleGet(request, response, url, parts);
}

async function handleGet(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { disk, events, processes, programs, handles, folders }: Parts,
) {
  if (url.pathname === '/') return send(response, 200, mimeOf('index.html'), PAGE_DOCUMENT);
  if (url.pathname === '/events') {
    request.on('close', () => {
      processes.end(pageOf(url));
      programs.end(pageOf(url));
      void handles.end(pageOf(url));
    });
    return events.attach(request, response);
  }
  if (url.pathname === '/program') {
    return programs.follow(Number(url.searchParams.get('pid')), response);
  }
  if (url.pathname === '/vault.json') {
    const vault = { name: basename(disk.root), basePath: disk.root };
    const entries = await visibleEntries(disk);
    return send(response, 200, mimeOf('vault.json'), JSON.stringify({ ...vault, entries }));
  }
  const resource = /^\/vault\/(.+)$/.exec(url.pathname)?.[1];
  if (resource !== undefined) {
    const path = decodeURIComponent(resource);
    return send(response, 200, mimeOf(path), await disk.read(path));
  }
  const file = staticFile(url.pathname, folders);
  const bytes = file === undefined ? undefined : await readIfThere(file);
  if (file === undefined || bytes === undefined) return send(response, 404, 'text/plain', 'none');
  return send(response, 200, mimeOf(file), bytes);
}

/** Id of the calling page. */
function pageOf(url: URL): string {
  return url.searchParams.get('page') ?? '';
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': type,
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function sendFault(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.end();
  const fault = faultOf(error);
  send(response, fault.code === 'ENOENT' ? 404 : 400, 'application/json', JSON.stringify(fault));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => done((server.address() as AddressInfo).port));
  });
}

async function closeServer(server: Server, watch: VaultWatch, events: EventStream): Promise<void> {
  watch.close();
  events.close();
  server.closeAllConnections();
  if (server.listening) await new Promise<void>((done) => server.close(() => done()));
}

function builtAssets(): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return here.endsWith('/server/') ? resolve(here, '../build') : here;
}
