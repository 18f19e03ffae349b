import type { Clock, Undo } from '../../core/ports';
import { utf8Length, MAX_FRAME_BYTES } from '../../protocol/frame-limits';
import { CLOSE } from '../../protocol/handshake';

/** The part of a socket that a peer uses: of `ws`, or of a pipe in memory. */
export interface PeerSocket {
  on(event: 'message', hear: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: 'pong', hear: (mark: unknown) => void): unknown;
  on(event: 'error' | 'close', hear: () => void): unknown;
  send(text: string): void;
  ping(mark: string): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

interface PeerHandlers {
  /** Called for each text frame within the limits. */
  frame(text: string): void;
  /** Called when more of what was sent has arrived. */
  received(): void;
  /** Returns the bytes that are held back for it. */
  held(): number;
  /** Called exactly once. */
  closed(): void;
}

/** ms from the connection to `hello`. */
const HELLO_TIMEOUT = 3_000;

/** ms between two pings. */
const PING_INTERVAL = 10_000;

/** ms of silence after which a client counts as dead. */
const DEAD_AFTER = 25_000;

/** Unread bytes above which a client is too slow if it reads nothing… */
const MAX_UNREAD = 8 * 1024 * 1024;

/** …and above which it is too slow in any case. */
const MAX_UNREAD_ALWAYS = 32 * 1024 * 1024;

/**
 * ms between checks of whether it reads. Pongs sent in between have arrived by the second check.
 */
const CHECK_INTERVAL = 1_000;

/** Checks without progress after which it is too slow. */
const MAX_STALLED_CHECKS = 2;

/** ms for a client to answer our close before its socket is cut. */
const CLOSE_TIMEOUT = 1_000;

/**
 * A socket with a valid token: enforces its limits, checks that it is alive, and tracks how much is
 * unread.
 */
export class Peer {
  private readonly marks = new UnreadCounter();
  private readonly budget: FrameBudget;
  private lastReceivedAt: number;
  private undoTimer: Undo;
  /** set while too much is unread */
  private undoCheck: Undo | undefined;
  private open = true;

  /** @param since when the connection was opened; ms of the clock */
  constructor(
    private readonly socket: PeerSocket,
    private readonly clock: Clock,
    private readonly handlers: PeerHandlers,
    since: number,
  ) {
    this.lastReceivedAt = clock.now();
    this.budget = new FrameBudget(this.lastReceivedAt);
    this.undoTimer = clock.after(since + HELLO_TIMEOUT - this.lastReceivedAt, () =>
      this.close(CLOSE.protocol, 'No hello in 3 s.'),
    );
    socket.on('message', (data, isBinary) => this.receive(data as Buffer | string, isBinary));
    socket.on('pong', (data) => {
      this.lastReceivedAt = this.clock.now();
      this.marks.echo(String(data));
      if (this.open) this.handlers.received();
    });
    // An error without a listener would end the process. A close event always follows it.
    socket.on('error', () => undefined);
    socket.on('close', () => this.handleClosed());
  }

  /** Bytes sent but not confirmed as received. */
  get unread(): number {
    return this.marks.bytes;
  }

  /** Call after the hello. From then on, the client must only stay alive. */
  startPings(): void {
    this.undoTimer();
    this.ping();
  }

  /** @param bytes of the text in UTF-8, if known */
  send(text: string, bytes = utf8Length(text)): void {
    if (!this.open) return;
    const mark = this.marks.add(bytes);
    if (!this.closeIfTooSlow()) return;
    this.attempt(() => this.socket.send(text));
    if (mark !== undefined) this.attempt(() => this.socket.ping(mark));
  }

  /**
   * Closes a client that is too slow. A large amount may be sent at once, before the client can
   * read or confirm anything, so what counts is whether it makes progress.
   * @returns false if it was closed
   */
  closeIfTooSlow(): boolean {
    const before = this.unread + this.handlers.held();
    if (before > MAX_UNREAD_ALWAYS) this.tooSlow();
    else if (before > MAX_UNREAD && this.undoCheck === undefined)
      this.watchProgress(MAX_STALLED_CHECKS);
    return before <= MAX_UNREAD_ALWAYS;
  }

  private watchProgress(left: number): void {
    const { received } = this.marks;
    this.undoCheck = this.clock.after(CHECK_INTERVAL, () => {
      this.undoCheck = undefined;
      if (this.unread + this.handlers.held() <= MAX_UNREAD) return;
      if (this.marks.received > received) this.watchProgress(MAX_STALLED_CHECKS);
      else if (left > 1) this.watchProgress(left - 1);
      else this.tooSlow();
    });
  }

  private tooSlow(): void {
    this.close(CLOSE.tooSlow, 'Too slow: 8 MiB are unread. Connect again and resume.');
  }

  /** Closes the socket. Nothing is received from it afterwards. May be called twice. */
  close(code: number, reason: string): void {
    if (!this.open) return;
    this.handleClosed();
    closeSocket(this.socket, this.clock, code, reason);
  }

  private receive(data: Buffer | string, isBinary: boolean): void {
    if (!this.open) return;
    this.lastReceivedAt = this.clock.now();
    if (data.length > MAX_FRAME_BYTES) this.close(CLOSE.tooLarge, 'A frame has 1 MiB at most.');
    else if (isBinary) this.close(CLOSE.protocol, 'Text frames only.');
    else if (!this.budget.take(this.lastReceivedAt)) this.close(CLOSE.protocol, 'Too many frames.');
    else this.handlers.frame(data.toString());
  }

  private ping(): void {
    const silent = this.clock.now() - this.lastReceivedAt;
    if (silent >= DEAD_AFTER) {
      this.close(CLOSE.dead, 'Nothing was heard for 25 s.');
      return;
    }
    this.attempt(() => this.socket.ping(''));
    if (!this.open) return;
    const wait = Math.min(PING_INTERVAL, DEAD_AFTER - silent);
    this.undoTimer = this.clock.after(wait, () => this.ping());
  }

  /** Runs an action on the socket, which may throw if it is gone. Then it counts as closed. */
  private attempt(act: () => void): void {
    try {
      act();
    } catch {
      this.socket.terminate();
      this.handleClosed();
    }
  }

  private handleClosed(): void {
    if (!this.open) return;
    this.open = false;
    this.undoTimer();
    this.undoCheck?.();
    this.handlers.closed();
  }
}

/** Closes a socket with a reason, and cuts it if the other side doesn't answer. */
export function closeSocket(socket: PeerSocket, clock: Clock, code: number, reason: string): void {
  const undo = clock.after(CLOSE_TIMEOUT, () => socket.terminate());
  socket.on('close', undo);
  socket.close(code, reason);
}

/** Bytes between two marks: 64 KiB. */
const MARK_EVERY = 64 * 1024;

/**
 * Tracks how much of what was sent a client has received. The socket can't tell: within OpenCode,
 * its buffer counts as empty until it is huge. So marks (pings) are sent in the stream; the pong of
 * a mark confirms everything before it.
 */
export class UnreadCounter {
  private sent = 0;
  private arrived = 0;
  private marked = 0;

  /** Bytes sent but not confirmed as received. */
  get bytes(): number {
    return this.sent - this.arrived;
  }

  /** Bytes confirmed as received; never decreases. */
  get received(): number {
    return this.arrived;
  }

  /**
   * Counts a frame.
   * @returns the mark to send after it; undefined if none is due
   */
  add(bytes: number): string | undefined {
    this.sent += bytes;
    const due = this.sent - this.marked >= MARK_EVERY;
    if (due) this.marked = this.sent;
    return due ? String(this.sent) : undefined;
  }

  /** Handles the echo of a mark. Ignores marks that were never sent. */
  echo(mark: string): void {
    const at = /^\d{1,15}$/.test(mark) ? Number(mark) : 0;
    if (at <= this.marked) this.arrived = Math.max(this.arrived, at);
  }
}

/**
 * Frames that a client may send at once. Attaching to all sessions of a large vault takes
 * thousands.
 */
const BURST = 5_000;

/** Frames per second in the long run; far more than a person and an app need. */
const PER_SECOND = 200;

/** Limits a client's frames with a token bucket. */
export class FrameBudget {
  private left = BURST;

  /** @param at current time in ms, of a monotonic clock */
  constructor(private at: number) {}

  /**
   * Takes one frame from the budget.
   * @returns false if it is used up
   */
  take(now: number): boolean {
    const passed = Math.max(0, now - this.at);
    this.left = Math.min(BURST, this.left + (passed * PER_SECOND) / 1000);
    this.at = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
