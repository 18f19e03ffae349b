import type { Log } from '../core/ports';
import type { Client } from './client';
import type { FromDraft } from './translate';

type Created = Extract<FromDraft, { type: 'session.created' }>;

/** All clients that said hello, and who gets what. */
export class Clients {
  private readonly all = new Set<Client>();

  constructor(private readonly log: Log) {}

  add(client: Client): void {
    this.all.add(client);
  }

  remove(client: Client): void {
    this.all.delete(client);
  }

  /** To all that are attached to its session. */
  publish(draft: FromDraft): void {
    const { sessionId } = draft;
    if (sessionId === undefined) return;
    for (const client of this.all) {
      if (!client.sessions.has(sessionId)) continue;
      this.deliver(client, draft);
      if (draft.type === 'session.end') client.sessions.delete(sessionId);
    }
  }

  /** A new session is told to everyone; whoever follows its parent follows it. */
  publishCreated(draft: Created, except: Client | undefined): void {
    const { parentId } = draft.payload;
    for (const client of this.all) {
      if (parentId !== undefined && client.sessions.has(parentId)) {
        client.sessions.add(draft.sessionId);
      }
      if (client !== except) this.deliver(client, draft);
    }
  }

  /** Who runs a call of that session: the newest that is attached and offers tools. */
  runner(sessionId: string): Client | undefined {
    return [...this.all]
      .filter((client) => client.runsTools && client.sessions.has(sessionId))
      .sort((a, b) => b.number - a.number)[0];
  }

  /** To one client; one message that can't be sent must not cost the others theirs. */
  deliver(client: Client, draft: FromDraft): void {
    try {
      client.send(draft);
    } catch (error) {
      this.log.note('A message could not be sent.', { type: draft.type, error: String(error) });
    }
  }
}
