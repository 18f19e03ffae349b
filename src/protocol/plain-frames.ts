import { MAX_ID, MAX_TEXT } from './fields';
import { PROTOCOL_VERSION } from './handshake';

/**
 * Whether a parsed message is a stream token with a valid payload and no unknown fields. Tokens are
 * most of all messages, and validating them with the schema costs as much as parsing them. True
 * only for messages that the schema accepts unchanged; others are validated with the schema.
 */
export function isPlainToken({ type, payload }: FrameFields): boolean {
  const isToken = type === 'stream.token' || type === 'stream.thinking';
  return isToken && isObject(payload) && isDelta(payload);
}

function isDelta(payload: FrameFields): boolean {
  const { messageId, partId, delta, truncated } = payload;
  if (!isId(messageId) || !isId(partId) || !isText(delta)) return false;
  if (truncated === undefined) return hasFieldCount(payload, 3);
  return isCount(truncated) && hasFieldCount(payload, 4);
}

/** A parsed object. */
export type FrameFields = Readonly<Record<string, unknown>>;

/** Hand-written checks for the building blocks in `fields.ts`. */

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

/** Whether an object has no fields besides the known ones, and so none with a forbidden name. */
function hasFieldCount(object: FrameFields, count: number): boolean {
  return Object.keys(object).length === count;
}

/** Whether a message has a valid session envelope and no unknown fields. Doesn't check its type. */
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
  return hasFieldCount(frame, known);
}
