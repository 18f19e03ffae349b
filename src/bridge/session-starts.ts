import { randomUUID } from 'node:crypto';
import type { TodoManager } from '../core/board/todo-manager';
import type { BoundBoard } from '../protocol/bound-board';
import type { ToBridgeOf } from '../protocol/to-bridge';
import { BOARD_MARK } from './board-mark';
import { WireError } from '../protocol/wire-error';
import type { Client } from './client';
import type { Clients } from './clients';
import type { OpencodeApi } from './opencode-api';
import type { Prompter } from './prompter';
import type { SubagentTools } from './subagent-tools';
import type { FromDraft } from './translate';

/** The key under which a session that we start carries a mark in OpenCode. */
export const START_MARK = 'agent-task-boards';

type Start = ToBridgeOf<'session.start'>;
type Created = Extract<FromDraft, { type: 'session.created' }>;

export interface SessionStartsParts {
  readonly api: Pick<OpencodeApi, 'create'>;
  readonly clients: Clients;
  readonly prompter: Pick<Prompter, 'remember'>;
  readonly subagents: Pick<SubagentTools, 'allowed'>;
  readonly boards: () => Promise<Pick<TodoManager, 'boundFault'>>;
}

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

  constructor(private readonly parts: SessionStartsParts) {}

  /** Returns when OpenCode made it. @throws WireError */
  async start(client: Client, start: Start): Promise<void> {
    const mark = randomUUID();
    const { title, parentId, agent, board } = start.payload;
    if (board !== undefined) await this.checkBoard(board);
    this.waiting.set(mark, { client, start });
    try {
      const info = await this.parts.api.create({
        metadata: { [START_MARK]: mark, ...(board && { [BOARD_MARK]: board }) },
        ...(board && { permission: this.parts.subagents.allowed(agent) }),
        ...(title !== undefined && { title }),
        ...(parentId !== undefined && { parentID: parentId }),
        ...(agent !== undefined && { agent }),
      });
      // An OpenCode that doesn't pass the mark on: the others were told, the starter still waits.
      const payload = { title: info.title, directory: info.directory };
      this.answer(mark, { type: 'session.created', sessionId: info.id, payload });
    } finally {
      this.waiting.delete(mark);
    }
  }

  /** A session was created, with or without a mark of ours. */
  created(draft: Created, mark: unknown): void {
    const starter = typeof mark === 'string' ? this.answer(mark, draft) : undefined;
    this.parts.clients.publishCreated(draft, starter);
  }

  /** @throws WireError `bad_message` where there is no such board or task */
  private async checkBoard({ session, agent, task }: BoundBoard): Promise<void> {
    const fault = await (await this.parts.boards()).boundFault(session, { agent, task });
    if (fault) throw new WireError('bad_message', fault.message);
  }

  private answer(mark: string, draft: Created): Client | undefined {
    const waiting = this.waiting.get(mark);
    if (!waiting) return undefined;
    this.waiting.delete(mark);
    const { client, start } = waiting;
    client.sessions.add(draft.sessionId);
    // Before the client can send the first prompt.
    this.parts.prompter.remember(draft.sessionId, start.payload);
    const payload = { ...draft.payload, requestId: start.payload.requestId };
    this.parts.clients.deliver(client, { ...draft, replyTo: start.id, payload });
    return client;
  }
}
