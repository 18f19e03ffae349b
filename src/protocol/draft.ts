import { PROTOCOL_VERSION } from './handshake';

/** A message before it is sent: without what the sender stamps on it. */
export type Draft<M extends { v: 1; id: string; ts: number }> = M extends unknown
  ? Omit<M, 'v' | 'id' | 'ts'>
  : never;

/** Makes a draft a message. `id` must be unique for this sender, `ts` is in ms since the epoch. */
export function stamp<D extends object>(draft: D, id: string, ts: number) {
  return { v: PROTOCOL_VERSION, id, ts, ...draft } as const;
}

/** As `stamp`, for a message about a session; in one step, since copying twice costs as much as the JSON. */
export function stampNumbered<D extends object>(
  draft: D,
  id: string,
  ts: number,
  seq: number,
  ack: number | undefined,
) {
  return { v: PROTOCOL_VERSION, id, ts, ...draft, seq, ack } as const;
}
