import { decodeToBridge, encode, type StreamPlace } from '../../protocol/codec';
import { stamp, stampNumbered, type Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { utf8Length } from '../../protocol/frame-limits';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import { ackOf, Link, noteAlso, type Position, type SequenceCheck } from '../link/link';
import type { Clock, Ids } from '../ports';

export interface ClientLinkDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

type Send = (text: string) => void;

/** What a link numbers, and the entries of a list on the wire: a client of so many starts anew. */
const MOST_SESSIONS = 4096;

/**
 * What a client keeps between its connections to one bridge: the numbers of the messages in both
 * directions, and what it sent and the bridge may not have. One per ConnectionManager; it gives
 * each connection the frames to send, and says of each message that comes whether it is the next.
 */
export class ClientLink {
  #link: Link;
  #epoch: string | undefined;
  #attempts = 0;
  #send: Send | undefined;

  /** @param counters messages dropped, and why; frames that were none of the protocol's */
  constructor(
    private readonly deps: ClientLinkDeps,
    readonly counters = { duplicate: 0, gap: 0, refused: 0 },
  ) {
    this.#link = this.#fresh();
  }

  /** For the next `hello`: how far the messages arrived. Nothing of that before the first welcome. */
  resume(): Pick<HelloPayload, 'attempt' | 'resume'> {
    const attempt = ++this.#attempts;
    const epoch = this.#epoch;
    const positions = this.#link.positions();
    if (epoch === undefined || positions.length === 0 || positions.length >= MOST_SESSIONS) {
      return { attempt };
    }
    return {
      attempt,
      resume: positions.map(({ sessionId, seq: lastSeq }) => ({ sessionId, epoch, lastSeq })),
    };
  }

  /**
   * Called when a connection was welcomed; from then on it accepts frames. Messages that the bridge may not
   * have are sent again, or returned if the bridge was restarted.
   * @returns messages that nobody will send again, undefined if the numbering continues
   */
  welcomed({ epoch, resumed }: FromBridgeOf<'welcome'>['payload'], send: Send) {
    this.#send = send;
    const unheard = this.#link.unacknowledged();
    if (resumed && epoch === this.#epoch) {
      for (const { text } of unheard) send(text);
      return undefined;
    }
    this.#link.pause();
    this.#link = this.#fresh();
    this.#epoch = epoch;
    return unheard.flatMap(({ text }) => {
      const decoded = decodeToBridge(text);
      return decoded.ok ? [decoded.message] : [];
    });
  }

  /** The connection is over. */
  left(): void {
    this.#send = undefined;
    this.#link.pause();
  }

  /**
   * A message as a frame, numbered where it is about a session.
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

  /** A message that nobody waits for any more: if it was not heard, it won't be. */
  withdraw(sessionId: string, id: string): void {
    this.#link.replace(sessionId, id, (seq) => {
      const filler = { type: 'ack', sessionId, seq, payload: {} } as const;
      const text = encode(stamp(filler, id, this.deps.clock.now()));
      return { id, text, bytes: utf8Length(text) };
    });
  }

  /** Judges a message by its number; one of the link's own is never for anybody else. */
  take(message: FromBridge): SequenceCheck {
    const { sessionId, seq, ack } = message;
    if (sessionId === undefined) return 'next';
    if (message.type === 'ack') noteAlso(this.#link, message.payload);
    const check = this.#link.take(sessionId, seq, ack);
    if (message.type === 'ack') return 'duplicate';
    if (check !== 'next') this.counters[check]++;
    if (message.type === 'snapshot' && message.payload.resync === true && !message.payload.more) {
      this.#link.told({ sessionId, seq: message.payload.uptoSeq });
    }
    return check;
  }

  /** A message that is refused has arrived all the same: it would come again, and be refused again. */
  skip({ sessionId, seq }: StreamPlace): SequenceCheck {
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
