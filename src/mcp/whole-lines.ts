import { Transform, type TransformCallback } from 'node:stream';
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import { parseJson } from '../core/json';

/** Of a line that is too long, its first and last bytes: all that is kept of it. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

const KEPT_BYTES = 1_024;

/** Parts of one line, before they are joined. */
const MOST_PARTS = 256;

const LINE_END = 10;

/** Of a request: what answers is told apart by its result or error. */
const asking = z.object({
  id: z.union([z.string(), z.number()]),
  result: z.optional(z.undefined()),
  error: z.optional(z.undefined()),
});

interface LeftOut {
  /** told of each line that is too long */
  readonly long: (line: LongLine) => void;
  /** told the ids of the requests in a line, as JSON, whose form the protocol does not have */
  readonly unfit: (ids: readonly string[]) => void;
}

/**
 * Hands on what it reads line by line, so that a reader that joins each part to all parts before it has
 * nothing to join. A line that is too long is left out, and not kept meanwhile; so is one with requests
 * that the SDK would drop without an answer.
 */
export class WholeLines extends Transform {
  private parts: Buffer[] = [];
  private length = 0;
  private tail: Buffer | undefined;

  /** @param most bytes of a line, its end included */
  constructor(
    private readonly most: number,
    private readonly leftOut: LeftOut,
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
    if (this.tail === undefined) this.handOn(line);
    else this.leftOut.long({ head: line.toString(), tail: this.tail.toString() });
    this.parts = [];
    this.length = 0;
    this.tail = undefined;
  }

  private handOn(line: Buffer): void {
    const ids = unfitRequests(line.toString());
    if (ids.length === 0) this.push(line);
    else this.leftOut.unfit(ids);
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(-KEPT_BYTES);
}

/** Of a line that holds one message, or as older protocols allowed several. */
function unfitRequests(line: string): readonly string[] {
  const value = parseJson(line);
  if (isJSONRPCRequest(value)) return [];
  return [value].flat().flatMap((one) => {
    const read = z.safeParse(asking, one);
    return read.success ? [JSON.stringify(read.data.id)] : [];
  });
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
