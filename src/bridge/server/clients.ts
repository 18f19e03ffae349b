import type { Clock, Log, Undo } from '../../core/ports';
import type { CreatedDraft, FromDraft } from '../../core/engine/engine';
import type { LinkedClient } from './linked-client';
import type { LiveParts } from './token-hold';

/** A client that was away for so long, ms, won't come back. */
const AWAY = 15 * 60_000;

/** Of those that are away so many are remembered. */
const MOST_AWAY = 8;

/** All clients that said hello, also those that may come back, and who gets what. */
export class Clients {
  private readonly all = new Set<LinkedClient>();
  /** The one that left first stands first. */
  private readonly away = new Map<LinkedClient, Undo>();

  constructor(
    private readonly log: Log,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly live: Pick<LiveParts, 'heard'>,
  ) {}

  add(client: LinkedClient): void {
    this.all.add(client);
  }

  /** The client whose numbering has that name, here or away. */
  find(epoch: string): LinkedClient | undefined {
    return [...this.all].find((client) => client.epoch === epoch);
  }

  /** It is here again. */
  returned(client: LinkedClient): void {
    this.away.get(client)?.();
    this.away.delete(client);
  }

  /** Its connection broke: it is told nothing, and remembered for a while if it can miss anything. */
  left(client: LinkedClient): void {
    if (!client.mayMiss) {
      this.forget(client);
      return;
    }
    this.away.set(
      client,
      this.clock.after(AWAY, () => this.forget(client)),
    );
    const [first] = this.away.keys();
    if (this.away.size > MOST_AWAY && first !== undefined) this.forget(first);
  }

  /** Nobody is remembered any more. */
  close(): void {
    for (const client of [...this.all]) this.forget(client);
  }

  /** To all that are attached to its session. */
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

  /** A new session is told to everyone; whoever follows its parent follows it. */
  publishCreated(draft: CreatedDraft, except?: LinkedClient): void {
    const { parentId } = draft.payload;
    for (const client of this.all) {
      if (parentId !== undefined && client.sessions.has(parentId)) {
        client.sessions.add(draft.sessionId);
      }
      if (client !== except) this.deliver(client, draft);
    }
  }

  /** All that offer tools or answers follow a session, without having asked to. */
  follow(sessionId: string): void {
    for (const client of this.all) {
      if (client.offers('tools') || client.offers('permissions')) client.sessions.add(sessionId);
    }
  }

  /** Whether a person can be asked there about a session, now. */
  canAsk(sessionId: string): boolean {
    return [...this.all].some(
      (client) => client.here && client.offers('permissions') && client.sessions.has(sessionId),
    );
  }

  /** Who runs a call of that session: the newest that is here, attached, and offers tools. */
  runner(sessionId: string): LinkedClient | undefined {
    return [...this.all]
      .filter((client) => client.here && client.offers('tools') && client.sessions.has(sessionId))
      .sort((a, b) => b.number - a.number)[0];
  }

  /** To one client; one message that can't be sent must not cost the others theirs. */
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
    this.returned(client);
    this.all.delete(client);
    client.forget();
  }
}
