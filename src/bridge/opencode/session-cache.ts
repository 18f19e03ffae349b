import { readBoundBoard, type StoredBoundBoard } from './prompt-parts';
import type { OpencodeApi } from './opencode-api';
import { RecentMap } from './recent-map';
import type { OpencodeEvent } from './opencode-event';
import type { BoundBoard } from '../../protocol/fields';
import { WireError } from '../../protocol/wire-error';
import { CacheMeter } from '../../core/cache';

/** What the bridge needs to know about a session. */
export interface KnownSession {
  readonly title: string;
  readonly parentId: string | undefined;
  /** the agent that it used last */
  readonly agent: string | undefined;
  /** the board that its calls work on instead of their own */
  readonly board?: StoredBoundBoard | undefined;
}

/** Sessions to remember. OpenCode is asked again about ones that were dropped. */
const MAX_SESSIONS = 2_000;

/** The folder's sessions as reported by events. Asks OpenCode about unknown ones. */
export class SessionCache {
  readonly meter = new CacheMeter('sessions of OpenCode', () => this.known.size, MAX_SESSIONS);
  private readonly known = new RecentMap<string, KnownSession>(MAX_SESSIONS);

  constructor(private readonly api: OpencodeApi) {}

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'session.deleted') this.known.delete(event.properties.sessionID);
    if (event.type !== 'session.created' && event.type !== 'session.updated') return;
    const { sessionID, info } = event.properties;
    const before = this.known.get(sessionID);
    this.known.set(sessionID, {
      title: info.title ?? before?.title ?? '',
      parentId: info.parentID ?? before?.parentId,
      agent: info.agent ?? before?.agent,
      board: readBoundBoard(info.metadata) ?? before?.board,
    });
  }

  /** The last known state, without asking OpenCode. */
  cached(id: string): KnownSession | undefined {
    return this.known.get(id);
  }

  /** @throws WireError `unknown_session` */
  async get(id: string): Promise<KnownSession> {
    const known = this.known.get(id);
    this.meter.count(known !== undefined);
    if (known) return known;
    const { title, parentID, agent, metadata } = await this.api.session(id);
    const session = { title, parentId: parentID, agent, board: readBoundBoard(metadata) };
    this.known.set(id, session);
    return session;
  }
}

/** What is known about a call's session, besides its id. */
interface Caller {
  readonly sessionTitle?: string;
  /** the board that it works on instead of its own */
  readonly board?: BoundBoard;
}

const UNKNOWN_BOARD =
  'Nothing was done: it can’t be found out which board this session was started for.';

/**
 * The caller's session. A session that OpenCode doesn't know in this folder must not fail the call.
 * But if the board of a session can't be determined, the call must fail rather than go to the
 * session's own board.
 * @throws Error with a message for the model
 */
export async function callerOf(
  sessions: Pick<SessionCache, 'get'>,
  sessionId: string,
): Promise<Caller> {
  const known = await sessions.get(sessionId).catch((error: unknown) => {
    if (error instanceof WireError && error.code === 'unknown_session') return undefined;
    throw new Error(`${UNKNOWN_BOARD} Repeat the call. OpenCode said: ${String(error)}`);
  });
  if (known === undefined) return {};
  const { title: sessionTitle, board } = known;
  if (board === 'unreadable') {
    throw new Error(`${UNKNOWN_BOARD} Say so in your answer, and go on without it.`);
  }
  return { sessionTitle, ...(board !== undefined && { board }) };
}
