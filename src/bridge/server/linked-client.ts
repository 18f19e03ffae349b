import { ackOf, Link, noteAlso, type Position, type SequenceCheck } from '../../core/link/link';
import type { Clock } from '../../core/ports';
import { encode, type StreamPlace } from '../../protocol/codec';
import { stamp, stampNumbered } from '../../protocol/envelope';
import { utf8Length } from '../../protocol/frame-limits';
import { CLOSE } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import type { Engine, FromDraft } from '../../core/engine/engine';
import type { Peer } from './peer';
import { snapshotPages } from './snapshot-pages';
import { isToken, TokenHold } from './token-hold';

export interface LinkedClientDeps {
  readonly clock: Clock;
  /** unique for each message of this bridge */
  readonly nextId: () => string;
  readonly engine: Pick<Engine, 'snapshot'>;
}

/** Above so much unread, bytes, tokens of one part are joined… */
const JOIN = 1024 * 1024;

/** …and above so much they wait, until the connection is closed, to be resumed. */
const WAIT = 4 * 1024 * 1024;

/** What a client may be able to do, as its hello says it. */
type Capability = 'tools' | 'permissions' | 'questions';

/**
 * A client that said hello, over as many connections as it takes: what it missed is kept, within
 * the ring.
 */
export class LinkedClient {
  /** ids of the sessions whose messages it gets */
  readonly sessions = new Set<string>();
  readonly #link: Link;
  readonly #hold = new TokenHold();
  /** sessions that are read anew, and what happens in them meanwhile */
  readonly #reading = new Map<string, FromDraft[]>();
  #place: ClientPlace = { kind: 'away' };
  #hello: HelloPayload;
  #proved = false;

  constructor(
    private readonly deps: LinkedClientDeps,
    /** names the numbering of its messages */
    readonly epoch: string,
    /** Counts up with each new client: of two, the higher is newer. */
    readonly number: number,
    hello: HelloPayload,
  ) {
    this.#hello = hello;
    this.#link = new Link({
      clock: deps.clock,
      acknowledge: (positions) => this.#acknowledge(positions),
    });
  }

  /** Connected at this moment. */
  get here(): boolean {
    return this.#place.kind === 'here';
  }

  /** Tokens that wait to be sent, in bytes. */
  get held(): number {
    return this.#hold.bytes;
  }

  /** What is kept for it, in bytes. */
  get bytes(): number {
    return this.#link.bytes + this.#hold.bytes;
  }

  /** Whether it said that it does this, and proved to read this vault. */
  offers(what: Capability): boolean {
    return this.#proved && this.#hello.capabilities.includes(what);
  }

  /**
   * A new socket, in the place of one that is still there; false where it comes after a newer.
   * @param proved whether it proved to read this vault
   */
  join(peer: Peer, hello: HelloPayload, proved: boolean): boolean {
    if ((hello.attempt ?? Infinity) < (this.#hello.attempt ?? 0)) return false;
    const before = this.#place;
    this.#place = { kind: 'joining', peer, waiting: [] };
    this.#hello = hello;
    this.#proved = proved;
    if (before.kind !== 'away') {
      before.peer.close(CLOSE.replaced, 'Another connection took this one’s place.');
    }
    return true;
  }

  /**
   * Says welcome, and then what was missed.
   * @param from how far each session arrived at the client; one that is not named, not at all
   * @returns whether the socket is still the client's
   */
  welcome(peer: Peer, welcome: FromDraft, from: readonly Position[]): boolean {
    if (this.#place.kind !== 'joining' || this.#place.peer !== peer) return false;
    const answers = this.#place.waiting;
    this.#place = { kind: 'here', peer };
    this.#plain(welcome);
    for (const text of answers) peer.send(text);
    const named = new Map(from.map(({ sessionId, seq }) => [sessionId, seq]));
    for (const { sessionId } of this.#link.positions()) {
      this.#replay(peer, { sessionId, seq: named.get(sessionId) ?? 0 });
    }
    this.#flush();
    return true;
  }

  /** Whether it follows a session, or is told what it has to answer: what it misses has to be kept. */
  get mayMiss(): boolean {
    return this.sessions.size > 0 || this.#hello.capabilities.length > 0;
  }

  /** The socket is gone; whether it was the client's own, and not one that lost its place. */
  left(peer: Peer): boolean {
    if (this.#place.kind === 'away' || this.#place.peer !== peer) return false;
    this.#place = { kind: 'away' };
    this.#link.pause();
    return true;
  }

  /** It won't come back. */
  forget(): void {
    this.#close(CLOSE.normal, 'The bridge ends.');
    this.#link.pause();
  }

  /** Judges a message by its number: `gap` where one before it is missing. */
  take(message: ToBridge): SequenceCheck {
    const { sessionId, seq, ack } = message;
    if (message.type === 'ack') noteAlso(this.#link, message.payload);
    return sessionId === undefined ? 'next' : this.#link.take(sessionId, seq, ack);
  }

  /** One that is refused has arrived all the same: it would come again, and be refused again. */
  skip({ sessionId, seq }: StreamPlace): SequenceCheck {
    return this.#link.take(sessionId, seq);
  }

  /**
   * Sends, or keeps for when it is back: what names a session. The rest is an answer on this
   * connection, and goes with it.
   * @throws WireError `too_large`
   */
  send(draft: FromDraft): void {
    const { sessionId } = draft;
    if (sessionId === undefined || !this.#isNumbered(draft)) return this.#plain(draft);
    const read = this.#reading.get(sessionId);
    if (read !== undefined) {
      // Tokens are in the snapshot; the rest may be, and does no harm twice.
      if (isToken(draft)) return;
      this.#text(draft); // throws now what could not be sent then
      read.push(draft);
      return;
    }
    if (isToken(draft) && this.#mustWait(sessionId)) {
      this.#hold.add(draft);
      this.#bound();
      return;
    }
    for (const token of this.#hold.before(draft)) this.#number(token);
    this.#number(draft);
  }

  /** A call that nobody waits for any more: if it did not arrive yet, it won't. */
  withdraw(sessionId: string, callId: string): void {
    this.#link.replace(sessionId, callId, (seq) => {
      const text = this.#text({ type: 'ack', sessionId, seq, payload: {} });
      return { id: callId, text, bytes: utf8Length(text) };
    });
  }

  /** The client received something: tokens may go on. */
  received(peer: Peer): void {
    const isHere = this.#place.kind === 'here' && this.#place.peer === peer;
    if (isHere && peer.unread <= WAIT) this.#flush();
  }

  /** Sends the state of a session in the place of what can't be sent again. */
  async resync(sessionId: string): Promise<void> {
    if (this.#reading.has(sessionId)) return;
    const meanwhile: FromDraft[] = [];
    this.#reading.set(sessionId, meanwhile);
    this.#hold.take(sessionId);
    const uptoSeq = this.#link.leap(sessionId);
    const pages = (await this.deps.engine.snapshot(sessionId))();
    this.#reading.delete(sessionId);
    const all = snapshotPages({ sessionId }, { uptoSeq, resync: true }, pages);
    for (const page of all) this.#plain(page);
    for (const draft of meanwhile) this.#number(draft);
  }

  /** Errors and pages answer on this connection; an error about a session it follows, does not. */
  #isNumbered({ type, sessionId = '' }: FromDraft): boolean {
    if (type === 'error') return this.sessions.has(sessionId);
    return type !== 'snapshot' && type !== 'ack' && type !== 'welcome';
  }

  #mustWait(sessionId: string): boolean {
    return (
      this.#place.kind !== 'here' || this.#place.peer.unread > JOIN || this.#hold.has(sessionId)
    );
  }

  #bound(): void {
    if (this.#place.kind === 'here') this.#place.peer.judge();
    else if (this.held > JOIN) this.#flush();
  }

  #replay(peer: Peer, position: Position): void {
    const lacks = this.#link.since(position);
    if (lacks === 'gone') {
      void this.resync(position.sessionId);
      return;
    }
    this.#link.acked(position);
    for (const { text, bytes } of lacks) peer.send(text, bytes);
  }

  #flush(): void {
    for (const token of this.#hold.take()) this.#number(token);
  }

  #number(draft: FromDraft): void {
    const { text, bytes } = this.#link.number(draft.sessionId ?? '', (seq, ack) => {
      const id = this.deps.nextId();
      const frame = encode(stampNumbered(draft, id, this.deps.clock.now(), seq, ack));
      const about = draft.type === 'tool.call' ? draft.payload.callId : id;
      return { id: about, text: frame, bytes: utf8Length(frame) };
    });
    if (this.#place.kind === 'here') this.#place.peer.send(text, bytes);
  }

  #plain(draft: FromDraft): void {
    if (this.#place.kind === 'away') return;
    const text = this.#text(draft);
    if (this.#place.kind === 'here') this.#place.peer.send(text);
    else this.#place.waiting.push(text);
  }

  #text(draft: FromDraft): string {
    return encode(stamp(draft, this.deps.nextId(), this.deps.clock.now()));
  }

  #acknowledge(positions: readonly Position[]): void {
    const draft = ackOf(positions);
    if (draft !== undefined) this.#plain(draft);
  }

  #close(code: number, reason: string): void {
    if (this.#place.kind !== 'away') this.#place.peer.close(code, reason);
  }
}

/** While it joins, answers wait for the welcome. */
type ClientPlace =
  | { readonly kind: 'away' }
  | { readonly kind: 'joining'; readonly peer: Peer; readonly waiting: string[] }
  | { readonly kind: 'here'; readonly peer: Peer };
