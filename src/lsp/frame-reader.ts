import type { Readable } from 'node:stream';
import {
  AbstractMessageReader,
  Disposable,
  type DataCallback,
  type Message,
} from 'vscode-languageserver';

/** Largest message in bytes; fits the largest note with every character escaped. */
const LARGEST_FRAME = 128 * 1024 * 1024;

/** Largest message header in bytes. */
const LARGEST_HEAD = 4_096;

const END = '\r\n\r\n';

/**
 * Reads messages in the protocol's framing. Skips invalid messages, reports them as errors, and
 * continues with the next one. The library's reader would wait forever for the rest of a frame with
 * a wrong length, and keep everything received meanwhile.
 */
export class FrameReader extends AbstractMessageReader {
  private chunks: Buffer[] = [];
  private bufferedBytes = 0;
  /** length in bytes of the body being read; undefined while reading a header */
  private body: number | undefined;
  /** bytes that remain to be skipped */
  private skip = 0;

  constructor(private readonly input: Readable) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const take = (chunk: Buffer): void => {
      this.chunks.push(chunk);
      this.bufferedBytes += chunk.length;
      while (this.step(callback));
    };
    const end = (): void => this.fireClose();
    this.input.on('data', take).once('end', end).once('close', end);
    return Disposable.create(() => this.input.off('data', take));
  }

  /** Reads the next part of a message. Returns false if there is not enough data. */
  private step(callback: DataCallback): boolean {
    if (this.skip > 0) {
      const left = Math.min(this.skip, this.bufferedBytes);
      this.take(left);
      this.skip -= left;
      return left > 0;
    }
    if (this.body === undefined) return this.readHead();
    if (this.bufferedBytes < this.body) return false;
    const text = this.take(this.body).toString();
    this.body = undefined;
    const message = this.parse(text);
    if (message !== undefined) callback(message);
    return true;
  }

  private readHead(): boolean {
    if (this.bufferedBytes === 0) return false;
    const bytes = this.joinChunks();
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

  private parse(text: string): Message | undefined {
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

  /** All received data, joined. */
  private joinChunks(): Buffer {
    const [first, ...more] = this.chunks;
    const all = first === undefined || more.length > 0 ? Buffer.concat(this.chunks) : first;
    this.chunks = [all];
    return all;
  }

  private take(count: number): Buffer {
    const all = this.joinChunks();
    this.chunks = [all.subarray(count)];
    this.bufferedBytes = all.length - count;
    return all.subarray(0, count);
  }
}
