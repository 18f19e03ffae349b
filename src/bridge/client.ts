import type { Draft } from '../protocol/draft';
import type { FromBridge } from '../protocol/from-bridge';
import type { HelloPayload } from '../protocol/to-bridge';

/** A connected client that said hello. */
export interface Client {
  /** Counts up with each hello: of two, the higher is newer. */
  readonly number: number;
  readonly hello: HelloPayload;
  /** It proved to read this vault, and offers to run tools. */
  readonly runsTools: boolean;
  /** ids of the sessions whose messages it gets */
  readonly sessions: Set<string>;
  /** @throws WireError `too_large` */
  send(draft: Draft<FromBridge>): void;
}
