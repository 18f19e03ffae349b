import { MAX_ID, MAX_NAME, MAX_TEXT } from './fields';
import { PROTOCOL_VERSION } from './handshake';

/** An object as it was parsed. */
export type Fields = Readonly<Record<string, unknown>>;

/** The building blocks of `fields.ts`, checked by hand. */

export function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

export function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_NAME;
}

export function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

/** A whole number from 0. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Any number from 0. */
export function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** With as many fields as are known, none is unknown, nor of a forbidden name. */
export function has(object: Fields, count: number): boolean {
  return Object.keys(object).length === count;
}

/** The envelope of a message about a session, with nothing unknown in it. Its type is not looked at. */
export function isPlainEnvelope(frame: Fields): boolean {
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
