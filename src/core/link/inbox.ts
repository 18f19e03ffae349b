/** What a number says of its message: take it, drop it, or ask for what lies between. */
export type Fate = 'next' | 'duplicate' | 'gap';

/** One direction of a session, at the reader: lets each message through once and in order. */
export class Inbox {
  #last = 0;

  /** Everything up to here was let through. */
  get last(): number {
    return this.#last;
  }

  /** Judges a message, and counts it where it is the next. */
  take(seq: number): Fate {
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
