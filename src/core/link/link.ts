import type { Clock, Undo } from '../ports';

/** How far a session's messages arrived. */
export interface Position {
  readonly sessionId: string;
  readonly seq: number;
}

/** A message that was sent and may have to be sent again. */
interface Frame {
  /** for `replace`: of the message, or of what it is about */
  readonly id: string;
  readonly text: string;
  /** of the text in UTF-8 */
  readonly bytes: number;
}

interface LinkDeps {
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
const MOST_BYTES = 32 * 1024 * 1024;

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
    if (this.#bytes > MOST_BYTES) this.#shrink(out, (ring) => ring.ack(ring.last));
    this.#due.delete(sessionId);
    return frame;
  }

  /**
   * Judges a message by its number and notes its `ack`; what has no number is always the next. Of
   * one session too many every number is a gap.
   */
  take(sessionId: string, seq: number | undefined, ack?: number): SequenceCheck {
    if (ack !== undefined) this.acked({ sessionId, seq: ack });
    if (seq === undefined) return 'next';
    if (this.#streams.size >= MOST_SESSIONS && !this.#streams.has(sessionId)) return 'gap';
    const check = this.#stream(sessionId).in.take(seq);
    if (check !== 'gap') this.#owe(sessionId);
    return check;
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

/** What a number says of its message: take it, drop it, or ask for what lies between. */
export type SequenceCheck = 'next' | 'duplicate' | 'gap';

/** One direction of a session, at the reader: lets each message through once and in order. */
export class Inbox {
  #last = 0;

  /** Everything up to here was let through. */
  get last(): number {
    return this.#last;
  }

  /** Judges a message, and counts it where it is the next. */
  take(seq: number): SequenceCheck {
    if (seq <= this.#last) return 'duplicate';
    if (seq !== this.#last + 1) return 'gap';
    this.#last = seq;
    return 'next';
  }

  /** The state as of `seq` is known from elsewhere; the next is the one after it. */
  reset(seq: number): void {
    this.#last = seq;
  }
}

/** How much one direction of a session keeps for a reader that may come back. */
export interface RingLimits {
  readonly messages: number;
  readonly bytes: number;
  /** ms */
  readonly age: number;
}

const RING: RingLimits = { messages: 4096, bytes: 8 * 1024 * 1024, age: 15 * 60_000 };

export interface KeptMessages<M> {
  readonly seq: number;
  readonly message: M;
  readonly bytes: number;
  /** ms, of the caller's clock */
  readonly at: number;
}

/** Where the reader is cannot be told or made good: it needs the whole state instead. */
type Gone = 'gone';

/**
 * One direction of a session, at the sender: gives each message its number, from 1 and without
 * holes, and keeps it until it is acknowledged or falls out of the ring. A message larger than the
 * ring is not kept at all.
 */
export class Outbox<M> {
  #kept: KeptMessages<M>[] = [];
  /** of `#kept`, how many at its front are trimmed; cut off when they are many */
  #trimmed = 0;
  #last = 0;
  #bytes = 0;

  constructor(private readonly limits: RingLimits = RING) {}

  /** The number given last; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** What is kept, in the bytes that `add` was told. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many are kept. */
  get size(): number {
    return this.#kept.length - this.#trimmed;
  }

  /** Everything up to here is acknowledged or fell out. */
  get base(): number {
    return this.#last - this.size;
  }

  /** The next message; its number is `last` afterwards. */
  add(message: M, bytes: number, now: number): void {
    this.#last++;
    this.#kept.push({ seq: this.#last, message, bytes, at: now });
    this.#bytes += bytes;
    this.prune(now);
  }

  /** All up to `seq` arrived. What was never sent can't have: such an `ack` is ignored. */
  ack(seq: number): void {
    if (seq > this.#last) return;
    this.#trim(seq - this.base);
  }

  /** What a reader that has everything up to `seq` lacks, in order. */
  since(seq: number, now: number): readonly KeptMessages<M>[] | Gone {
    this.prune(now);
    if (seq > this.#last || seq < this.base) return 'gone';
    return this.#kept.slice(this.#trimmed + seq - this.base);
  }

  /** Another message in the place of one that is still kept. @returns whether it was */
  replace(seq: number, message: M, bytes: number): boolean {
    const index = this.#trimmed + seq - this.base - 1;
    const kept = seq > this.base ? this.#kept[index] : undefined;
    if (kept === undefined) return false;
    this.#bytes += bytes - kept.bytes;
    this.#kept[index] = { ...kept, message, bytes };
    return true;
  }

  /** Takes a number for what is told in another way, and keeps nothing of before. @returns it */
  leap(): number {
    this.#trim(this.size);
    return ++this.#last;
  }

  /** Lets go of what is too old or too much. */
  prune(now: number): void {
    const { messages, bytes, age } = this.limits;
    for (let oldest = this.#kept[this.#trimmed]; oldest; oldest = this.#kept[this.#trimmed]) {
      const fits = this.size <= messages && this.#bytes <= bytes;
      if (fits && now - oldest.at <= age) return;
      this.#trim(1);
    }
  }

  #trim(count: number): void {
    for (let left = Math.min(count, this.size); left > 0; left--) {
      this.#bytes -= this.#kept[this.#trimmed++]?.bytes ?? 0;
    }
    // Cut off rarely, so that each message is moved about once.
    if (this.#trimmed < 64 || this.#trimmed * 2 < this.#kept.length) return;
    this.#kept = this.#kept.slice(this.#trimmed);
    this.#trimmed = 0;
  }
}
