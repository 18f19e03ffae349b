import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../../core/keyed-queue';
import type { TodoManager } from '../../core/board/todo-manager';
import type { BoundBoard } from '../../protocol/fields';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { BOARD_MARK, boundBoardField, KEY_MARK, readKey } from './prompt-parts';
import { WireError } from '../../protocol/wire-error';
import type { CreatedDraft, Engine } from '../../core/engine/engine';
import type { SessionCache } from './session-cache';
import type { Clients } from '../server/clients';
import type { OpencodeApi, SessionInfo } from './opencode-api';
import type { OpencodeRule } from './permission-defaults';
import type { Prompter } from './prompter';
import { RecentMap } from './recent-map';
import { createNote, updateNote } from '../../core/tool/note/definitions';

/** Metadata key that marks a session started by us. */
export const START_MARK = 'agent-task-boards';

/** Sessions to remember; more than start before an event arrives. */
const MAX_REMEMBERED = 500;

type StartRequest = ToBridgeOf<'session.start'>['payload'];

type ReportCreated = Parameters<NonNullable<Engine['start']>>[1];

export interface SessionStartsServices {
  readonly api: Pick<OpencodeApi, 'create' | 'started'>;
  readonly clients: Pick<Clients, 'publishCreated'>;
  readonly prompter: Pick<Prompter, 'check' | 'remember'>;
  readonly sessions: Pick<SessionCache, 'get'>;
  /**
   * OpenCode rules for a session that works on a given board.
   * @param changes whether it may change notes
   */
  boundRules(agent: string | undefined, changes: boolean): readonly OpencodeRule[];
  readonly boards: { manager(): Promise<Pick<TodoManager, 'boundFault'>> };
}

/**
 * Starts sessions, any number in parallel. OpenCode sends the event of a new session before it
 * answers the request. Each session therefore has a unique mark, so that its `session.created` is
 * sent once: with the `requestId` to the client that started it, without to all others.
 */
export class SessionStarts {
  /** by mark, how to report the session to its starter */
  private readonly waiting = new Map<string, { start: StartRequest; report: ReportCreated }>();
  /** sessions that were reported to clients */
  private readonly reported = new RecentMap<string, true>(MAX_REMEMBERED);
  /** serializes starts with the same key, so that the second finds the session of the first */
  private readonly keys = new KeyedQueue();

  constructor(private readonly services: SessionStartsServices) {}

  /**
   * Resolves when the session has been created, or when the one started with the same key has been
   * reported.
   * @throws WireError
   */
  async start(start: StartRequest, report: ReportCreated): Promise<void> {
    const { key, parentId, model } = start;
    if (parentId !== undefined) await this.services.sessions.get(parentId);
    if (key === undefined) return this.make(start, report);
    return this.keys.run(key, async () => {
      const all = await this.services.api.started(parentId);
      const found = all.findLast(({ metadata }) => readKey(metadata) === key);
      if (found === undefined) return this.make(start, report);
      this.services.prompter.remember(found.id, { model });
      report(createdOf(found), false);
    });
  }

  private async make(start: StartRequest, report: ReportCreated): Promise<void> {
    const mark = randomUUID();
    const { title, parentId, agent, board, key } = start;
    await this.services.prompter.check(start);
    if (board !== undefined) await this.checkBoard(board);
    this.waiting.set(mark, { start, report });
    try {
      const info = await this.services.api.create({
        metadata: {
          [START_MARK]: mark,
          ...(board && { [BOARD_MARK]: board }),
          ...(key !== undefined && { [KEY_MARK]: key }),
        },
        ...(board && {
          // Without a task, the session reviews others' work and must not change anything.
          permission: this.services.boundRules(
            agent,
            board.task !== undefined || board.tasks !== undefined,
          ),
        }),
        ...(title !== undefined && { title }),
        ...(parentId !== undefined && { parentID: parentId }),
        ...(agent !== undefined && { agent }),
      });
      // A remote answer may arrive before the event. If OpenCode drops the mark, other clients have
      // been notified by the event, but the starter still waits.
      const isNew = this.reported.get(info.id) === undefined;
      this.reported.set(info.id, true);
      this.reportToStarter(mark, createdOf(info), isNew);
    } finally {
      this.waiting.delete(mark);
    }
  }

  /** Handles the event of a new session, with or without one of our marks. */
  handleCreated(draft: CreatedDraft, mark: unknown): void {
    if (this.reported.get(draft.sessionId) === true) return;
    this.reported.set(draft.sessionId, true);
    const isOurs = typeof mark === 'string' && this.reportToStarter(mark, draft, true);
    if (!isOurs) this.services.clients.publishCreated(draft);
  }

  /** @throws WireError `bad_message` if the board or task doesn't exist */
  private async checkBoard({ session, agent, task, tasks }: BoundBoard): Promise<void> {
    const bound = { agent, task, tasks };
    const fault = await (await this.services.boards.manager()).boundFault(session, bound);
    if (fault) throw new WireError('bad_message', fault.message);
  }

  /** @returns whether a starter was waiting for it */
  private reportToStarter(mark: string, draft: CreatedDraft, isNew: boolean): boolean {
    const waiting = this.waiting.get(mark);
    if (!waiting) return false;
    this.waiting.delete(mark);
    // Must happen before the client can send the first prompt.
    this.services.prompter.remember(draft.sessionId, waiting.start);
    waiting.report(draft, isNew);
    return true;
  }
}

/** A `session.created` for an existing session. */
export function createdOf(info: SessionInfo): CreatedDraft {
  const { id, title, directory, parentID, agent, metadata } = info;
  const payload = {
    title,
    directory,
    ...boundBoardField(metadata),
    ...(parentID !== undefined && { parentId: parentID }),
    ...(agent !== undefined && { agent }),
  };
  return { type: 'session.created', sessionId: id, payload };
}

/**
 * Rules for a read-only session: they deny OpenCode's own tools that change files (all under one
 * permission), and our note tools. A session's rules come last, and also apply to its subagents.
 */
export const READ_ONLY_RULES: readonly OpencodeRule[] = [
  'edit',
  createNote.openCodeName,
  updateNote.openCodeName,
].map((permission) => ({ permission, pattern: '*', action: 'deny' }));
