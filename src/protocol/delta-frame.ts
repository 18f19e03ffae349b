import { MAX_ID, MAX_TEXT } from './fields';
import type { FromBridgeOf } from './from-bridge';
import { PROTOCOL_VERSION } from './handshake';

export type DeltaFrame = FromBridgeOf<'stream.token'> | FromBridgeOf<'stream.thinking'>;

/**
 * Whether a parsed frame is a `stream.token` or a `stream.thinking` with nothing unknown in it. Says
 * so of none that the declaration refuses or changes; of odd ones the declaration is asked. These
 * two are most of all messages, and to ask the declaration costs thrice the parsing.
 */
export function isDeltaFrame(frame: Fields): frame is Fields & DeltaFrame {
  const { v, type, id, ts, sessionId, seq, ack, replyTo, payload } = frame;
  if (v !== PROTOCOL_VERSION) return false;
  if (type !== 'stream.token' && type !== 'stream.thinking') return false;
  if (!isId(id) || !isId(sessionId) || !isTime(ts) || !isDelta(payload)) return false;
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

type Fields = Readonly<Record<string, unknown>>;

function isDelta(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  const { messageId, partId, delta, truncated } = payload as Fields;
  if (!isId(messageId) || !isId(partId)) return false;
  if (typeof delta !== 'string' || delta.length > MAX_TEXT) return false;
  if (truncated === undefined) return has(payload, 3);
  return isCount(truncated) && has(payload, 4);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

/** With as many fields as are known, none is unknown, nor of a forbidden name. */
function has(object: object, count: number): boolean {
  return Object.keys(object).length === count;
}
