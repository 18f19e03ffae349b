import type { Clock, Undo } from '../ports';

/** The number of the last message of a session that arrived. */
export interface Position {
  readonly sessionId: string;
  readonly seq: number;
}

/** A message that was sent and may have to be sent again. */
interface Frame {
  /** of the message, or of what it is about; `replace` finds frames by it */
  readonly id: string;
  readonly text: string;
  /** size of the text in UTF-8 */
  readonly bytes: number;
}

interface LinkDeps {
  readonly clock: Clock;
  /** Sends an acknowledgement to the other end; never called with an empty list. */
  readonly acknowledge: (positions: readonly Position[]) => void;
}

interface Stream {
  readonly out: Outbox<Frame>;
  readonly in: Inbox;
}

/** Messages are acknowledged after this time, ms, if no outgoing message carries the number… */
const ACK_AFTER = 200;

/** …or as soon as so many have arrived: an eighth of the other end's ring. */
const ACK_AT = 512;

/** Sessions that the other end may number; a vault lists 500. */
const MAX_SESSIONS = 4096;

/** Maximum bytes kept for all sessions together; a session that exceeds it loses what it kept. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * One end of a link: numbers the messages of every session, in both directions. It outlives
 * connections and ends with the epoch.
 */
export class Link {
  readonly #streams = new Map<string, Stream>();
  /** sessions with messages that arrived and are not acknowledged yet */
  readonly #due = new Set<string>();
  #arrived = 0;
  #bytes = 0;
  #undoAck: Undo | undefined;

  constructor(private readonly deps: LinkDeps) {}

  /** Bytes kept for sending again. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Numbers a session's next message and keeps it.
   * @param make makes the frame with its number and the last number that arrived in the other
   * direction; if it throws, no number is used up
   */
  number(sessionId: string, make: (seq: number, ack: number | undefined) => Frame): Frame {
    const { out, in: inbox } = this.#stream(sessionId);
    const frame = make(out.last + 1, inbox.last === 0 ? undefined : inbox.last);
    const before = out.bytes;
    out.add(frame, frame.bytes, this.deps.clock.now());
    this.#bytes += out.bytes - before;
    if (this.#bytes > MAX_BYTES) this.#updateBytes(out, (ring) => ring.drop());
    this.#due.delete(sessionId);
    return frame;
  }

  /**
   * Checks a message by its number and applies its `ack`; a message without a number is always
   * `next`. For a session beyond the maximum, every number is a gap.
   */
  take(sessionId: string, seq: number | undefined, ack?: number): SequenceCheck {
    if (ack !== undefined) this.acked({ sessionId, seq: ack });
    if (seq === undefined) return 'next';
    if (this.#streams.size >= MAX_SESSIONS && !this.#streams.has(sessionId)) return 'gap';
    const check = this.#stream(sessionId).in.take(seq);
    if (check !== 'gap') this.#scheduleAck(sessionId);
    return check;
  }

  /** Drops what the other end has received: a session's messages up to `seq`. */
  acked({ sessionId, seq }: Position): void {
    const stream = this.#streams.get(sessionId);
    if (stream !== undefined) this.#updateBytes(stream.out, (ring) => ring.ack(seq));
  }

  /** Replaces every kept frame that has this id. */
  replace(sessionId: string, id: string, make: (seq: number) => Frame): void {
    const out = this.#streams.get(sessionId)?.out;
    const kept = out?.since(out.base, this.deps.clock.now()) ?? 'gone';
    if (out === undefined || kept === 'gone') return;
    for (const { seq, message } of kept) {
      if (message.id !== id) continue;
      const frame = make(seq);
      this.#updateBytes(out, (ring) => ring.replace(seq, frame, frame.bytes));
    }
  }

  /** The last number that arrived of each session, to send on reconnecting. */
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

  /** The messages after `seq`, which the other end lacks. */
  since({ sessionId, seq }: Position): readonly Frame[] | Gone {
    const out = this.#streams.get(sessionId)?.out;
    if (out === undefined) return seq === 0 ? [] : 'gone';
    const kept = this.#updateBytes(out, (ring) => ring.since(seq, this.deps.clock.now()));
    return kept === 'gone' ? kept : kept.map(({ message }) => message);
  }

  /** All kept messages, in order within each session. */
  unacknowledged(): readonly Frame[] {
    return [...this.#streams].flatMap(([sessionId, { out }]) => {
      const frames = this.since({ sessionId, seq: out.base });
      return frames === 'gone' ? [] : frames;
    });
  }

  /** Whether a message that the other end may lack is no longer kept. */
  hasHole(): boolean {
    const now = this.deps.clock.now();
    const holed = [...this.#streams.values()].filter(({ out }) =>
      this.#updateBytes(out, (ring) => ring.hasHole(now)),
    );
    return holed.length > 0;
  }

  /** Takes a number for a snapshot that replaces messages that are gone. @returns the number */
  takeSnapshotNumber(sessionId: string): number {
    return this.#updateBytes(this.#stream(sessionId).out, (ring) => ring.takeSnapshotNumber());
  }

  /** Call when a snapshot has delivered the state as of `seq`. */
  snapshotDelivered({ sessionId, seq }: Position): void {
    this.#stream(sessionId).in.reset(seq);
    this.#scheduleAck(sessionId);
  }

  /** Cancels the timer; the next message that arrives starts it again. */
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

  #scheduleAck(sessionId: string): void {
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

  /** Runs an action that changes what a ring keeps, and updates the sum of bytes. */
  #updateBytes<T>(ring: Outbox<Frame>, act: (ring: Outbox<Frame>) => T): T {
    const before = ring.bytes;
    const done = act(ring);
    this.#bytes += ring.bytes - before;
    return done;
  }
}

/** The payload of an `ack`: acknowledgements of further sessions. */
interface AckPayload {
  readonly also?: readonly { readonly sessionId: string; readonly ack: number }[] | undefined;
}

/** Applies the acknowledgements of further sessions in an `ack`. */
export function applyAcks(link: Link, { also = [] }: AckPayload): void {
  for (const { sessionId, ack } of also) link.acked({ sessionId, seq: ack });
}

/** One `ack` for all of these sessions; undefined if there are none. */
export function ackOf([first, ...rest]: readonly Position[]) {
  if (first === undefined) return undefined;
  const also = rest.map(({ sessionId, seq }) => ({ sessionId, ack: seq }));
  const payload = also.length === 0 ? {} : { also };
  return { type: 'ack', sessionId: first.sessionId, ack: first.seq, payload } as const;
}

/** What to do with a message by its number: accept it, drop it, or request the missing ones. */
export type SequenceCheck = 'next' | 'duplicate' | 'gap';

/** The receiver of one direction of a session: accepts each message once and in order. */
export class Inbox {
  #last = 0;

  /** The number of the last accepted message. */
  get last(): number {
    return this.#last;
  }

  /** Checks a message, and counts it if it is the next one. */
  take(seq: number): SequenceCheck {
    if (seq <= this.#last) return 'duplicate';
    if (seq !== this.#last + 1) return 'gap';
    this.#last = seq;
    return 'next';
  }

  /** Continues after `seq`: a snapshot delivered the state up to it. */
  reset(seq: number): void {
    this.#last = seq;
  }
}

/** How much one direction of a session keeps for a receiver that may reconnect. */
export interface RingLimits {
  readonly messages: number;
  readonly bytes: number;
  /** ms */
  readonly age: number;
}

const RING: RingLimits = { messages: 4096, bytes: 8 * 1024 * 1024, age: 15 * 60_000 };

export interface KeptMessage<M> {
  readonly seq: number;
  readonly message: M;
  readonly bytes: number;
  /** ms, of the caller's clock */
  readonly at: number;
}

/** The receiver's position is unknown or no longer kept: it needs a snapshot instead. */
type Gone = 'gone';

/**
 * The sender of one direction of a session: numbers its messages from 1 without gaps, and keeps
 * each until it is acknowledged or falls out of the ring. A message larger than the ring is not
 * kept at all.
 */
export class Outbox<M> {
  #kept: KeptMessage<M>[] = [];
  /**
   * how many entries at the front of `#kept` are dropped already; they are cut off when they are
   * many
   */
  #trimmed = 0;
  #last = 0;
  #acked = 0;
  #bytes = 0;

  constructor(private readonly limits: RingLimits = RING) {}

  /** The last number given; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Sum of the `bytes` of the messages kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many messages are kept. */
  get size(): number {
    return this.#kept.length - this.#trimmed;
  }

  /** The last number that is acknowledged or fell out of the ring. */
  get base(): number {
    return this.#last - this.size;
  }

  /** Adds the next message; its number is `last` afterwards. */
  add(message: M, bytes: number, now: number): void {
    this.#last++;
    this.#kept.push({ seq: this.#last, message, bytes, at: now });
    this.#bytes += bytes;
    this.prune(now);
  }

  /** Drops messages up to `seq`. Ignores a number that was never sent. */
  ack(seq: number): void {
    if (seq > this.#last) return;
    this.#acked = Math.max(this.#acked, seq);
    this.#trim(seq - this.base);
  }

  /** Drops all that is kept. */
  drop(): void {
    this.#trim(this.size);
  }

  /** Whether a message fell out of the ring that was not acknowledged. */
  hasHole(now: number): boolean {
    this.prune(now);
    return this.base > this.#acked;
  }

  /** The messages after `seq`, in order. */
  since(seq: number, now: number): readonly KeptMessage<M>[] | Gone {
    this.prune(now);
    if (seq > this.#last || seq < this.base) return 'gone';
    return this.#kept.slice(this.#trimmed + seq - this.base);
  }

  /** Replaces a message that is still kept. @returns whether it was */
  replace(seq: number, message: M, bytes: number): boolean {
    const index = this.#trimmed + seq - this.base - 1;
    const kept = seq > this.base ? this.#kept[index] : undefined;
    if (kept === undefined) return false;
    this.#bytes += bytes - kept.bytes;
    this.#kept[index] = { ...kept, message, bytes };
    return true;
  }

  /** Takes a number for a snapshot, and drops all that is kept. @returns the number */
  takeSnapshotNumber(): number {
    this.drop();
    return ++this.#last;
  }

  /** Drops messages that are too old or exceed the limits. */
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
