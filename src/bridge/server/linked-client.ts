import { ackOf, Link, applyAcks, type Position, type SequenceCheck } from '../../core/link/link';
import type { Clock } from '../../core/ports';
import { encode, type StreamPosition } from '../../protocol/codec';
import { stamp, stampNumbered } from '../../protocol/envelope';
import { utf8Length } from '../../protocol/frame-limits';
import { CLOSE } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import type { Engine, FromDraft } from '../../core/engine/engine';
import type { Peer } from './peer';
import { snapshotPages } from './snapshot-pages';
import { isToken, TokenBuffer } from './token-buffer';

export interface LinkedClientDeps {
  readonly clock: Clock;
  /** unique for each message of this bridge */
  readonly nextId: () => string;
  readonly engine: Pick<Engine, 'snapshot'>;
}

/** Bytes not yet received above which the tokens of a part are joined… */
const JOIN_TOKENS_ABOVE = 1024 * 1024;

/** …and above which they are held back until the connection is closed, to be resumed. */
const HOLD_TOKENS_ABOVE = 4 * 1024 * 1024;

/** The capabilities that a client may announce in its hello. */
type Capability = 'tools' | 'permissions' | 'questions';

/**
 * A client that sent a hello, over any number of connections. Messages that it missed are kept,
 * within the limits of the ring.
 */
export class LinkedClient {
  /** ids of the sessions that it is attached to */
  readonly sessions = new Set<string>();
  readonly #link: Link;
  readonly #tokenBuffer = new TokenBuffer();
  /** sessions whose snapshot is being read, with the messages that arrived meanwhile */
  readonly #resyncs = new Map<string, FromDraft[]>();
  #socketState: ClientSocketState = { kind: 'away' };
  #hello: HelloPayload;
  #isTrusted = false;

  constructor(
    private readonly deps: LinkedClientDeps,
    /** identifies the numbering of its messages */
    readonly epoch: string,
    /** Increases with each new client, so the higher of two is newer. */
    readonly number: number,
    hello: HelloPayload,
  ) {
    this.#hello = hello;
    this.#link = new Link({
      clock: deps.clock,
      acknowledge: (positions) => this.#acknowledge(positions),
    });
  }

  /** Whether it is connected. */
  get isConnected(): boolean {
    return this.#socketState.kind === 'here';
  }

  /** Bytes of tokens that are held back. */
  get heldBytes(): number {
    return this.#tokenBuffer.bytes;
  }

  /** Bytes kept for it. */
  get bytes(): number {
    return this.#link.bytes + this.#tokenBuffer.bytes;
  }

  /** Whether it announced this capability and proved that it can read the vault. */
  offers(what: Capability): boolean {
    return this.#isTrusted && this.#hello.capabilities.includes(what);
  }

  /**
   * Attaches a new socket, replacing the current one.
   * @param proved whether it proved that it can read the vault
   * @returns false if the client has a newer socket
   */
  attach(peer: Peer, hello: HelloPayload, proved: boolean): boolean {
    if ((hello.attempt ?? Infinity) < (this.#hello.attempt ?? 0)) return false;
    const before = this.#socketState;
    this.#socketState = { kind: 'joining', peer, waiting: [] };
    this.#hello = hello;
    this.#isTrusted = proved;
    if (before.kind !== 'away') {
      before.peer.close(CLOSE.replaced, 'Another connection took this one’s place.');
    }
    return true;
  }

  /**
   * Sends the welcome, then the messages that the client missed.
   * @param from the last message received in each session; none was in sessions not listed
   * @returns whether the socket is still the client's
   */
  welcome(peer: Peer, welcome: FromDraft, from: readonly Position[]): boolean {
    if (this.#socketState.kind !== 'joining' || this.#socketState.peer !== peer) return false;
    const answers = this.#socketState.waiting;
    this.#socketState = { kind: 'here', peer };
    this.#sendUnnumbered(welcome);
    for (const text of answers) peer.send(text);
    const named = new Map(from.map(({ sessionId, seq }) => [sessionId, seq]));
    for (const { sessionId } of this.#link.positions()) {
      this.#replay(peer, { sessionId, seq: named.get(sessionId) ?? 0 });
    }
    this.#flush();
    return true;
  }

  /** Whether missed messages must be kept: it is attached to a session, or has capabilities. */
  get mayMiss(): boolean {
    return this.sessions.size > 0 || this.#hello.capabilities.length > 0;
  }

  /**
   * Call when a socket is closed.
   * @returns whether it was the client's current one
   */
  detach(peer: Peer): boolean {
    if (this.#socketState.kind === 'away' || this.#socketState.peer !== peer) return false;
    this.#socketState = { kind: 'away' };
    this.#link.pause();
    return true;
  }

  /** Drops the client for good. */
  forget(): void {
    this.#close(CLOSE.normal, 'The bridge ends.');
    this.#link.pause();
  }

  /** Checks a message's number: `gap` if a message before it is missing. */
  checkSequence(message: ToBridge): SequenceCheck {
    const { sessionId, seq, ack } = message;
    if (message.type === 'ack') applyAcks(this.#link, message.payload);
    return sessionId === undefined ? 'next' : this.#link.take(sessionId, seq, ack);
  }

  /** Counts a refused message as received, since it would otherwise be sent and refused again. */
  skip({ sessionId, seq }: StreamPosition): SequenceCheck {
    return this.#link.take(sessionId, seq);
  }

  /**
   * Sends a message. If the client is away, messages of a session are kept; others are answers on
   * the current connection, and are lost with it.
   * @throws WireError `too_large`
   */
  send(draft: FromDraft): void {
    const { sessionId } = draft;
    if (sessionId === undefined || !this.#isNumbered(draft)) return this.#sendUnnumbered(draft);
    const read = this.#resyncs.get(sessionId);
    if (read !== undefined) {
      // The snapshot includes tokens. It may include other messages too, but receiving them twice
      // does no harm.
      if (isToken(draft)) return;
      this.#encode(draft); // throws now if it could not be sent later
      read.push(draft);
      return;
    }
    if (isToken(draft) && this.#mustHold(sessionId)) {
      this.#tokenBuffer.add(draft);
      this.#limitHeld();
      return;
    }
    for (const token of this.#tokenBuffer.takeBefore(draft)) this.#sendNumbered(token);
    this.#sendNumbered(draft);
  }

  /** Withdraws a call that nobody waits for: if it hasn't been received yet, it won't be. */
  withdraw(sessionId: string, callId: string): void {
    this.#link.replace(sessionId, callId, (seq) => {
      const text = this.#encode({ type: 'ack', sessionId, seq, payload: {} });
      return { id: callId, text, bytes: utf8Length(text) };
    });
  }

  /** Call when the client has received data, so that held tokens can be sent. */
  flushIfRead(peer: Peer): void {
    const isHere = this.#socketState.kind === 'here' && this.#socketState.peer === peer;
    if (isHere && peer.unread <= HOLD_TOKENS_ABOVE) this.#flush();
  }

  /** Sends the snapshot of a session to replace messages that are no longer available. */
  async resync(sessionId: string): Promise<void> {
    if (this.#resyncs.has(sessionId)) return;
    const meanwhile: FromDraft[] = [];
    this.#resyncs.set(sessionId, meanwhile);
    this.#tokenBuffer.take(sessionId);
    const uptoSeq = this.#link.takeSnapshotNumber(sessionId);
    const pages = (await this.deps.engine.snapshot(sessionId))();
    this.#resyncs.delete(sessionId);
    const all = snapshotPages({ sessionId }, { uptoSeq, resync: true }, pages);
    for (const page of all) this.#sendUnnumbered(page);
    for (const draft of meanwhile) this.#sendNumbered(draft);
  }

  /**
   * Whether a message is numbered, and so survives the connection. Errors about an attached session
   * are; other errors and pages are not.
   */
  #isNumbered({ type, sessionId = '' }: FromDraft): boolean {
    if (type === 'error') return this.sessions.has(sessionId);
    return type !== 'snapshot' && type !== 'ack' && type !== 'welcome';
  }

  #mustHold(sessionId: string): boolean {
    return (
      this.#socketState.kind !== 'here' ||
      this.#socketState.peer.unread > JOIN_TOKENS_ABOVE ||
      this.#tokenBuffer.has(sessionId)
    );
  }

  #limitHeld(): void {
    if (this.#socketState.kind === 'here') this.#socketState.peer.closeIfTooSlow();
    else if (this.heldBytes > JOIN_TOKENS_ABOVE) this.#flush();
  }

  #replay(peer: Peer, position: Position): void {
    const missed = this.#link.since(position);
    if (missed === 'gone') {
      void this.resync(position.sessionId);
      return;
    }
    this.#link.acked(position);
    for (const { text, bytes } of missed) peer.send(text, bytes);
  }

  #flush(): void {
    for (const token of this.#tokenBuffer.take()) this.#sendNumbered(token);
  }

  #sendNumbered(draft: FromDraft): void {
    const { text, bytes } = this.#link.number(draft.sessionId ?? '', (seq, ack) => {
      const id = this.deps.nextId();
      const frame = encode(stampNumbered(draft, id, this.deps.clock.now(), seq, ack));
      const about = draft.type === 'tool.call' ? draft.payload.callId : id;
      return { id: about, text: frame, bytes: utf8Length(frame) };
    });
    if (this.#socketState.kind === 'here') this.#socketState.peer.send(text, bytes);
  }

  #sendUnnumbered(draft: FromDraft): void {
    if (this.#socketState.kind === 'away') return;
    const text = this.#encode(draft);
    if (this.#socketState.kind === 'here') this.#socketState.peer.send(text);
    else this.#socketState.waiting.push(text);
  }

  #encode(draft: FromDraft): string {
    return encode(stamp(draft, this.deps.nextId(), this.deps.clock.now()));
  }

  #acknowledge(positions: readonly Position[]): void {
    const draft = ackOf(positions);
    if (draft !== undefined) this.#sendUnnumbered(draft);
  }

  #close(code: number, reason: string): void {
    if (this.#socketState.kind !== 'away') this.#socketState.peer.close(code, reason);
  }
}

/** The connection of a client. While it is joining, answers wait for the welcome. */
type ClientSocketState =
  | { readonly kind: 'away' }
  | { readonly kind: 'joining'; readonly peer: Peer; readonly waiting: string[] }
  | { readonly kind: 'here'; readonly peer: Peer };
