import { KeyedQueue } from '../../core/keyed-queue';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Log } from '../../core/ports';
import type { EventOf, OpencodeEvent } from './opencode-event';
import { RecentMap } from './recent-map';
import type { SessionCache } from './session-cache';

/** More sessions than a person has open at one time. */
const REMEMBERED = 500;

/** OpenCode's agent where it names none. */
const DEFAULT_AGENT = 'build';

type Todos = EventOf<'todo.updated'>['properties']['todos'];

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
 * hand and once. Of lists that come while one is written, only the newest is.
 */
export class TodoFeed {
  private readonly agents = new RecentMap<string, string>(REMEMBERED);
  private readonly newest = new Map<string, Todos>();
  private readonly queue = new KeyedQueue();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly services: TodoFeedServices) {}

  heard(event: OpencodeEvent): void {
    if (event.type === 'message.updated') {
      const { sessionID, info } = event.properties;
      if (info.role === 'user' && info.agent !== undefined) this.agents.set(sessionID, info.agent);
    }
    if (event.type !== 'todo.updated' || this.services.isLeft) return;
    const { sessionID, todos } = event.properties;
    this.newest.set(sessionID, todos);
    const run = this.queue.run(sessionID, () => this.next(sessionID));
    this.running.add(run);
    void run.finally(() => this.running.delete(run));
  }

  /** When all that was heard of a session so far is written. */
  settled(sessionId: string): Promise<void> {
    return this.queue.run(sessionId, () => Promise.resolve());
  }

  /** When all that was heard so far is written. */
  async allSettled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Never rejects: a list that can't be written must not end a turn, or the process. */
  private async next(sessionId: string): Promise<void> {
    const todos = this.newest.get(sessionId);
    if (todos === undefined) return;
    this.newest.delete(sessionId);
    try {
      const caller = await this.callerOf(sessionId);
      const boards = await this.services.boards.manager();
      const done = await boards.mirrorTodos(caller, todos);
      const why = done.ok ? done.left.join(' ') : done.message;
      if (why !== '')
        this.services.log.note('A list of todowrite is not whole on its board.', {
          at: 'mirror.todowrite',
          why,
        });
    } catch (error) {
      this.services.log.note('A list of todowrite could not be brought to its board.', {
        at: 'mirror.todowrite',
        severity: 'error',
        error: String(error),
      });
    }
  }

  private async callerOf(sessionId: string) {
    // Where OpenCode doesn't say what its session is called, the board is titled by its id.
    const known = await this.services.sessions.get(sessionId).catch(() => undefined);
    const agent = this.agents.get(sessionId) ?? known?.agent ?? DEFAULT_AGENT;
    return { sessionId, agent, ...(known && { sessionTitle: known.title }) };
  }
}
