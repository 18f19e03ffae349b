import { Transform, type TransformCallback } from 'node:stream';

/** Of a line that is too long, its first and last bytes: all that is kept of it. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

const KEPT_BYTES = 1_024;

/** Parts of one line, before they are joined. */
const MOST_PARTS = 256;

const LINE_END = 10;

/**
 * Hands on what it reads line by line, so that a reader that joins each part to all parts before it has
 * nothing to join. A line that is too long is left out, and not kept meanwhile.
 */
export class WholeLines extends Transform {
  private parts: Buffer[] = [];
  private length = 0;
  private tail: Buffer | undefined;

  /**
   * @param most bytes of a line, its end included
   * @param onLong told of each line that is left out
   */
  constructor(
    private readonly most: number,
    private readonly onLong: (line: LongLine) => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
      this.keep(chunk.subarray(from, at + 1));
      this.endLine();
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    done();
  }

  private keep(part: Buffer): void {
    if (this.tail !== undefined) {
      this.tail = lastOf(Buffer.concat([this.tail, lastOf(part)]));
      return;
    }
    this.parts.push(part);
    this.length += part.length;
    if (this.parts.length > MOST_PARTS || this.length > this.most) {
      this.parts = [Buffer.concat(this.parts)];
    }
    const [line] = this.parts;
    if (this.length <= this.most || line === undefined) return;
    this.parts = [Buffer.from(line.subarray(0, KEPT_BYTES))];
    this.tail = Buffer.from(lastOf(line));
  }

  private endLine(): void {
    const line = Buffer.concat(this.parts);
    if (this.tail === undefined) this.push(line);
    else this.onLong({ head: line.toString(), tail: this.tail.toString() });
    this.parts = [];
    this.length = 0;
    this.tail = undefined;
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(-KEPT_BYTES);
}

/**
 * The id of the request in such a line, as JSON. Undefined if it is neither near the beginning nor near the
 * end of the line, where clients write it.
 */
export function requestIdOf({ head, tail }: LongLine): string | undefined {
  const id = '"id"\\s*:\\s*(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){1,200}")';
  const version = '"jsonrpc"\\s*:\\s*"2\\.0"';
  const first = new RegExp(`^\\s*\\{\\s*(?:${version}\\s*,\\s*)?${id}\\s*,`).exec(head);
  const last = new RegExp(
    `[,}]\\s*(?:${version}\\s*,\\s*)?${id}\\s*(?:,\\s*${version}\\s*)?\\}\\s*$`,
  );
  return (first ?? last.exec(tail))?.[1];
}
