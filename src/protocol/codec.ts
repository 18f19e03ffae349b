import './jitless';
import type * as z from 'zod/mini';
import { cutStrings } from './cut';
import type { ErrorCode } from './error-code';
import { MAX_TEXT } from './fields';
import { fitsFrame, tooDeep } from './frame-limits';
import { FROM_BRIDGE, type FromBridge } from './from-bridge';
import { PROTOCOL_VERSION } from './handshake';
import { purge } from './poison';
import { TO_BRIDGE, type ToBridge } from './to-bridge';
import { WireError } from './wire-error';

export interface DecodeError {
  readonly code: Extract<
    ErrorCode,
    'bad_json' | 'bad_message' | 'unknown_type' | 'too_large' | 'version'
  >;
  /** Says which field, never what stood in it. */
  readonly message: string;
  /** the `id` of the refused message, where it could be read */
  readonly replyTo?: string;
}

export type Decoded<M> =
  | {
      readonly ok: true;
      readonly message: M;
      /** dangerous keys removed from opaque JSON */
      readonly removed: number;
    }
  | { readonly ok: false; readonly error: DecodeError };

/** Reads a client's frame. Never throws. */
export function decodeToBridge(text: string): Decoded<ToBridge> {
  return decode(text, TO_BRIDGE_SCHEMAS);
}

/** Reads a bridge's frame. Never throws. */
export function decodeFromBridge(text: string): Decoded<FromBridge> {
  return decode(text, FROM_BRIDGE_SCHEMAS);
}

/**
 * The frame of a message. Strings over 256 Ki units are cut (`payload.truncated` tells), and where
 * the frame is still too large, shorter; those of `tool.call` and `tool.result` never.
 * @throws WireError `too_large` where the frame would exceed 1 MiB all the same
 */
export function encode(message: ToBridge | FromBridge): string {
  let frame = JSON.stringify(message);
  // No string can be too long in a frame that is not.
  if (frame.length <= MAX_TEXT) return frame;
  if (message.type !== 'tool.call' && message.type !== 'tool.result') frame = cutFrame(message);
  if (fitsFrame(frame)) return frame;
  throw new WireError('too_large', `A ${message.type} of more than 1 MiB can’t be sent.`);
}

type Schemas<M> = ReadonlyMap<string, z.ZodMiniType<M>>;

const TO_BRIDGE_SCHEMAS: Schemas<ToBridge> = new Map(Object.entries(TO_BRIDGE));
const FROM_BRIDGE_SCHEMAS: Schemas<FromBridge> = new Map(Object.entries(FROM_BRIDGE));

function decode<M>(text: string, schemas: Schemas<M>): Decoded<M> {
  if (!fitsFrame(text)) return refuse('too_large', 'The frame is larger than 1 MiB.');
  if (tooDeep(text)) return refuse('bad_json', 'The frame is nested deeper than 64 levels.');
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return refuse('bad_json', 'The frame is no JSON.');
  }
  if (!isEnvelope(frame)) return refuse('bad_message', 'The frame is no object.');
  const replyTo = typeof frame.id === 'string' && frame.id.length <= 256 ? frame.id : undefined;
  if (frame.v !== PROTOCOL_VERSION) {
    return refuse('version', `v: this end speaks version ${PROTOCOL_VERSION}.`, replyTo);
  }
  const schema = typeof frame.type === 'string' ? schemas.get(frame.type) : undefined;
  if (schema === undefined) return refuse('unknown_type', 'type: not known here.', replyTo);
  const { refused, removed } = purge(text, frame, schema);
  if (refused) return refuse('bad_message', 'A field has a forbidden name.', replyTo);
  const parsed = schema.safeParse(frame);
  if (parsed.success) return { ok: true, message: parsed.data, removed };
  return refuse('bad_message', firstIssue(parsed.error), replyTo);
}

function isEnvelope(frame: unknown): frame is { id?: unknown; v?: unknown; type?: unknown } {
  return typeof frame === 'object' && frame !== null && !Array.isArray(frame);
}

function refuse(code: DecodeError['code'], message: string, replyTo?: string) {
  const error = replyTo === undefined ? { code, message } : { code, message, replyTo };
  return { ok: false, error } as const;
}

function firstIssue(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'The message does not fit its type.';
  return `${issue.path.map(String).join('.').slice(0, 200)}: ${issue.code}`;
}

function cutFrame(message: ToBridge | FromBridge): string {
  let frame = '';
  for (let limit = MAX_TEXT; limit >= 1024; limit /= 4) {
    const { value, longest } = cutStrings(message.payload, limit);
    const payload = longest === 0 ? value : { ...(value as object), truncated: longest };
    frame = JSON.stringify({ ...message, payload });
    if (fitsFrame(frame)) break;
  }
  return frame;
}
