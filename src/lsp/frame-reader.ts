import type { Readable } from 'node:stream';
import {
  AbstractMessageReader,
  Disposable,
  type DataCallback,
  type Message,
} from 'vscode-languageserver';

/** Of one message, bytes: a note of the largest size with each of its characters escaped fits. */
const LARGEST_FRAME = 128 * 1024 * 1024;

/** Of what stands before a message. */
const LARGEST_HEAD = 4_096;

const END = '\r\n\r\n';

/**
 * Reads messages as the protocol frames them. What is no message is left out, told as an error, and
 * costs those behind it nothing: the reader of the library waits for ever for the rest of a frame whose
 * length is wrong, and keeps all that comes meanwhile.
 */
export class FrameReader extends AbstractMessageReader {
  private chunks: Buffer[] = [];
  private kept = 0;
  /** bytes of the body that is being read; undefined: its head is */
  private body: number | undefined;
  /** bytes that are still to be left out */
  private skip = 0;

  constructor(private readonly input: Readable) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const take = (chunk: Buffer): void => {
      this.chunks.push(chunk);
      this.kept += chunk.length;
      while (this.step(callback));
    };
    const end = (): void => this.fireClose();
    this.input.on('data', take).once('end', end).once('close', end);
    return Disposable.create(() => this.input.off('data', take));
  }

  /** Reads what comes next. Returns whether there was enough of it. */
  private step(callback: DataCallback): boolean {
    if (this.skip > 0) {
      const left = Math.min(this.skip, this.kept);
      this.take(left);
      this.skip -= left;
      return left > 0;
    }
    if (this.body === undefined) return this.readHead();
    if (this.kept < this.body) return false;
    const text = this.take(this.body).toString();
    this.body = undefined;
    const message = this.parsed(text);
    if (message !== undefined) callback(message);
    return true;
  }

  private readHead(): boolean {
    if (this.kept === 0) return false;
    const bytes = this.whole();
    const end = bytes.subarray(0, LARGEST_HEAD).indexOf(END);
    if (end < 0) {
      if (bytes.length < LARGEST_HEAD) return false;
      this.fireError(new Error('There is no head of a message in 4 KiB. They are left out.'));
      this.take(LARGEST_HEAD - END.length + 1);
      return true;
    }
    const head = this.take(end + END.length).toString('latin1');
    const length = /(?:^|\n)content-length:[ \t]*(\d{1,12})[ \t]*\r/i.exec(head)?.[1];
    if (length === undefined) {
      this.fireError(new Error('The head of a message has no Content-Length. It is left out.'));
    } else if (Number(length) > LARGEST_FRAME) {
      this.fireError(new Error('A message is larger than 128 MiB. It is left out.'));
      this.skip = Number(length);
    } else this.body = Number(length);
    return true;
  }

  private parsed(text: string): Message | undefined {
    try {
      const message: unknown = JSON.parse(text);
      if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
        return message as Message;
      }
      this.fireError(new Error('A message is no JSON object. It is left out.'));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.fireError(new Error('A message is not JSON. It is left out.'));
    }
    return undefined;
  }

  /** All that is kept, as one piece. */
  private whole(): Buffer {
    const [first, ...more] = this.chunks;
    const all = first === undefined || more.length > 0 ? Buffer.concat(this.chunks) : first;
    this.chunks = [all];
    return all;
  }

  private take(count: number): Buffer {
    const all = this.whole();
    this.chunks = [all.subarray(count)];
    this.kept = all.length - count;
    return all.subarray(0, count);
  }
}
