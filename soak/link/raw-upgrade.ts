import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FrameSplitter } from './frame-splitter';

export interface UpgradeHead {
  /** values of `Host`; usually one */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** values of `Sec-WebSocket-Protocol` */
  readonly protocols: readonly string[];
}

/** The bytes of a handshake, so that it may also be wrong in ways that no library sends. */
export function upgradeBytes({ hosts, origins, protocols }: UpgradeHead): Buffer {
  const lines = [
    'GET / HTTP/1.1',
    ...hosts.map((host) => `Host: ${host}`),
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...origins.map((origin) => `Origin: ${origin}`),
    ...protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

/** What came of a handshake that was followed by a hello. */
export interface UpgradeEnd {
  /** of the HTTP answer; undefined where there was none */
  readonly status: number | undefined;
  /** of the close frame */
  readonly code: number | undefined;
  /** a text frame came: the bridge read ours and answered it */
  readonly answered: boolean;
}

/**
 * Sends bytes, and what shall follow them, and waits until the bridge answered a frame or ended the
 * connection.
 * @param then frames that are sent at once behind the handshake, whatever comes of it, and again
 * once it was accepted: OpenCode's server loses those that come before
 */
export async function tryUpgrade(
  port: number,
  bytes: Buffer,
  then: readonly Buffer[] = [],
): Promise<UpgradeEnd> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  try {
    await once(socket, 'connect');
    socket.on('error', () => undefined); // a reset is an end like another
    socket.write(Buffer.concat([bytes, ...then]));
    return await readEnd(socket, then);
  } finally {
    // Leaves no port behind that waits for its time to pass.
    socket.resetAndDestroy();
  }
}

function readEnd(socket: Socket, then: readonly Buffer[]): Promise<UpgradeEnd> {
  const answer = new Answer();
  return new Promise((resolve) => {
    socket.on('data', (data: Buffer) => {
      const before = answer.status;
      answer.add(data);
      if (before === undefined && answer.status === 101) socket.write(Buffer.concat(then));
      if (answer.answered || answer.code !== undefined) resolve(answer);
    });
    socket.on('close', () => resolve(answer));
  });
}

/** An HTTP answer, and the frames behind it. */
class Answer implements UpgradeEnd {
  status: number | undefined;
  code: number | undefined;
  answered = false;
  #head: string | undefined = '';
  readonly #frames = new FrameSplitter();

  add(data: Buffer): void {
    let bytes = data;
    if (this.#head !== undefined) {
      const head = this.#head + data.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      this.#head = end < 0 ? head : undefined;
      if (end < 0) return;
      this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
      bytes = Buffer.from(head.slice(end + 4), 'latin1');
    }
    if (this.status !== 101) return;
    for (const frame of this.#frames.add(bytes)) {
      if (frame.text !== undefined) this.answered = true;
      if (frame.bytes[0] === CLOSE_FRAME) this.code = frame.bytes.readUInt16BE(2);
    }
  }
}

const CLOSE_FRAME = 0x88;
