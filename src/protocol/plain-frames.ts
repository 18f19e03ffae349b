import { mayHoldForbiddenKeys } from './sanitize';
import { MAX_ID, MAX_NAME, MAX_TEXT } from './fields';
import { PROTOCOL_VERSION } from './handshake';

/** A check by hand beside a declaration. */
interface Check {
  readonly payload: (payload: FrameFields) => boolean;
  /** some of it is JSON that passes through unread */
  readonly opaque: boolean;
}

/**
 * The messages that are most of all, checked by hand: to ask the declaration costs thrice the
 * parsing.
 */
const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['stream.token', { payload: isDelta, opaque: false }],
  ['stream.thinking', { payload: isDelta, opaque: false }],
  ['tool.call', { payload: isToolCall, opaque: true }],
  ['tool.result', { payload: isToolResult, opaque: true }],
]);

/**
 * Whether a parsed message is one of these with nothing unknown in its payload. Says so of none that
 * the declaration refuses or changes; of odd ones the declaration is asked.
 * @param text the message before it was parsed
 */
export function isPlainPayload({ type, payload }: FrameFields, text: string): boolean {
  const check = CHECKS.get(type as string);
  if (check === undefined || !isObject(payload) || !check.payload(payload)) return false;
  return !check.opaque || !mayHoldForbiddenKeys(text);
}

function isDelta(payload: FrameFields): boolean {
  const { messageId, partId, delta, truncated } = payload;
  if (!isId(messageId) || !isId(partId) || !isText(delta)) return false;
  if (truncated === undefined) return has(payload, 3);
  return isCount(truncated) && has(payload, 4);
}

function isToolCall(payload: FrameFields): boolean {
  const { callId, tool, args, agent, messageId, originSessionId, sessionTitle } = payload;
  if (!isId(callId) || !isName(tool) || args === undefined || !isName(agent)) return false;
  if (!isId(messageId) || !isId(originSessionId)) return false;
  if (sessionTitle === undefined) return has(payload, 6);
  return isText(sessionTitle) && has(payload, 7);
}

function isToolResult(payload: FrameFields): boolean {
  const { callId, ok, output, title, metadata, error, audit } = payload;
  if (!isId(callId) || typeof ok !== 'boolean' || !isAudit(audit)) return false;
  let known = 3;
  if (output !== undefined) {
    if (typeof output !== 'string') return false;
    known++;
  }
  if (title !== undefined) {
    if (!isText(title)) return false;
    known++;
  }
  if (metadata !== undefined) {
    if (!isObject(metadata)) return false;
    known++;
  }
  if (error !== undefined) {
    if (!isError(error)) return false;
    known++;
  }
  return has(payload, known);
}

function isAudit(audit: unknown): boolean {
  if (!isObject(audit)) return false;
  const { approved, dryRun, ms } = audit;
  return (
    typeof approved === 'boolean' && typeof dryRun === 'boolean' && isAmount(ms) && has(audit, 3)
  );
}

function isError(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { code, message } = error;
  return isName(code) && typeof message === 'string' && has(error, 2);
}

/** An object as it was parsed. */
export type FrameFields = Readonly<Record<string, unknown>>;

/** The building blocks of `fields.ts`, checked by hand. */

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_NAME;
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
