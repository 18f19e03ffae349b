import { Transform, type TransformCallback } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import { parseJson } from '../core/json';

/** The first and last bytes of a line that is too long; the rest is dropped. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

const KEPT_BYTES = 1_024;

/** Most chunks of a line before they are joined. */
const MAX_PARTS = 256;

const LINE_END = 10;

/** JSON for the id of a request without one. */
const NO_ID = 'null';

/** The part of a request that is read here. */
const requestWithId = z.object({ id: z.union([z.string(), z.number()]) });

/**
 * Minimal valid arguments of a tool call. For invalid ones, the SDK would answer with its schema's
 * issues.
 */
const toolCall = z.object({
  name: z.string(),
  arguments: z.optional(z.record(z.string(), z.unknown())),
});

/** A line that the SDK would ignore, or answer in a way that no model understands. */
export interface InvalidLine {
  readonly code:
    | ProtocolErrorCode.ParseError
    | ProtocolErrorCode.InvalidRequest
    | ProtocolErrorCode.InvalidParams;
  /** ids of the requests in it, as JSON */
  readonly ids: readonly string[];
}

interface DroppedLineHandlers {
  /** called for each line that is too long */
  readonly onTooLong: (line: LongLine) => void;
  readonly onInvalid: (line: InvalidLine) => void;
}

/**
 * Splits its input into lines and passes them on one by one, since the SDK's reader would join
 * every chunk to all before it. Drops lines that are too long, without buffering them, and invalid
 * ones (`InvalidLine`).
 */
export class LineSplitter extends Transform {
  private parts: Buffer[] = [];
  private length = 0;
  private tail: Buffer | undefined;

  /** @param most bytes of a line, including the line break */
  constructor(
    private readonly most: number,
    private readonly handlers: DroppedLineHandlers,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
      this.append(chunk.subarray(from, at + 1));
      this.endLine();
      from = at + 1;
    }
    this.append(chunk.subarray(from));
    done();
  }

  private append(part: Buffer): void {
    if (this.tail !== undefined) {
      this.tail = lastOf(Buffer.concat([this.tail, lastOf(part)]));
      return;
    }
    this.parts.push(part);
    this.length += part.length;
    if (this.parts.length > MAX_PARTS || this.length > this.most) {
      this.parts = [Buffer.concat(this.parts)];
    }
    const [line] = this.parts;
    if (this.length <= this.most || line === undefined) return;
    this.parts = [Buffer.from(line.subarray(0, KEPT_BYTES))];
    this.tail = Buffer.from(lastOf(line));
  }

  private endLine(): void {
    const line = Buffer.concat(this.parts);
    if (this.tail === undefined) this.forward(line);
    else this.handlers.onTooLong({ head: line.toString(), tail: this.tail.toString() });
    this.parts = [];
    this.length = 0;
    this.tail = undefined;
  }

  private forward(line: Buffer): void {
    const unfit = findLineFault(line.toString());
    if (unfit === undefined) this.push(line);
    else this.handlers.onInvalid(unfit);
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(-KEPT_BYTES);
}

/** What is wrong with a line; undefined if it is fine, or if nobody waits for an answer. */
function findLineFault(line: string): InvalidLine | undefined {
  if (line.trim() === '') return undefined;
  const value = parseJson(line);
  if (value === undefined) return { code: ProtocolErrorCode.ParseError, ids: [NO_ID] };
  if (isJSONRPCRequest(value)) {
    const { id, method, params } = value;
    if (method !== 'tools/call' || z.safeParse(toolCall, params).success) return undefined;
    return { code: ProtocolErrorCode.InvalidParams, ids: [JSON.stringify(id)] };
  }
  if (isJSONRPCNotification(value) || isAnswer(value)) return undefined;
  // Older protocol versions allowed several messages in a line.
  const ids = [value].flat().flatMap((one) => {
    const read = z.safeParse(requestWithId, one);
    return read.success && !isAnswer(one) ? [JSON.stringify(read.data.id)] : [];
  });
  return { code: ProtocolErrorCode.InvalidRequest, ids: ids.length === 0 ? [NO_ID] : ids };
}

/** Whether this is an answer, in any form. Answers are never answered. */
function isAnswer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('result' in value || 'error' in value);
}

/**
 * The id of the request in such a line, as JSON; `null` if it is neither near the start nor near
 * the end of the line, where clients usually write it.
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
