import { decodeToBridge, encode, type StreamPosition } from '../../protocol/codec';
import { stamp, stampNumbered, type Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { utf8Length } from '../../protocol/frame-limits';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import { ackOf, Link, applyAcks, type Position, type SequenceCheck } from '../link/link';
import type { Clock, Ids } from '../ports';

export interface ClientLinkDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

type Send = (text: string) => void;

/**
 * As many sessions as a link numbers and a list on the wire may have; with more, the client does
 * not resume.
 */
const MAX_SESSIONS = 4096;

/**
 * What a client keeps between its connections to one bridge: the numbers of the messages in both
 * directions, and sent messages that the bridge may not have received. One per ConnectionManager;
 * numbers outgoing messages and checks the numbers of incoming ones.
 */
export class ClientLink {
  #link: Link;
  #epoch: string | undefined;
  #attempts = 0;
  #send: Send | undefined;

  /** @param counters messages dropped, by reason; `refused` counts invalid frames */
  constructor(
    private readonly deps: ClientLinkDeps,
    readonly counters = { duplicate: 0, gap: 0, refused: 0 },
  ) {
    this.#link = this.#fresh();
  }

  /**
   * For the next `hello`: the last message that arrived of each session. Without `resume` before
   * the first welcome. Starts anew if a message that the bridge may lack is no longer kept.
   */
  resume(): Pick<HelloPayload, 'attempt' | 'resume'> {
    const attempt = ++this.#attempts;
    // The next number would be a gap on every connection. An epoch that no bridge knows has this one
    // answer as if it had restarted.
    if (this.#epoch !== undefined && this.#link.hasHole()) this.#epoch = this.deps.ids.unique();
    const epoch = this.#epoch;
    const positions = this.#link.positions();
    if (epoch === undefined || positions.length === 0 || positions.length >= MAX_SESSIONS) {
      return { attempt };
    }
    return {
      attempt,
      resume: positions.map(({ sessionId, seq: lastSeq }) => ({ sessionId, epoch, lastSeq })),
    };
  }

  /**
   * Call when a connection was welcomed; from then on acknowledgements are sent over it. Resends
   * messages that the bridge may not have received, or returns them if the bridge was restarted.
   * @returns messages that are not sent again; undefined if the numbering continues
   */
  connectionWelcomed({ epoch, resumed }: FromBridgeOf<'welcome'>['payload'], send: Send) {
    this.#send = send;
    const unacknowledged = this.#link.unacknowledged();
    if (resumed && epoch === this.#epoch) {
      for (const { text } of unacknowledged) send(text);
      return undefined;
    }
    this.#link.pause();
    this.#link = this.#fresh();
    this.#epoch = epoch;
    return unacknowledged.flatMap(({ text }) => {
      const decoded = decodeToBridge(text);
      return decoded.ok ? [decoded.message] : [];
    });
  }

  /** Call when the connection ended. */
  connectionEnded(): void {
    this.#send = undefined;
    this.#link.pause();
  }

  /**
   * Encodes a message, with a number if it is about a session.
   * @throws WireError `too_large`
   */
  frame(draft: Draft<ToBridge>): { readonly id: string; readonly text: string } {
    const { sessionId } = draft;
    const id = this.deps.ids.unique();
    const now = this.deps.clock.now();
    if (sessionId === undefined) return { id, text: encode(stamp(draft, id, now)) };
    return this.#link.number(sessionId, (seq, ack) => {
      const text = encode(stampNumbered(draft, id, now, seq, ack));
      return { id, text, bytes: utf8Length(text) };
    });
  }

  /**
   * Withdraws a message whose answer nobody awaits any more: a resend replaces it with an empty
   * `ack`.
   */
  withdraw(sessionId: string, id: string): void {
    this.#link.replace(sessionId, id, (seq) => {
      const filler = { type: 'ack', sessionId, seq, payload: {} } as const;
      const text = encode(stamp(filler, id, this.deps.clock.now()));
      return { id, text, bytes: utf8Length(text) };
    });
  }

  /** Checks a message by its number. Messages of the link itself (`ack`) are never passed on. */
  take(message: FromBridge): SequenceCheck {
    const { sessionId, seq, ack } = message;
    if (sessionId === undefined) return 'next';
    if (message.type === 'ack') applyAcks(this.#link, message.payload);
    const check = this.#link.take(sessionId, seq, ack);
    if (message.type === 'ack') return 'duplicate';
    if (check !== 'next') this.counters[check]++;
    if (message.type === 'snapshot' && message.payload.resync === true && !message.payload.more) {
      this.#link.snapshotDelivered({ sessionId, seq: message.payload.uptoSeq });
    }
    return check;
  }

  /** Counts a refused message as received: otherwise it would be sent again, and refused again. */
  skip({ sessionId, seq }: StreamPosition): SequenceCheck {
    const check = this.#link.take(sessionId, seq);
    if (check !== 'next') this.counters[check]++;
    return check;
  }

  #fresh(): Link {
    return new Link({
      clock: this.deps.clock,
      acknowledge: (positions) => this.#acknowledge(positions),
    });
  }

  #acknowledge(positions: readonly Position[]): void {
    const draft = ackOf(positions);
    if (draft === undefined || this.#send === undefined) return;
    this.#send(encode(stamp(draft, this.deps.ids.unique(), this.deps.clock.now())));
  }
}
