import type { Clock, Log, Undo } from '../../core/ports';
import type { CreatedDraft, FromDraft } from '../../core/engine/engine';
import type { LinkedClient } from './linked-client';
import type { LiveParts } from './token-buffer';

/** ms after which a disconnected client is dropped. */
const RECONNECT_GRACE = 15 * 60_000;

/** Most disconnected clients that are kept. */
const MAX_DISCONNECTED = 8;

/** All clients that sent a hello, including those that may reconnect. Delivers messages to them. */
export class Clients {
  private readonly all = new Set<LinkedClient>();
  /** disconnected clients, in the order in which they left */
  private readonly disconnected = new Map<LinkedClient, Undo>();

  constructor(
    private readonly log: Log,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly live: Pick<LiveParts, 'heard'>,
  ) {}

  add(client: LinkedClient): void {
    this.all.add(client);
  }

  /** The client with this epoch, connected or not. */
  find(epoch: string): LinkedClient | undefined {
    return [...this.all].find((client) => client.epoch === epoch);
  }

  /** Call when a client has reconnected. */
  handleReconnect(client: LinkedClient): void {
    this.disconnected.get(client)?.();
    this.disconnected.delete(client);
  }

  /** Call when a client's connection broke. It is kept for a while if it may miss messages. */
  handleDisconnect(client: LinkedClient): void {
    if (!client.mayMiss) {
      this.forget(client);
      return;
    }
    this.disconnected.set(
      client,
      this.clock.after(RECONNECT_GRACE, () => this.forget(client)),
    );
    const [first] = this.disconnected.keys();
    if (this.disconnected.size > MAX_DISCONNECTED && first !== undefined) this.forget(first);
  }

  /** Drops all clients. */
  close(): void {
    for (const client of [...this.all]) this.forget(client);
  }

  /** Sends a message to all clients attached to its session. */
  publish(draft: FromDraft): void {
    const { sessionId } = draft;
    if (sessionId === undefined) return;
    this.live.heard(draft);
    for (const client of this.all) {
      if (!client.sessions.has(sessionId)) continue;
      this.deliver(client, draft);
      if (draft.type === 'session.end') client.sessions.delete(sessionId);
    }
  }

  /** Announces a new session to all clients. Those attached to its parent are attached to it. */
  publishCreated(draft: CreatedDraft, except?: LinkedClient): void {
    const { parentId } = draft.payload;
    for (const client of this.all) {
      if (parentId !== undefined && client.sessions.has(parentId)) {
        client.sessions.add(draft.sessionId);
      }
      if (client !== except) this.deliver(client, draft);
    }
  }

  /**
   * Attaches all clients that offer tools or permissions to a session, without a request from them.
   */
  follow(sessionId: string): void {
    for (const client of this.all) {
      if (client.offers('tools') || client.offers('permissions')) client.sessions.add(sessionId);
    }
  }

  /** Whether a client that can ask the person about this session is connected. */
  canAsk(sessionId: string): boolean {
    return [...this.all].some(
      (client) =>
        client.isConnected && client.offers('permissions') && client.sessions.has(sessionId),
    );
  }

  /**
   * The client that runs a session's calls: the newest one that is connected, attached, and offers
   * tools.
   */
  runner(sessionId: string): LinkedClient | undefined {
    return [...this.all]
      .filter(
        (client) => client.isConnected && client.offers('tools') && client.sessions.has(sessionId),
      )
      .sort((a, b) => b.number - a.number)[0];
  }

  /** Sends a message to one client. Logs a failure, so that other clients still get theirs. */
  deliver(client: LinkedClient, draft: FromDraft): void {
    try {
      client.send(draft);
    } catch (error) {
      this.log.note('A message could not be sent.', {
        at: 'bridge.send',
        type: draft.type,
        error: String(error),
      });
    }
  }

  private forget(client: LinkedClient): void {
    this.handleReconnect(client);
    this.all.delete(client);
    client.forget();
  }
}
