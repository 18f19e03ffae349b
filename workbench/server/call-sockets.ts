import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { packFrame, unpackFrame } from '../call-frame';
import { faultOf } from './call-fault';
import { refusal } from './request-guard';

/**
 * @param address path and query, as of a request
 * @returns a file's bytes, or JSON
 */
export type RunCall = (address: string, body: Buffer) => Promise<Buffer | string>;

/** Handles the calls of pages, one socket each: a call costs a fifth of a request. */
export class CallSockets {
  readonly #server: WebSocketServer;

  /** @param maxBytes maximum bytes of a call */
  constructor(
    private readonly run: RunCall,
    maxBytes: number,
  ) {
    this.#server = new WebSocketServer({ noServer: true, maxPayload: maxBytes });
  }

  /** Handles an upgrade request. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const own = request.url === '/calls';
    if (!own || refusal(request, request.socket.localPort ?? 0) !== undefined) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      opened.binaryType = 'nodebuffer';
      opened.on('error', () => opened.terminate());
      opened.on('message', (data) => {
        this.#answer(opened, data as Buffer).catch(() => opened.terminate());
      });
    });
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }

  async #answer(socket: WebSocket, data: Buffer): Promise<void> {
    const { line, body } = unpackFrame(data);
    const [id = '', address = ''] = line.split(' ');
    const call = this.run(address, Buffer.from(body.buffer, body.byteOffset, body.length));
    const answer = await call.then(
      (result) => ({
        line: `${id} ok`,
        body: typeof result === 'string' ? Buffer.from(result) : result,
      }),
      (error: unknown) => ({
        line: `${id} fault`,
        body: Buffer.from(JSON.stringify(faultOf(error))),
      }),
    );
    if (socket.readyState === socket.OPEN) socket.send(packFrame(answer));
  }
}
