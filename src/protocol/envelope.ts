import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';
import { PROTOCOL_VERSION } from './handshake';
import { wholeNumber, id, listOf, maybe, time } from './fields';

/** Fields of every message. `seq` and `ack` count per session and direction, from 1. */
const envelope = lazy(() => ({
  v: z.literal(PROTOCOL_VERSION),
  id: id.check(z.describe('Unique per sender.')),
  ts: time.check(z.describe('Milliseconds since the epoch, by the sender’s clock.')),
  seq: maybe(wholeNumber),
  ack: maybe(wholeNumber),
  replyTo: maybe(id, 'The `id` of the message that this one answers.'),
}));

/** A payload schema with the field `truncated`, which the codec sets. */
export function payload<const S extends z.core.$ZodLooseShape>(shape: S) {
  return z.object({
    ...shape,
    truncated: maybe(
      wholeNumber,
      'The sender cut strings. The number is the length of the longest one, in UTF-16 ' + 'units.',
    ),
  });
}

/**
 * Declares a message about one session by the fields of its payload. The schema is created on first
 * use.
 */
export function sessionMessage<const T extends string, const S extends z.core.$ZodLooseShape>(
  type: T,
  meaning: string,
  makeShape: () => S,
) {
  return sessionMessageOf(type, meaning, () => payload(makeShape()));
}

export function sessionMessageOf<const T extends string, P extends z.core.SomeType>(
  type: T,
  meaning: string,
  makeBody: () => P,
) {
  return lazy(() =>
    z
      .object({ ...envelope(), type: z.literal(type), sessionId: id, payload: makeBody() })
      .check(z.describe(meaning)),
  );
}

/** Declares a message about the connection, or one that has a session only sometimes. */
export function plainMessage<const T extends string, const S extends z.core.$ZodLooseShape>(
  type: T,
  meaning: string,
  makeShape: () => S,
) {
  return lazy(() => {
    const fields = {
      ...{ type: z.literal(type), sessionId: z.optional(id) },
      payload: payload(makeShape()),
    };
    return z.object({ ...envelope(), ...fields }).check(z.describe(meaning));
  });
}

/** A message without the fields that the sender adds when sending it. */
export type Draft<M extends { v: 1; id: string; ts: number }> = M extends unknown
  ? Omit<M, 'v' | 'id' | 'ts'>
  : never;

/** Completes a draft. `id` must be unique for this sender; `ts` is in ms since the epoch. */
export function stamp<D extends object>(draft: D, id: string, ts: number) {
  return { v: PROTOCOL_VERSION, id, ts, ...draft } as const;
}

/**
 * Like `stamp`, for a numbered message. Done in one step, since copying twice costs as much as the
 * JSON.
 */
export function stampNumbered<D extends object>(
  draft: D,
  id: string,
  ts: number,
  seq: number,
  ack: number | undefined,
) {
  return { v: PROTOCOL_VERSION, id, ts, ...draft, seq, ack } as const;
}

/** Sent by both ends when no other message can carry the acknowledgement. */
export const ackMessage = sessionMessage(
  'ack',
  'All messages of the session up to the envelope’s `ack` were received.',
  () => ({
    also: maybe(
      listOf(z.object({ sessionId: id, ack: wholeNumber })),
      'Acknowledgements of other sessions in the same frame.',
    ),
  }),
);
