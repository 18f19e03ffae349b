import type { Draft } from '../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../protocol/from-bridge';
import type { HelloPayload, ToBridge } from '../protocol/to-bridge';

/** What runs the sessions: the server hands it what clients ask for. */
export interface Engine {
  /** Who answers, and its sessions. @throws WireError where the engine doesn't say */
  welcome(): Promise<Omit<FromBridgeOf<'welcome'>['payload'], 'epoch' | 'resumed'>>;
  /** Settles when the request is done or refused. @throws WireError what to answer */
  serve(client: Client, message: ToBridge): Promise<void>;
}

/** What a client may be able to do, as its hello says it. */
export type Capability = 'tools' | 'permissions' | 'questions';

/** A client that said hello, and may come back after its connection broke. */
export interface Client {
  /** Counts up with each new client: of two, the higher is newer. */
  readonly number: number;
  /** names the numbering of its messages */
  readonly epoch: string;
  readonly hello: HelloPayload;
  /** Connected at this moment. */
  readonly here: boolean;
  /** ids of the sessions whose messages it gets */
  readonly sessions: Set<string>;
  /** Whether it said that it does this, and proved to read this vault. */
  offers(what: Capability): boolean;
  /**
   * Sends, or keeps for when it is back: what names a session. The rest is an answer on this
   * connection, and goes with it.
   * @throws WireError `too_large`
   */
  send(draft: Draft<FromBridge>): void;
  /** A call that nobody waits for any more: if it did not arrive yet, it won't. */
  withdraw(sessionId: string, callId: string): void;
}

export type FromDraft = Draft<FromBridge>;
