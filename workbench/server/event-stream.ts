import type { IncomingMessage, ServerResponse } from 'node:http';

/** Server-sent events to every open page. */
export class EventStream {
  readonly #pages = new Set<ServerResponse>();

  attach(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      connection: 'keep-alive',
    });
    response.write('retry: 500\n\n');
    this.#pages.add(response);
    request.on('close', () => this.#pages.delete(response));
  }

  send(event: string, data: unknown): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const page of this.#pages) page.write(text);
  }

  close(): void {
    for (const page of this.#pages) page.end();
    this.#pages.clear();
  }
}
