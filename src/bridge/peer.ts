import type { WebSocket } from 'ws';
import type { Clock, Undo } from '../core/ports';
import { byteLength, MAX_FRAME_BYTES } from '../protocol/frame-limits';
import { CLOSE } from '../protocol/handshake';
import { FrameBudget } from './frame-budget';
import { Unread } from './unread';

export interface PeerHandlers {
  /** One whole text frame within the limits. */
  frame(text: string): void;
  /** More of what was sent is known to have arrived. */
  received(): void;
  /** Exactly once. */
  closed(): void;
}

/** From the upgrade to `hello`, ms. */
const HELLO_WITHIN = 3_000;
/** Between two signs of life that are asked for, ms. */
const BEAT = 10_000;
/** Silence after which a client is taken for dead, ms. */
const DEAD_AFTER = 25_000;
/** What a client may take to answer our close before its socket is cut, ms. */
const CLOSE_WITHIN = 1_000;

/**
 * One socket that came with the right token: its limits, its life, and how much it has before it.
 * Checked here and not left to the socket, since OpenCode's own `ws` ignores `maxPayload`.
 */
export class Peer {
  private readonly marks = new Unread();
  private readonly budget: FrameBudget;
  private heardAt: number;
  private undoTimer: Undo;
  private open = true;

  constructor(
    private readonly socket: WebSocket,
    private readonly clock: Clock,
    private readonly handlers: PeerHandlers,
  ) {
    this.heardAt = clock.now();
    this.budget = new FrameBudget(this.heardAt);
    this.undoTimer = clock.after(HELLO_WITHIN, () =>
      this.close(CLOSE.protocol, 'No hello in 3 s.'),
    );
    socket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    socket.on('pong', (data) => {
      this.heardAt = this.clock.now();
      this.marks.echo(data.toString());
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
  send(text: string, bytes = byteLength(text)): void {
    if (!this.open) return;
    const { mark, tooSlow } = this.marks.add(bytes);
    if (tooSlow) {
      this.close(CLOSE.tooSlow, 'Too slow: 8 MiB are unread. Connect again and resume.');
      return;
    }
    this.attempt(() => this.socket.send(text));
    if (mark !== undefined) this.attempt(() => this.socket.ping(mark));
  }

  /** Nothing is heard from it any more. May be called twice. */
  close(code: number, reason: string): void {
    if (!this.open) return;
    this.ended();
    closeSocket(this.socket, this.clock, code, reason);
  }

  private receive(data: Buffer, isBinary: boolean): void {
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
    this.handlers.closed();
  }
}

/** Says why, and cuts the line where the other side doesn't answer. */
export function closeSocket(socket: WebSocket, clock: Clock, code: number, reason: string): void {
  const undo = clock.after(CLOSE_WITHIN, () => socket.terminate());
  socket.on('close', undo);
  socket.close(code, reason);
}
