import { TodoLists } from '../../core/board/mirror/todo-lists';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Log } from '../../core/ports';
import type { OpencodeEvent } from './opencode-event';
import { RecentMap } from './recent-map';
import type { SessionCache } from './session-cache';

/** More sessions than a person has open at one time. */
const REMEMBERED = 500;

/** OpenCode's agent where it names none. */
const DEFAULT_AGENT = 'build';

export interface TodoFeedServices {
  readonly sessions: SessionCache;
  readonly log: Log;
  /** whether lists of `todowrite` are none of our business */
  readonly isLeft: boolean;
  readonly boards: { manager(): Promise<Pick<TodoManager, 'mirrorTodos'>> };
}

/**
 * Brings each list of `todowrite` that OpenCode tells of to the board of its session, and of the agent
 * of its newest prompt. Always here and always on disk, whoever is connected: here it is heard first
 * hand and once.
 */
export class TodoFeed {
  private readonly agents = new RecentMap<string, string>(REMEMBERED);
  private readonly lists: TodoLists;

  constructor(private readonly services: TodoFeedServices) {
    const { log, boards } = services;
    this.lists = new TodoLists({ log, boards, ownerOf: (sessionId) => this.callerOf(sessionId) });
  }

  heard(event: OpencodeEvent): void {
    if (event.type === 'message.updated') {
      const { sessionID, info } = event.properties;
      if (info.role === 'user' && info.agent !== undefined) this.agents.set(sessionID, info.agent);
    }
    if (event.type !== 'todo.updated' || this.services.isLeft) return;
    const { sessionID, todos } = event.properties;
    this.lists.take(sessionID, todos);
  }

  /** When all that was heard of a session so far is written. */
  settled(sessionId: string): Promise<void> {
    return this.lists.settled(sessionId);
  }

  /** When all that was heard so far is written. */
  allSettled(): Promise<void> {
    return this.lists.allSettled();
  }

  private async callerOf(sessionId: string) {
    // Where OpenCode doesn't say what its session is called, the board is titled by its id.
    const known = await this.services.sessions.get(sessionId).catch(() => undefined);
    const agent = this.agents.get(sessionId) ?? known?.agent ?? DEFAULT_AGENT;
    return { sessionId, agent, ...(known && { sessionTitle: known.title }) };
  }
}
