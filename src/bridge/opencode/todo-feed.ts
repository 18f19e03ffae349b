import { TodoLists } from '../../core/board/mirror/todo-lists';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Log } from '../../core/ports';
import type { OpencodeEvent } from './opencode-event';
import { RecentMap } from './recent-map';
import type { SessionCache } from './session-cache';

/** Sessions to remember; more than a person has open at a time. */
const MAX_REMEMBERED = 500;

/** The agent that OpenCode uses if none is named. */
const DEFAULT_AGENT = 'build';

export interface TodoFeedServices {
  readonly sessions: SessionCache;
  readonly log: Log;
  /** whether lists of `todowrite` are ignored */
  readonly ignoresTodowrite: boolean;
  readonly boards: { manager(): Promise<Pick<TodoManager, 'mirrorTodos'>> };
}

/**
 * Copies each `todowrite` list from OpenCode to the board of its session, under the agent of the
 * newest prompt. This is always done by the bridge and on disk, whoever is connected, since only
 * the bridge gets each event exactly once.
 */
export class TodoFeed {
  private readonly agents = new RecentMap<string, string>(MAX_REMEMBERED);
  private readonly lists: TodoLists;

  constructor(private readonly services: TodoFeedServices) {
    const { log, boards } = services;
    this.lists = new TodoLists({ log, boards, ownerOf: (sessionId) => this.callerOf(sessionId) });
  }

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'message.updated') {
      const { sessionID, info } = event.properties;
      if (info.role === 'user' && info.agent !== undefined) this.agents.set(sessionID, info.agent);
    }
    if (event.type !== 'todo.updated' || this.services.ignoresTodowrite) return;
    const { sessionID, todos } = event.properties;
    this.lists.enqueue(sessionID, todos);
  }

  /** Resolves when all lists of a session so far are written. */
  settled(sessionId: string): Promise<void> {
    return this.lists.settled(sessionId);
  }

  /** Resolves when all lists so far are written. */
  allSettled(): Promise<void> {
    return this.lists.allSettled();
  }

  private async callerOf(sessionId: string) {
    // If OpenCode doesn't return the session's title, the board is titled by its id.
    const known = await this.services.sessions.get(sessionId).catch(() => undefined);
    const agent = this.agents.get(sessionId) ?? known?.agent ?? DEFAULT_AGENT;
    return { sessionId, agent, ...(known && { sessionTitle: known.title }) };
  }
}
