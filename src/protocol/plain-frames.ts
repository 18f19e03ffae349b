import { MAX_ID, MAX_TEXT } from './fields';
import { PROTOCOL_VERSION } from './handshake';

/**
 * Whether a parsed message is a token of a stream with nothing unknown in its payload. Tokens are most
 * of all messages, and asking the declaration costs as much as parsing them. Says so of none that the
 * declaration refuses or changes; of odd ones, and of all other types, the declaration is asked.
 */
export function isPlainToken({ type, payload }: FrameFields): boolean {
  const isToken = type === 'stream.token' || type === 'stream.thinking';
  return isToken && isObject(payload) && isDelta(payload);
}

function isDelta(payload: FrameFields): boolean {
  const { messageId, partId, delta, truncated } = payload;
  if (!isId(messageId) || !isId(partId) || !isText(delta)) return false;
  if (truncated === undefined) return has(payload, 3);
  return isCount(truncated) && has(payload, 4);
}

/** An object as it was parsed. */
export type FrameFields = Readonly<Record<string, unknown>>;

/** The building blocks of `fields.ts`, checked by hand. */

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

/** A whole number from 0. */
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Any number from 0. */
function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

export function isObject(value: unknown): value is FrameFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** With as many fields as are known, none is unknown, nor of a forbidden name. */
function has(object: FrameFields, count: number): boolean {
  return Object.keys(object).length === count;
}

/** The envelope of a message about a session, with nothing unknown in it. Its type is not looked at. */
export function isPlainEnvelope(frame: FrameFields): boolean {
  const { v, id, ts, sessionId, seq, ack, replyTo } = frame;
  if (v !== PROTOCOL_VERSION || !isId(id) || !isId(sessionId) || !isAmount(ts)) return false;
  let known = 6; // v, type, id, ts, sessionId, payload
  if (seq !== undefined) {
    if (!isCount(seq)) return false;
    known++;
  }
  if (ack !== undefined) {
    if (!isCount(ack)) return false;
    known++;
  }
  if (replyTo !== undefined) {
    if (!isId(replyTo)) return false;
    known++;
  }
  return has(frame, known);
}
