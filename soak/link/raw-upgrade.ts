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

/** The bytes of a handshake, which may also be malformed in ways that no library sends. */
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

/** Outcome of a handshake that was followed by a hello. */
export interface UpgradeOutcome {
  /** status of the HTTP answer; undefined if there was none */
  readonly status: number | undefined;
  /** code of the close frame */
  readonly code: number | undefined;
  /** whether a text frame arrived: the bridge read ours and answered it */
  readonly answered: boolean;
}

/**
 * Sends a handshake and the frames after it. Waits until the bridge answers a frame or ends the
 * connection.
 * @param then frames that are sent right after the handshake, whatever its result, and again once
 * it was accepted: OpenCode's server loses those that arrive earlier
 */
export async function tryUpgrade(
  port: number,
  bytes: Buffer,
  then: readonly Buffer[] = [],
): Promise<UpgradeOutcome> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  try {
    await once(socket, 'connect');
    socket.on('error', () => undefined); // a reset counts as an end, too
    socket.write(Buffer.concat([bytes, ...then]));
    return await readOutcome(socket, then);
  } finally {
    // A reset leaves no port in TIME_WAIT.
    socket.resetAndDestroy();
  }
}

function readOutcome(socket: Socket, then: readonly Buffer[]): Promise<UpgradeOutcome> {
  const answer = new UpgradeAnswer();
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

/** Parses an HTTP answer and the frames after it. */
class UpgradeAnswer implements UpgradeOutcome {
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
