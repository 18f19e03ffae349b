/** A call from a page to the server, or its answer. */
export interface CallFrame {
  /** the call or the status, without a line break */
  readonly line: string;
  /** a file's bytes, or JSON */
  readonly body: Uint8Array;
}

/** Encodes a frame as one message of the socket: the line, a line break, then the raw body. */
export function packFrame({ line, body }: CallFrame): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${line}\n`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

export function unpackFrame(bytes: Uint8Array): CallFrame {
  const end = bytes.indexOf(0x0a);
  if (end < 0) throw new Error('A message without a line');
  return { line: new TextDecoder().decode(bytes.subarray(0, end)), body: bytes.subarray(end + 1) };
}
