import { Transform, type TransformCallback } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
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

/** Which request is meant, as JSON; `null` where the message names none. */
const NO_ID = 'null';

/** Of a request. */
const named = z.object({ id: z.union([z.string(), z.number()]) });

/** What a call of a tool has at least; the SDK would answer another with the issues of its schema. */
const toolCall = z.object({
  name: z.string(),
  arguments: z.optional(z.record(z.string(), z.unknown())),
});

/** A line that the SDK would drop without an answer, or answer with what no model can read. */
export interface UnfitLine {
  readonly code:
    | ProtocolErrorCode.ParseError
    | ProtocolErrorCode.InvalidRequest
    | ProtocolErrorCode.InvalidParams;
  /** of the requests in it, as JSON */
  readonly ids: readonly string[];
}

interface LeftOut {
  /** told of each line that is too long */
  readonly long: (line: LongLine) => void;
  readonly unfit: (line: UnfitLine) => void;
}

/**
 * Hands on what it reads line by line, so that a reader that joins each part to all parts before it has
 * nothing to join. A line that is too long is left out, and not kept meanwhile; so is one that
 * is unfit (`UnfitLine`).
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
    const unfit = unfitLine(line.toString());
    if (unfit === undefined) this.push(line);
    else this.leftOut.unfit(unfit);
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(-KEPT_BYTES);
}

/** What is wrong with a line; undefined where nothing is, or nobody waits for an answer. */
function unfitLine(line: string): UnfitLine | undefined {
  if (line.trim() === '') return undefined;
  const value = parseJson(line);
  if (value === undefined) return { code: ProtocolErrorCode.ParseError, ids: [NO_ID] };
  if (isJSONRPCRequest(value)) {
    const { id, method, params } = value;
    if (method !== 'tools/call' || z.safeParse(toolCall, params).success) return undefined;
    return { code: ProtocolErrorCode.InvalidParams, ids: [JSON.stringify(id)] };
  }
  if (isJSONRPCNotification(value) || isAnswer(value)) return undefined;
  // Older protocols allowed several messages in a line.
  const ids = [value].flat().flatMap((one) => {
    const read = z.safeParse(named, one);
    return read.success && !isAnswer(one) ? [JSON.stringify(read.data.id)] : [];
  });
  return { code: ProtocolErrorCode.InvalidRequest, ids: ids.length === 0 ? [NO_ID] : ids };
}

/** Answers, in whatever form, are not answered. */
function isAnswer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('result' in value || 'error' in value);
}

/**
 * The id of the request in such a line, as JSON; `null` if it is neither near the beginning nor near the
 * end of the line, where clients write it.
 */
export function requestIdOf({ head, tail }: LongLine): string {
  const id = '"id"\\s*:\\s*(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){1,200}")';
  const version = '"jsonrpc"\\s*:\\s*"2\\.0"';
  const first = new RegExp(`^\\s*\\{\\s*(?:${version}\\s*,\\s*)?${id}\\s*,`).exec(head);
  const last = new RegExp(
    `[,}]\\s*(?:${version}\\s*,\\s*)?${id}\\s*(?:,\\s*${version}\\s*)?\\}\\s*$`,
  );
  return (first ?? last.exec(tail))?.[1] ?? NO_ID;
}
