import type { Link, Position } from './link';

/** What the payload of an `ack` says of other sessions than its own. */
interface AckPayload {
  readonly also?: readonly { readonly sessionId: string; readonly ack: number }[] | undefined;
}

/** Notes what an `ack` says of other sessions than its own. */
export function noteAlso(link: Link, { also = [] }: AckPayload): void {
  for (const { sessionId, ack } of also) link.acked({ sessionId, seq: ack });
}

/** One `ack` for all of these sessions; undefined where there are none. */
export function ackOf([first, ...rest]: readonly Position[]) {
  if (first === undefined) return undefined;
  const also = rest.map(({ sessionId, seq }) => ({ sessionId, ack: seq }));
  const payload = also.length === 0 ? {} : { also };
  return { type: 'ack', sessionId: first.sessionId, ack: first.seq, payload } as const;
}
