import { randomUUID } from 'node:crypto';
import type { ToBridgeOf } from '../protocol/to-bridge';
import type { Client } from './client';
import type { Clients } from './clients';
import type { OpencodeApi } from './opencode-api';
import type { FromDraft } from './translate';

/** The key under which a session that we start carries a mark in OpenCode. */
export const START_MARK = 'agent-task-boards';

type Start = ToBridgeOf<'session.start'>;
type Created = Extract<FromDraft, { type: 'session.created' }>;

interface Waiting {
  readonly client: Client;
  readonly start: Start;
}

/**
 * Starts sessions, any number at once. OpenCode tells of a new session before it answers who asked
 * for it; each carries a mark of its own, so that its one `session.created` goes out with the
 * `requestId` to the client that started it, and without to the others.
 */
export class SessionStarts {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly api: OpencodeApi,
    private readonly clients: Clients,
  ) {}

  /** @returns the new session's id @throws WireError */
  async start(client: Client, start: Start): Promise<string> {
    const mark = randomUUID();
    const { title, parentId, agent } = start.payload;
    this.waiting.set(mark, { client, start });
    try {
      const info = await this.api.create({
        metadata: { [START_MARK]: mark },
        ...(title !== undefined && { title }),
        ...(parentId !== undefined && { parentID: parentId }),
        ...(agent !== undefined && { agent }),
      });
      // An OpenCode that doesn't pass the mark on: the others were told, the starter still waits.
      const payload = { title: info.title, directory: info.directory };
      this.answer(mark, { type: 'session.created', sessionId: info.id, payload });
      return info.id;
    } finally {
      this.waiting.delete(mark);
    }
  }

  /** A session was created, with or without a mark of ours. */
  created(draft: Created, mark: unknown): void {
    const starter = typeof mark === 'string' ? this.answer(mark, draft) : undefined;
    this.clients.publishCreated(draft, starter);
  }

  private answer(mark: string, draft: Created): Client | undefined {
    const waiting = this.waiting.get(mark);
    if (!waiting) return undefined;
    this.waiting.delete(mark);
    const { client, start } = waiting;
    client.sessions.add(draft.sessionId);
    const payload = { ...draft.payload, requestId: start.payload.requestId };
    this.clients.deliver(client, { ...draft, replyTo: start.id, payload });
    return client;
  }
}
