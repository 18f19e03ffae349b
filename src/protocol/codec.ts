import './jitless';
import type * as z from 'zod/mini';
import { WireError, type ErrorCode } from './wire-error';
import { MAX_ID, MAX_TEXT } from './fields';
import { fitsFrame, MAX_DEPTH, tooDeep } from './frame-limits';
import { FROM_BRIDGE, type FromBridge } from './from-bridge';
import { PROTOCOL_VERSION } from './handshake';
import { isObject, isPlainEnvelope, isPlainToken, type FrameFields } from './plain-frames';
import { sanitize } from './sanitize';
import { TO_BRIDGE, type ToBridge } from './to-bridge';

interface DecodeError {
  readonly code: Extract<
    ErrorCode,
    'bad_json' | 'bad_message' | 'unknown_type' | 'too_large' | 'version'
  >;
  /** Names the field, but never contains its value. */
  readonly message: string;
  /** the `id` of the refused message, if it could be read */
  readonly replyTo?: string;
  /** the message that it answers, if that could be read */
  readonly answers?: string;
  /** its number, if it has one that could be read, so that later messages don't wait for it */
  readonly place?: StreamPosition;
}

/** A message's position in its session. */
export interface StreamPosition {
  readonly sessionId: string;
  readonly seq: number;
}

export type Decoded<M> =
  | {
      readonly ok: true;
      readonly message: M;
      /** number of dangerous keys removed from opaque JSON */
      readonly removed: number;
    }
  | { readonly ok: false; readonly error: DecodeError };

/** Decodes a client's frame. Never throws. */
export function decodeToBridge(text: string): Decoded<ToBridge> {
  return decode(text, TO_BRIDGE_SCHEMAS);
}

/** Decodes a bridge's frame. Never throws. */
export function decodeFromBridge(text: string): Decoded<FromBridge> {
  return decode(text, FROM_BRIDGE_SCHEMAS);
}

/**
 * Encodes a message. Cuts strings over 256 Ki UTF-16 units (and sets `payload.truncated`), and to
 * shorter ones if the frame is still too large; leaves out what is nested too deep. Tool calls,
 * tool results and a person's words are never cut.
 * @throws WireError `too_large` or `bad_message` if the other end would still refuse the frame
 */
export function encode(message: ToBridge | FromBridge): string {
  let frame = JSON.stringify(message);
  const deep = tooDeep(frame);
  // A frame this short can't contain a string that is too long.
  if (frame.length <= MAX_TEXT && !deep) return frame;
  if (!UNCUT_TYPES.has(message.type)) frame = cutFrame(message);
  else if (deep) throw new WireError('bad_message', `A ${message.type} has 64 levels at most.`);
  else if (PERSON_INPUT_TYPES.has(message.type) && cutPayload(message.payload).longest > 0)
    throw textTooLongError();
  if (fitsFrame(frame)) return frame;
  if (PERSON_INPUT_TYPES.has(message.type)) throw textTooLongError();
  throw new WireError('too_large', `A ${message.type} of more than 1 MiB can’t be sent.`);
}

/**
 * Messages with a person's words or choices. They are never cut, since a part may say the opposite.
 */
const PERSON_INPUT_TYPES: ReadonlySet<string> = new Set<ToBridge['type']>([
  'session.start',
  'session.message',
  'session.update',
  'permission.response',
  'question.response',
]);

const UNCUT_TYPES: ReadonlySet<string> = new Set([
  ...PERSON_INPUT_TYPES,
  'tool.call',
  'tool.result',
]);

function textTooLongError(): WireError {
  const instead = 'Put the text into a note and name the note.';
  return new WireError(
    'too_large',
    `Nothing was sent: a text has 262,144 characters at most. ${instead}`,
  );
}

type MessageSchema<M> = z.ZodMiniType<M> & { readonly shape: { readonly payload: z.ZodMiniType } };

/** The schemas of one direction, by message type. */
type MessageSchemas<M> = ReadonlyMap<string, () => MessageSchema<M>>;

const TO_BRIDGE_SCHEMAS: MessageSchemas<ToBridge> = new Map(Object.entries(TO_BRIDGE));

const FROM_BRIDGE_SCHEMAS: MessageSchemas<FromBridge> = new Map(Object.entries(FROM_BRIDGE));

function decode<M>(text: string, declared: MessageSchemas<M>): Decoded<M> {
  if (!fitsFrame(text)) return refuse('too_large', 'The frame is larger than 1 MiB.');
  if (tooDeep(text)) return refuse('bad_json', 'The frame is nested deeper than 64 levels.');
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return refuse('bad_json', 'The frame is not JSON.');
  }
  if (!isObject(frame)) return refuse('bad_message', 'The frame is not an object.');
  if (frame.v !== PROTOCOL_VERSION) {
    return refuse('version', `v: this end speaks version ${PROTOCOL_VERSION}.`, frame);
  }
  const { type } = frame;
  const schema = typeof type === 'string' ? declared.get(type)?.() : undefined;
  if (schema === undefined) return refuse('unknown_type', 'type: not known here.', frame);
  return isPlainEnvelope(frame)
    ? validatePayload(text, frame, schema)
    : validateFrame(text, frame, schema);
}

/** Validates only the payload, for a frame whose envelope is valid. */
function validatePayload<M>(
  text: string,
  frame: FrameFields,
  schema: MessageSchema<M>,
): Decoded<M> {
  if (isPlainToken(frame)) return { ok: true, message: frame as M, removed: 0 };
  const { refused, removed } = sanitize(text, frame, schema);
  const { success, data: payload } = schema.shape.payload.safeParse(frame.payload);
  if (refused || !success) return validateFrame(text, frame, schema);
  return { ok: true, message: { ...frame, payload } as M, removed };
}

function validateFrame<M>(text: string, frame: FrameFields, schema: MessageSchema<M>): Decoded<M> {
  const { refused, removed } = sanitize(text, frame, schema);
  if (refused) return refuse('bad_message', 'A field has a forbidden name.', frame);
  const parsed = schema.safeParse(frame);
  if (parsed.success) return { ok: true, message: parsed.data, removed };
  return refuse('bad_message', firstIssue(parsed.error), frame);
}

function refuse(code: DecodeError['code'], message: string, frame: FrameFields = {}) {
  const { id: replyTo, replyTo: answers, sessionId, seq } = frame;
  const error: DecodeError = {
    ...{ code, message },
    ...(isId(replyTo) && { replyTo }),
    ...(isId(answers) && { answers }),
    ...(isId(sessionId) && isNumber(seq) && { place: { sessionId, seq } }),
  };
  return { ok: false, error } as const;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ID;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function firstIssue(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'The message does not fit its type.';
  return `${issue.path.map(String).join('.').slice(0, 200)}: ${issue.code}`;
}

function cutFrame(message: ToBridge | FromBridge): string {
  let frame = '';
  for (let limit = MAX_TEXT; limit >= 1024; limit /= 4) {
    const { value, longest } = cutPayload(message.payload, limit);
    const payload = longest === 0 ? value : { ...(value as object), truncated: longest };
    frame = JSON.stringify({ ...message, payload });
    if (fitsFrame(frame)) break;
  }
  return frame;
}

/** Replaces what is nested too deep. */
const TOO_DEEP_MARK = '…';

/**
 * Copies a payload with every string longer than `limit` UTF-16 units cut, never within a surrogate
 * pair, and without what is nested too deep.
 * @returns the copy, and the full length of the longest string that was cut; 0 if none was
 */
export function cutPayload<T>(value: T, limit: number = MAX_TEXT) {
  let longest = 0;
  const copy = (part: unknown, level: number): unknown => {
    if (typeof part === 'string') {
      if (part.length <= limit) return part;
      longest = Math.max(longest, part.length);
      return part.slice(0, splitsPair(part, limit) ? limit - 1 : limit);
    }
    if (typeof part !== 'object' || part === null) return part;
    if (level > MAX_DEPTH) return TOO_DEEP_MARK;
    if (Array.isArray(part)) return part.map((child) => copy(child, level + 1));
    const entries = Object.entries(part).map(([key, child]) => [key, copy(child, level + 1)]);
    return Object.fromEntries(entries);
  };
  return { value: copy(value, 2) as T, longest };
}

/** Whether a cut at `at` would split a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}
