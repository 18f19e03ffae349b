/** How much one direction of a session keeps for a reader that may come back. */
export interface RingLimits {
  readonly messages: number;
  readonly bytes: number;
  /** ms */
  readonly age: number;
}

export const RING: RingLimits = { messages: 4096, bytes: 8 * 1024 * 1024, age: 15 * 60_000 };

export interface Kept<M> {
  readonly seq: number;
  readonly message: M;
  readonly bytes: number;
  /** ms, of the caller's clock */
  readonly at: number;
}

/** Where the reader is cannot be told or made good: it needs the whole state instead. */
export type Gone = 'gone';

/**
 * One direction of a session, at the sender: gives each message its number, from 1 and without
 * holes, and keeps it until it is acknowledged or falls out of the ring. A message larger than the
 * ring is not kept at all.
 */
export class Outbox<M> {
  #kept: Kept<M>[] = [];
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
  since(seq: number, now: number): readonly Kept<M>[] | Gone {
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
