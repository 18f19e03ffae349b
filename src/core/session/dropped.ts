import type { ConnectionManager } from './connection-manager';
import type { SessionEventBus } from './session-event-bus';

/** How many messages did not reach a listener since the start, and why. */
export interface Dropped {
  /** sent twice */
  readonly duplicate: number;
  /** out of order */
  readonly gap: number;
  /** none of the protocol's */
  readonly refused: number;
  /** how a session stands, said by another bridge than the one that it works in */
  readonly foreign: number;
  readonly endedSession: number;
  readonly unknownSession: number;
}

export function dropped(
  connections: readonly Pick<ConnectionManager, 'counters'>[],
  { counters }: Pick<SessionEventBus, 'counters'>,
  foreign: number,
): Dropped {
  const sum = (why: 'duplicate' | 'gap' | 'refused'): number =>
    connections.reduce((all, one) => all + one.counters[why], 0);
  const { endedSession, unknownSession } = counters;
  const wire = { duplicate: sum('duplicate'), gap: sum('gap'), refused: sum('refused') };
  return { ...wire, foreign, endedSession, unknownSession };
}
