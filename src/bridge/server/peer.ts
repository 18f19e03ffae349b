import type { Clock, Undo } from '../../core/ports';
import { utf8Length, MAX_FRAME_BYTES } from '../../protocol/frame-limits';
import { CLOSE } from '../../protocol/handshake';

/** What a peer needs of a socket: one of `ws`, or the end of a pipe in memory. */
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
  /** One whole text frame within the limits. */
  frame(text: string): void;
  /** More of what was sent is known to have arrived. */
  received(): void;
  /** Bytes that wait to be sent to it. */
  held(): number;
  /** Exactly once. */
  closed(): void;
}

/** From the connection to `hello`, ms. */
const HELLO_WITHIN = 3_000;

/** Between two signs of life that are asked for, ms. */
const BEAT = 10_000;

/** Silence after which a client is taken for dead, ms. */
const DEAD_AFTER = 25_000;

/** A client that has more before it than this, bytes, and reads none of it, is too slow… */
const MOST_UNREAD = 8 * 1024 * 1024;

/** …and with more than this it is whatever it reads. */
const MOST_EVER = 32 * 1024 * 1024;

/** How often it is looked whether it reads, ms; what came meanwhile is known by the second look. */
const LOOK_EVERY = 1_000;

/** Looks in which nothing was read until it is too slow. */
const LOOKS = 2;

/** What a client may take to answer our close before its socket is cut, ms. */
const CLOSE_WITHIN = 1_000;

/** One socket that came with the right token: its limits, its life, and how much it has before it. */
export class Peer {
  private readonly marks = new Unread();
  private readonly budget: FrameBudget;
  private heardAt: number;
  private undoTimer: Undo;
  /** set while it has too much before it */
  private undoLook: Undo | undefined;
  private open = true;

  /** @param since when its connection was opened, ms of the clock */
  constructor(
    private readonly socket: PeerSocket,
    private readonly clock: Clock,
    private readonly handlers: PeerHandlers,
    since: number,
  ) {
    this.heardAt = clock.now();
    this.budget = new FrameBudget(this.heardAt);
    this.undoTimer = clock.after(since + HELLO_WITHIN - this.heardAt, () =>
      this.close(CLOSE.protocol, 'No hello in 3 s.'),
    );
    socket.on('message', (data, isBinary) => this.receive(data as Buffer | string, isBinary));
    socket.on('pong', (data) => {
      this.heardAt = this.clock.now();
      this.marks.echo(String(data));
      if (this.open) this.handlers.received();
    });
    // Without a listener an error would end the process; a close always follows it.
    socket.on('error', () => undefined);
    socket.on('close', () => this.ended());
  }

  /** Bytes that were sent and are not known to have arrived. */
  get unread(): number {
    return this.marks.bytes;
  }

  /** It said hello: from now on it only has to be alive. */
  greeted(): void {
    this.undoTimer();
    this.beat();
  }

  /** @param bytes of the text in UTF-8, where they are known */
  send(text: string, bytes = utf8Length(text)): void {
    if (!this.open) return;
    const mark = this.marks.add(bytes);
    if (!this.judge()) return;
    this.attempt(() => this.socket.send(text));
    if (mark !== undefined) this.attempt(() => this.socket.ping(mark));
  }

  /**
   * Closes a client that is too slow. Much may come in one moment, in which nobody could read and no
   * sign of reading could be heard: so it counts whether it reads.
   * @returns false where it was closed
   */
  judge(): boolean {
    const before = this.unread + this.handlers.held();
    if (before > MOST_EVER) this.tooSlow();
    else if (before > MOST_UNREAD && this.undoLook === undefined) this.look(LOOKS);
    return before <= MOST_EVER;
  }

  private look(left: number): void {
    const { received } = this.marks;
    this.undoLook = this.clock.after(LOOK_EVERY, () => {
      this.undoLook = undefined;
      if (this.unread + this.handlers.held() <= MOST_UNREAD) return;
      if (this.marks.received > received) this.look(LOOKS);
      else if (left > 1) this.look(left - 1);
      else this.tooSlow();
    });
  }

  private tooSlow(): void {
    this.close(CLOSE.tooSlow, 'Too slow: 8 MiB are unread. Connect again and resume.');
  }

  /** Nothing is heard from it any more. May be called twice. */
  close(code: number, reason: string): void {
    if (!this.open) return;
    this.ended();
    closeSocket(this.socket, this.clock, code, reason);
  }

  private receive(data: Buffer | string, isBinary: boolean): void {
    if (!this.open) return;
    this.heardAt = this.clock.now();
    if (data.length > MAX_FRAME_BYTES) this.close(CLOSE.tooLarge, 'A frame has 1 MiB at most.');
    else if (isBinary) this.close(CLOSE.protocol, 'Text frames only.');
    else if (!this.budget.take(this.heardAt)) this.close(CLOSE.protocol, 'Too many frames.');
    else this.handlers.frame(data.toString());
  }

  private beat(): void {
    const silent = this.clock.now() - this.heardAt;
    if (silent >= DEAD_AFTER) {
      this.close(CLOSE.dead, 'Nothing was heard for 25 s.');
      return;
    }
    this.attempt(() => this.socket.ping(''));
    if (!this.open) return;
    const wait = Math.min(BEAT, DEAD_AFTER - silent);
    this.undoTimer = this.clock.after(wait, () => this.beat());
  }

  /** A socket that is gone may say so by an error; no caller has to know. */
  private attempt(act: () => void): void {
    try {
      act();
    } catch {
      this.socket.terminate();
      this.ended();
    }
  }

  private ended(): void {
    if (!this.open) return;
    this.open = false;
    this.undoTimer();
    this.undoLook?.();
    this.handlers.closed();
  }
}

/** Says why, and cuts the line where the other side doesn't answer. */
export function closeSocket(socket: PeerSocket, clock: Clock, code: number, reason: string): void {
  const undo = clock.after(CLOSE_WITHIN, () => socket.terminate());
  socket.on('close', undo);
  socket.close(code, reason);
}

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

  /** Of all that was sent, how much is known to have arrived; it only grows. */
  get received(): number {
    return this.arrived;
  }

  /** Counts a frame. @returns the mark that is due after it, or undefined */
  add(bytes: number): string | undefined {
    this.sent += bytes;
    const due = this.sent - this.marked >= MARK_EVERY;
    if (due) this.marked = this.sent;
    return due ? String(this.sent) : undefined;
  }

  /** The echo of a mark. One that was never sent is ignored. */
  echo(mark: string): void {
    const at = /^\d{1,15}$/.test(mark) ? Number(mark) : 0;
    if (at <= this.marked) this.arrived = Math.max(this.arrived, at);
  }
}

/** Frames a client may send at once: attaching to every session of a large vault takes thousands. */
const BURST = 5_000;

/** Frames a second in the long run; a person and an app stay far below. */
const PER_SECOND = 200;

/** Counts a client's frames against what it may send: a bucket that fills with time. */
export class FrameBudget {
  private left = BURST;

  /** @param at ms, of a clock that only goes forward */
  constructor(private at: number) {}

  /** Takes one frame; false where there is none left. */
  take(now: number): boolean {
    const passed = Math.max(0, now - this.at);
    this.left = Math.min(BURST, this.left + (passed * PER_SECOND) / 1000);
    this.at = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
