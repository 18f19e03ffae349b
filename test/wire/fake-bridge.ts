import { decodeToBridge, encode } from '../../src/protocol/codec';
import { stamp, type Draft } from '../../src/protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../src/protocol/from-bridge';
import { CLOSE, offeredToken } from '../../src/protocol/handshake';
import type { ToBridge, ToBridgeOf, ToBridgeType } from '../../src/protocol/to-bridge';
import { linkedPair, type Peer } from './linked-pair';

export type BridgeDraft = Draft<FromBridge>;

/**
 * The bridge's side of the protocol, in memory: checks the token, answers `hello` and `ping`, keeps
 * what a client sent; a test does the rest. Use `open` as the client's transport.
 */
export class FakeBridge {
  /** messages of clients in order, except pings */
  readonly received: ToBridge[] = [];
  /** number of accepted connections */
  connections = 0;
  /** addresses that clients tried, including refused ones */
  readonly triedUrls: string[] = [];
  /** sessions listed in `welcome` */
  sessions: FromBridgeOf<'welcome'>['payload']['sessions'] = [];
  /** features named in `welcome`; undefined as from an old bridge */
  features: string[] | undefined;
  /** engine named in `welcome`; undefined as from an old bridge */
  engine: FromBridgeOf<'welcome'>['payload']['engine'];
  token = 'secret-token';
  /** false: nobody listens */
  isListening = true;
  /** false: frames are read but never answered */
  isAnswering = true;
  /** the code of a client's last close */
  closedWith: number | undefined;
  /** handles a message in the test's own way. Returns true if it did */
  answer: (message: ToBridge) => boolean = () => false;

  readonly open = linkedPair((peer) => this.#accept(peer));
  #peer: Peer | undefined;
  #count = 0;

  /** Messages of one type from clients. */
  all<T extends ToBridgeType>(type: T): ToBridgeOf<T>[] {
    return this.received.filter((message): message is ToBridgeOf<T> => message.type === type);
  }

  send(draft: BridgeDraft): void {
    this.sendRaw(encode(stamp(draft, `b${++this.#count}`, 1_000_000)));
  }

  /** Sends any frame, even an invalid one. */
  sendRaw(frame: string): void {
    this.#peer?.send(frame);
  }

  closeConnection(code: number, reason = ''): void {
    this.#peer?.close(code, reason);
  }

  welcome(replyTo?: string): void {
    const reply = replyTo === undefined ? {} : { replyTo };
    this.send({
      type: 'welcome',
      ...reply,
      payload: {
        epoch: 'epoch-1',
        bridge: '0.1.0',
        opencode: '1.18.33',
        directory: '/vault',
        sessions: this.sessions,
        ...(this.engine && { engine: this.engine }),
        ...(this.features && { features: this.features }),
        resumed: false,
      },
    });
  }

  created(sessionId: string, title: string, requestId?: string): void {
    const request = requestId === undefined ? {} : { requestId };
    const payload = { title, directory: '/vault', ...request };
    this.send({ type: 'session.created', sessionId, payload });
  }

  #accept(peer: Peer): boolean {
    this.triedUrls.push(peer.url);
    if (!this.isListening) return false;
    if (offeredToken(peer.protocols) !== this.token) {
      peer.close(CLOSE.token, 'token');
      return true;
    }
    this.connections++;
    this.#peer = peer;
    peer.onMessage = (text) => this.#receive(text);
    peer.onClose = (code) => void (this.closedWith = code);
    return true;
  }

  #receive(text: string): void {
    const decoded = decodeToBridge(text);
    if (!decoded.ok) throw new Error(`a client sent ${decoded.error.code}: ${text.slice(0, 200)}`);
    const { message } = decoded;
    if (message.type !== 'ping') this.received.push(message);
    if (!this.isAnswering || this.answer(message)) return;
    if (message.type === 'hello') this.welcome(message.id);
    if (message.type === 'ping') this.send({ type: 'pong', replyTo: message.id, payload: {} });
  }
}
