import { once } from 'node:events';
import type { Socket } from 'node:net';
import { FrameSplitter } from './frame-splitter';
import type { PipeFaults } from './link-faults';

export interface PipeEnds {
  readonly from: Socket;
  readonly to: Socket;
  /** rewrites the head of the handshake */
  readonly head: (head: string) => string;
  /** called when the cut is due */
  readonly cut: () => void;
  /** counts injected faults */
  readonly count: (what: string) => void;
}

const HEAD_END = '\r\n\r\n';

/** Forwards the bytes of one direction with faults; resolves at the end of the input. */
export async function faultPipe(ends: PipeEnds, faults: PipeFaults): Promise<void> {
  const { from, to } = ends;
  const out = new FaultyOutput(ends, faults);
  const frames = new FrameSplitter();
  let head: string | undefined = '';
  // Latin-1 preserves the bytes of a head.
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    let bytes = chunk as Buffer;
    if (head !== undefined) {
      head += bytes.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0) continue;
      const rest = bytesOf(head.slice(end + HEAD_END.length));
      await out.send(bytesOf(ends.head(head.slice(0, end + HEAD_END.length))));
      head = undefined;
      bytes = rest;
    }
    if (faults.repeat === undefined) await out.send(bytes);
    else for (const frame of frames.add(bytes)) await forwardFrame(out, frame, faults.repeat, ends);
  }
  to.end();
}

async function forwardFrame(
  out: FaultyOutput,
  { bytes, text }: { bytes: Buffer; text: string | undefined },
  repeat: (text: string) => boolean,
  { count }: PipeEnds,
): Promise<void> {
  await out.send(bytes);
  if (text === undefined || !repeat(text)) return;
  count('frames sent twice');
  await out.send(bytes);
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Writes in pieces, with delays, up to the cut or the stall. */
class FaultyOutput {
  #sent = 0;
  /** cut or stalled: nothing is forwarded any more */
  #isStopped = false;

  constructor(
    private readonly ends: PipeEnds,
    private readonly faults: PipeFaults,
  ) {}

  async send(bytes: Buffer): Promise<void> {
    const size = this.faults.split ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      for (let turn = this.faults.delay ?? 0; turn > 0; turn -= 1) await nextTurn();
      await this.#write(bytes.subarray(at, at + size));
      if (this.faults.split !== undefined) await nextTurn();
    }
  }

  async #write(piece: Buffer): Promise<void> {
    const { to, cut, count } = this.ends;
    const { cutAt, stallAt } = this.faults;
    const most = Math.min(cutAt ?? Infinity, stallAt ?? Infinity) - this.#sent;
    const passing = most >= piece.length ? piece : piece.subarray(0, Math.max(0, most));
    this.#sent += passing.length;
    // A reader that does not read blocks the sender, as a full connection does.
    if (!to.write(passing) && !to.destroyed)
      await Promise.race([once(to, 'drain'), waitForClose(to)]);
    if (passing.length === piece.length) return;
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (stallAt === undefined) cut();
    else {
      count('stalls');
      await waitForClose(to);
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function waitForClose(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
