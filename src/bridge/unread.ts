/** A client that has more before it than this is too slow: 8 MiB, in bytes. */
export const MOST_UNREAD = 8 * 1024 * 1024;
/** A marker is sent whenever so much was sent since the last: 64 KiB, in bytes. */
const MARK_EVERY = 64 * 1024;

/**
 * How much of what was sent a client has not received. The socket can't tell (inside OpenCode its
 * buffer counts as empty until it is huge), so marks (pings) travel in the stream: their echo says
 * that all before them arrived.
 */
export class Unread {
  private sent = 0;
  private arrived = 0;
  private marked = 0;

  /** Sent and not known to have arrived. */
  get bytes(): number {
    return this.sent - this.arrived;
  }

  /** Counts a frame; says whether a mark is due after it, and whether the client is too slow. */
  add(bytes: number): { readonly mark: string | undefined; readonly tooSlow: boolean } {
    this.sent += bytes;
    const due = this.sent - this.marked >= MARK_EVERY;
    if (due) this.marked = this.sent;
    return { mark: due ? String(this.sent) : undefined, tooSlow: this.bytes > MOST_UNREAD };
  }

  /** The echo of a mark. One that was never sent is ignored. */
  echo(mark: string): void {
    const at = /^\d{1,15}$/.test(mark) ? Number(mark) : 0;
    if (at <= this.marked) this.arrived = Math.max(this.arrived, at);
  }
}
