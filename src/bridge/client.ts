import type { Draft } from '../protocol/draft';
import type { FromBridge } from '../protocol/from-bridge';
import type { HelloPayload } from '../protocol/to-bridge';

/** A client that said hello, and may come back after its connection broke. */
export interface Client {
  /** Counts up with each new client: of two, the higher is newer. */
  readonly number: number;
  /** names the numbering of its messages */
  readonly epoch: string;
  readonly hello: HelloPayload;
  /** It proved to read this vault, and offers to run tools. */
  readonly runsTools: boolean;
  /** Connected at this moment. */
  readonly here: boolean;
  /** ids of the sessions whose messages it gets */
  readonly sessions: Set<string>;
  /**
   * Sends, or keeps for when it is back: what names a session. The rest is an answer on this
   * connection, and goes with it.
   * @throws WireError `too_large`
   */
  send(draft: Draft<FromBridge>): void;
  /** A call that nobody waits for any more: if it did not arrive yet, it won't. */
  withdraw(sessionId: string, callId: string): void;
}
