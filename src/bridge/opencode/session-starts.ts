import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../../core/keyed-queue';
import type { TodoManager } from '../../core/board/todo-manager';
import type { BoundBoard } from '../../protocol/fields';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { BOARD_MARK, KEY_MARK, keyIn } from './prompt-parts';
import { WireError } from '../../protocol/wire-error';
import type { Client, FromDraft } from '../engine';
import type { Clients } from '../server/clients';
import type { OpencodeApi, SessionInfo } from './opencode-api';
import type { OpencodeRule } from './permission-defaults';
import type { Prompter } from './prompter';
import type { SubagentTools } from './subagent-tools';
import { createNote, updateNote } from '../../core/tool/note/definitions';

/** The key under which a session that we start carries a mark in OpenCode. */
export const START_MARK = 'agent-task-boards';

type Start = ToBridgeOf<'session.start'>;

type Created = Extract<FromDraft, { type: 'session.created' }>;

interface SessionStartsServices {
  readonly api: Pick<OpencodeApi, 'create' | 'started'>;
  readonly clients: Clients;
  readonly prompter: Pick<Prompter, 'remember'>;
  readonly subagents: Pick<SubagentTools, 'allowed'>;
  readonly boards: { manager(): Promise<Pick<TodoManager, 'boundFault'>> };
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
  /** by key: of two starts with the same the second finds the session of the first */
  private readonly keys = new KeyedQueue();

  constructor(private readonly services: SessionStartsServices) {}

  /**
   * Returns when OpenCode made it, or the session is told that was started with the same key.
   * @param check what must hold for a new one
   * @throws WireError
   */
  async start(client: Client, start: Start, check: () => Promise<void>): Promise<void> {
    const { key } = start.payload;
    const make = async (): Promise<void> => {
      await check();
      await this.make(client, start);
    };
    if (key === undefined) return make();
    return this.keys.run(key, async () => {
      const found = await this.find(start.payload, key);
      if (found === undefined) return make();
      this.services.prompter.remember(found.id, { model: start.payload.model });
      this.tell({ client, start }, createdOf(found));
    });
  }

  private async make(client: Client, start: Start): Promise<void> {
    const mark = randomUUID();
    const { title, parentId, agent, board, key } = start.payload;
    if (board !== undefined) await this.checkBoard(board);
    this.waiting.set(mark, { client, start });
    try {
      const info = await this.services.api.create({
        metadata: {
          [START_MARK]: mark,
          ...(board && { [BOARD_MARK]: board }),
          ...(key !== undefined && { [KEY_MARK]: key }),
        },
        ...(board && { permission: this.rules(board, agent) }),
        ...(title !== undefined && { title }),
        ...(parentId !== undefined && { parentID: parentId }),
        ...(agent !== undefined && { agent }),
      });
      // An OpenCode that doesn't pass the mark on: the others were told, the starter still waits.
      this.answer(mark, createdOf(info));
    } finally {
      this.waiting.delete(mark);
    }
  }

  /** A session was created, with or without a mark of ours. */
  created(draft: Created, mark: unknown): void {
    const starter = typeof mark === 'string' ? this.answer(mark, draft) : undefined;
    this.services.clients.publishCreated(draft, starter);
  }

  /** @throws WireError `bad_message` where there is no such board or task */
  private async checkBoard({ session, agent, task }: BoundBoard): Promise<void> {
    const fault = await (await this.services.boards.manager()).boundFault(session, { agent, task });
    if (fault) throw new WireError('bad_message', fault.message);
  }

  /** A session that works on no task of its board judges the work of others: it changes nothing. */
  private rules({ task }: BoundBoard, agent: string | undefined): readonly OpencodeRule[] {
    const own = this.services.subagents.allowed(agent);
    return task === undefined ? [...own, ...READ_ONLY] : own;
  }

  /** The session that was started with the key, the first of them. @throws WireError */
  private async find(
    { parentId }: Start['payload'],
    key: string,
  ): Promise<SessionInfo | undefined> {
    const all = await this.services.api.started(parentId);
    return all.findLast(({ metadata }) => keyIn(metadata) === key);
  }

  private answer(mark: string, draft: Created): Client | undefined {
    const waiting = this.waiting.get(mark);
    if (!waiting) return undefined;
    this.waiting.delete(mark);
    // Before the client can send the first prompt.
    this.services.prompter.remember(draft.sessionId, waiting.start.payload);
    this.tell(waiting, draft);
    return waiting.client;
  }

  private tell({ client, start }: Waiting, draft: Created): void {
    client.sessions.add(draft.sessionId);
    const payload = { ...draft.payload, requestId: start.payload.requestId };
    this.services.clients.deliver(client, { ...draft, replyTo: start.id, payload });
  }
}

/** A session that is there as if it were told of now. */
export function createdOf({ id, title, directory, parentID, agent }: SessionInfo): Created {
  const payload = {
    title,
    directory,
    ...(parentID !== undefined && { parentId: parentID }),
    ...(agent !== undefined && { agent }),
  };
  return { type: 'session.created', sessionId: id, payload };
}

/**
 * Rules of a session that may only read: OpenCode's own tools that change files, which are all one
 * permission, and ours for notes. A session's rules come last, and its sub-agents get them too.
 */
export const READ_ONLY: readonly OpencodeRule[] = [
  'edit',
  createNote.openCodeName,
  updateNote.openCodeName,
].map((permission) => ({ permission, pattern: '*', action: 'deny' }));
