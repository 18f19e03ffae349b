import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import type { Transport, TransportHandlers } from '../../src/core/ports';

const NOBODY: TransportHandlers = {
  open: () => undefined,
  message: () => undefined,
  close: () => undefined,
};

/** Two ends of a socket in memory. Frames arrive in turns; a cut loses those in transit. */
export class SocketPair {
  readonly server: WebSocket;
  readonly client: Transport;
  /** false: the client reads nothing and echoes no marks */
  reading = true;
  /** frames that the bridge sent and the client has not read */
  readonly waiting: string[] = [];
  /** all that the client sent */
  readonly sent: string[] = [];
  /** the code with which the bridge closed */
  closedWith: number | undefined;
  #open = true;
  readonly #socket = new EventEmitter();

  constructor(private readonly handlers: TransportHandlers = NOBODY) {
    const socket = this.#socket;
    Object.assign(socket, {
      send: (text: string) => this.#toClient(text),
      ping: (mark: string) => this.#toClient({ mark }),
      close: (code: number) => {
        this.closedWith = code;
        queueMicrotask(() => this.cut(code));
      },
      terminate: () => this.cut(),
    });
    this.server = socket as unknown as WebSocket;
    this.client = {
      send: (text) => {
        this.sent.push(text);
        queueMicrotask(() => this.#open && socket.emit('message', Buffer.from(text), false));
      },
      close: (code = 1000) => queueMicrotask(() => this.cut(code)),
    };
    queueMicrotask(() => handlers.open());
  }

  /** Both ends see the close; frames in transit are lost. */
  cut(code = 1006): void {
    if (!this.#open) return;
    this.#open = false;
    this.#socket.emit('close');
    this.handlers.close({ code, reason: '', opened: true });
  }

  /** The client reads all waiting frames. */
  read(): void {
    this.reading = true;
    for (const text of this.waiting.splice(0)) this.#arrive(text);
  }

  /** The client reads the oldest waiting frame. */
  readOne(): void {
    const text = this.waiting.shift();
    if (text !== undefined) this.#arrive(text);
  }

  #toClient(frame: string | { mark: string }): void {
    const text = typeof frame === 'string' ? frame : `mark ${frame.mark}`;
    if (this.reading) queueMicrotask(() => this.#arrive(text));
    else this.waiting.push(text);
  }

  #arrive(text: string): void {
    if (!this.#open) return;
    if (text.startsWith('mark ')) this.#socket.emit('pong', Buffer.from(text.slice(5)));
    else this.handlers.message(text);
  }
}
