import type { Clock, Undo } from '../ports';
import { Inbox, type Fate } from './inbox';
import { Outbox, type Gone } from './outbox';

/** How far a session's messages arrived. */
export interface Position {
  readonly sessionId: string;
  readonly seq: number;
}

/** A message that was sent and may have to be sent again. */
export interface Frame {
  /** for `replace`: of the message, or of what it is about */
  readonly id: string;
  readonly text: string;
  /** of the text in UTF-8 */
  readonly bytes: number;
}

export interface LinkDeps {
  readonly clock: Clock;
  /** Tells the other end how far its messages arrived; never called with none. */
  readonly acknowledge: (positions: readonly Position[]) => void;
}

interface Stream {
  readonly out: Outbox<Frame>;
  readonly in: Inbox;
}

/** What arrived is acknowledged after so long, ms, where no message takes the word along… */
const ACK_AFTER = 200;
/** …or as soon as so many arrived: an eighth of the other end's ring. */
const ACK_AT = 512;
/** Sessions that the other end may number; a vault lists 500. */
const MOST_SESSIONS = 4096;
/** What all sessions together may keep, bytes; the session that goes beyond it keeps nothing. */
const MOST = 32 * 1024 * 1024;

/**
 * One end of a link: the numbers of every session's messages, in both directions, over as many
 * connections as it takes. It outlives a connection and ends with the epoch.
 */
export class Link {
  readonly #streams = new Map<string, Stream>();
  /** arrived and not acknowledged yet */
  readonly #due = new Set<string>();
  #arrived = 0;
  #bytes = 0;
  #undoAck: Undo | undefined;

  constructor(private readonly deps: LinkDeps) {}

  /** What is kept for sending again, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Numbers a session's next message and keeps it.
   * @param make the frame with its number and with how far the other direction arrived; where it
   * throws, no number is used up
   */
  number(sessionId: string, make: (seq: number, ack: number | undefined) => Frame): Frame {
    const { out, in: inbox } = this.#stream(sessionId);
    const frame = make(out.last + 1, inbox.last === 0 ? undefined : inbox.last);
    const before = out.bytes;
    out.add(frame, frame.bytes, this.deps.clock.now());
    this.#bytes += out.bytes - before;
    if (this.#bytes > MOST) this.#shrink(out, (ring) => ring.ack(ring.last));
    this.#due.delete(sessionId);
    return frame;
  }

  /**
   * Judges a message by its number and notes its `ack`; what has no number is always the next. Of
   * one session too many every number is a gap.
   */
  take(sessionId: string, seq: number | undefined, ack?: number): Fate {
    if (ack !== undefined) this.acked({ sessionId, seq: ack });
    if (seq === undefined) return 'next';
    if (this.#streams.size >= MOST_SESSIONS && !this.#streams.has(sessionId)) return 'gap';
    const fate = this.#stream(sessionId).in.take(seq);
    if (fate !== 'gap') this.#owe(sessionId);
    return fate;
  }

  /** The other end has a session's messages up to `seq`. */
  acked({ sessionId, seq }: Position): void {
    const stream = this.#streams.get(sessionId);
    if (stream !== undefined) this.#shrink(stream.out, (ring) => ring.ack(seq));
  }

  /** Another frame in the place of each with this id that is still kept. */
  replace(sessionId: string, id: string, make: (seq: number) => Frame): void {
    const out = this.#streams.get(sessionId)?.out;
    const kept = out?.since(out.base, this.deps.clock.now()) ?? 'gone';
    if (out === undefined || kept === 'gone') return;
    for (const { seq, message } of kept) {
      if (message.id !== id) continue;
      const frame = make(seq);
      this.#shrink(out, (ring) => ring.replace(seq, frame, frame.bytes));
    }
  }

  /** How far each session's messages arrived: what to say when connecting again. */
  positions(): readonly Position[] {
    return [...this.#streams].map(
      ([
        sessionId,
        {
          in: { last: seq },
        },
      ]) => ({ sessionId, seq }),
    );
  }

  /** The other end has everything up to `seq`: what it lacks. */
  since({ sessionId, seq }: Position): readonly Frame[] | Gone {
    const out = this.#streams.get(sessionId)?.out;
    if (out === undefined) return seq === 0 ? [] : 'gone';
    const kept = this.#shrink(out, (ring) => ring.since(seq, this.deps.clock.now()));
    return kept === 'gone' ? kept : kept.map(({ message }) => message);
  }

  /** Everything that is kept, each session's in order. */
  unacknowledged(): readonly Frame[] {
    return [...this.#streams].flatMap(([sessionId, { out }]) => {
      const frames = this.since({ sessionId, seq: out.base });
      return frames === 'gone' ? [] : frames;
    });
  }

  /** Skips a number for the snapshot that takes the place of what is gone. @returns it */
  leap(sessionId: string): number {
    return this.#shrink(this.#stream(sessionId).out, (ring) => ring.leap());
  }

  /** A snapshot told the state as of `seq`. */
  told({ sessionId, seq }: Position): void {
    this.#stream(sessionId).in.reset(seq);
    this.#owe(sessionId);
  }

  /** Sets no timer any more, until the next message arrives. */
  pause(): void {
    this.#undoAck?.();
    this.#undoAck = undefined;
  }

  #stream(sessionId: string): Stream {
    let stream = this.#streams.get(sessionId);
    if (stream === undefined) {
      stream = { out: new Outbox(), in: new Inbox() };
      this.#streams.set(sessionId, stream);
    }
    return stream;
  }

  #owe(sessionId: string): void {
    this.#due.add(sessionId);
    if (++this.#arrived >= ACK_AT) this.#acknowledge();
    else this.#undoAck ??= this.deps.clock.after(ACK_AFTER, () => this.#acknowledge());
  }

  #acknowledge(): void {
    this.pause();
    this.#arrived = 0;
    const positions = [...this.#due].map((sessionId) => ({
      sessionId,
      seq: this.#stream(sessionId).in.last,
    }));
    this.#due.clear();
    if (positions.length > 0) this.deps.acknowledge(positions);
  }

  /** Does something to a ring that changes what it keeps. */
  #shrink<T>(ring: Outbox<Frame>, act: (ring: Outbox<Frame>) => T): T {
    const before = ring.bytes;
    const done = act(ring);
    this.#bytes += ring.bytes - before;
    return done;
  }
}
