import type { Clock, Log } from '../core/ports';
import { decodeToBridge, encode } from '../protocol/codec';
import { stamp } from '../protocol/draft';
import { CLOSE } from '../protocol/handshake';
import type { ToBridge, ToBridgeOf } from '../protocol/to-bridge';
import { WireError } from '../protocol/wire-error';
import type { Client } from './client';
import type { Clients } from './clients';
import type { Desk } from './desk';
import { Peer } from './peer';
import type { RemoteCalls } from './remote-calls';
import type { FromDraft } from './translate';
import type { WebSocket } from 'ws';

export interface ConversationParts {
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly desk: Desk;
  readonly log: Log;
  /** the run file's random value: who repeats it can read this vault */
  readonly folder: string;
  /** unique for each message of this bridge */
  readonly nextId: () => string;
  /** counts up */
  readonly nextNumber: () => number;
}

/** One client from its first frame to its last: hello first, then every message to the desk. */
export class Conversation {
  private readonly peer: Peer;
  private client: Client | undefined;
  /** what happens while the welcome is put together, to be told after it */
  private held: FromDraft[] | undefined = [];

  constructor(
    private readonly parts: ConversationParts,
    socket: WebSocket,
  ) {
    this.peer = new Peer(socket, parts.clock, {
      frame: (text) => this.frame(text),
      closed: () => this.closed(),
    });
  }

  private frame(text: string): void {
    const decoded = decodeToBridge(text);
    if (!decoded.ok) {
      const { code, message, replyTo } = decoded.error;
      this.refuse(new WireError(code, message), replyTo);
      if (!this.client) this.peer.close(CLOSE.protocol, 'The first frame must be a hello.');
      return;
    }
    const { message, removed } = decoded;
    if (removed > 0) this.parts.log.note('Dangerous keys were removed.', { removed });
    if (this.client) void this.serve(this.client, message);
    else if (message.type === 'hello') void this.greet(message);
    else this.peer.close(CLOSE.protocol, 'The first frame must be a hello.');
  }

  private greet(hello: ToBridgeOf<'hello'>): Promise<void> {
    const { clients, desk, folder, nextNumber } = this.parts;
    const { payload } = hello;
    const client: Client = {
      number: nextNumber(),
      hello: payload,
      runsTools: payload.folder === folder && payload.capabilities.includes('tools'),
      sessions: new Set(),
      send: (draft) => void (this.held?.push(draft) ?? this.send(draft)),
    };
    this.client = client;
    clients.add(client);
    this.peer.greeted();
    return this.answer(hello, async () => {
      this.send({ type: 'welcome', payload: await desk.welcome() });
      const { held } = this;
      this.held = undefined;
      for (const draft of held ?? []) clients.deliver(client, draft);
    });
  }

  private serve(client: Client, message: ToBridge): Promise<void> {
    return this.answer(message, () => this.parts.desk.serve(client, message));
  }

  /** What was refused is told; nothing that a client sends ends in more than an error. */
  private async answer(message: ToBridge, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof WireError)) {
        this.parts.log.note('A request failed.', { type: message.type, error: String(error) });
      }
      const told =
        error instanceof WireError ? error : new WireError('internal', 'It failed.', true);
      this.refuse(told, message.id, message.sessionId);
    }
  }

  private refuse(error: WireError, replyTo?: string, sessionId?: string): void {
    const { code, message, retryable } = error;
    this.send({
      type: 'error',
      payload: { code, message, retryable },
      ...(replyTo !== undefined && { replyTo }),
      ...(sessionId !== undefined && { sessionId }),
    });
  }

  private send(draft: FromDraft): void {
    const { nextId, clock } = this.parts;
    this.peer.send(encode(stamp(draft, nextId(), clock.now())));
  }

  private closed(): void {
    if (!this.client) return;
    this.parts.clients.remove(this.client);
    this.parts.calls.closed(this.client);
  }
}
