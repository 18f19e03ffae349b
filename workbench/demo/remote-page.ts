import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { RunOptions } from '../../src/core/orchestrator/state';
import { PAGE_DOCUMENT, PAGE_HEADERS } from '../server/page-document';
import { executeDemoCommands } from './execute-demo-commands';

const COMMANDS = '/demo/commands';
const ANSWERS = '/demo/answers';
const SCRIPT = '/demo/follow.js';

const reply = z.union([
  z.object({ id: z.int(), ok: z.literal(true), value: z.string() }),
  z.object({ id: z.int(), ok: z.literal(false), message: z.string() }),
]);

interface PendingCall {
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The plugin in a page that a person opened. It is driven through the workbench's server, since
 * that browser can't be automated. Its requests pass the server's guard first.
 */
export class RemotePage {
  private page: ServerResponse | undefined;
  private readonly arrivals = new Set<() => void>();
  private readonly pending = new Map<number, PendingCall>();
  private last = 0;

  startSession(title: string): Promise<string> {
    return this.call({ run: 'start', title });
  }

  async send(sessionId: string, text: string): Promise<void> {
    await this.call({ run: 'send', sessionId, text });
  }

  /** @returns the id of the run */
  startRun(wish: RunOptions): Promise<string> {
    return this.call({ run: 'goal', wish });
  }

  /** Resolves once a page is open. */
  async waitForPage(): Promise<ServerResponse> {
    while (this.page === undefined) {
      await new Promise<void>((resolve) => void this.arrivals.add(resolve));
    }
    return this.page;
  }

  /** Request handler of the workbench's server. @returns whether it handled the request */
  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    if (request.method === 'POST' && path === ANSWERS) await this.answer(request, response);
    else if (request.method !== 'GET') return false;
    else if (path === '/') send(response, 'text/html; charset=utf-8', DOCUMENT);
    else if (path === SCRIPT) send(response, 'text/javascript; charset=utf-8', FOLLOW);
    else if (path === COMMANDS) this.attach(request, response);
    else return false;
    return true;
  }

  private async call(command: object): Promise<string> {
    const page = await this.waitForPage();
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      page.write(`data: ${JSON.stringify({ id, ...command })}\n\n`);
    });
  }

  private attach(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write('retry: 500\n\n');
    this.page = response;
    for (const arrived of this.arrivals) arrived();
    this.arrivals.clear();
    request.on('close', () => {
      if (this.page !== response) return;
      this.page = undefined;
      for (const { reject } of this.pending.values()) reject(new Error('The page was closed.'));
      this.pending.clear();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const answer = reply.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
    const waiting = this.pending.get(answer.id);
    this.pending.delete(answer.id);
    if (answer.ok) waiting?.resolve(answer.value);
    else waiting?.reject(new Error(answer.message));
    send(response, 'text/plain', '');
  }
}

const DOCUMENT = PAGE_DOCUMENT.replace('</body>', `<script src="${SCRIPT}"></script></body>`);
const FOLLOW = `(${executeDemoCommands.toString()})(${JSON.stringify(COMMANDS)}, ${JSON.stringify(ANSWERS)});`;

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { ...PAGE_HEADERS, 'content-type': type });
  response.end(body);
}
