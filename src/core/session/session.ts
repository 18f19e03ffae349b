import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { BoundBoard, SessionTwin } from '../../protocol/fields';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import type { SessionEvent, SessionEventOf } from './session-event-bus';
import type { SessionHost } from './session-host';

export type { PermissionRequest, QuestionRequest };

/** What a session is doing. Being offline is a state of the connection; views derive it. */
export type SessionState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'busy';
      /** it waits until its program has finished with another session */
      readonly queued?: true;
    }
  | {
      readonly kind: 'retry';
      /** from 1 */
      readonly attempt: number;
      readonly message: string;
      /** ms since the epoch */
      readonly next: number;
    }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'ended'; readonly reason: 'deleted' | 'closed' | 'error' };

export interface Session {
  readonly id: string;
  readonly title: string;
  /** the session that started this one as a subagent */
  readonly parentId: string | null;
  readonly agent: string | null;
  readonly state: SessionState;
  /** waiting for the person, oldest first */
  readonly permissions: readonly PermissionRequest[];
  readonly questions: readonly QuestionRequest[];
  /** ms since the epoch; 0 if the bridge did not report it. Single tokens don't count. */
  readonly lastActive: number;
  /** the OpenCode that runs it is not connected, though another may be */
  readonly away?: true;
  /** the board that it was started for, and its tasks there */
  readonly board?: BoundBoard;
  /** the host that runs it, if connected */
  readonly host?: SessionHost;
  /** the session of the program behind its bridge; another bridge may list the same one */
  readonly twin?: SessionTwin;
}

export type WelcomeSession = FromBridgeOf<'welcome'>['payload']['sessions'][number];

const NOTHING_PENDING = { permissions: [], questions: [] } as const;

export function createdSession(event: SessionEventOf<'session.created'>): Session {
  const { sessionId: id, ts: updated, payload } = event;
  return welcomedSession({ ...payload, id, status: 'idle', updated }, undefined);
}

/**
 * A session as a welcome lists it. Pending requests are dropped: after the attach, the bridge sends
 * those again that were not answered meanwhile.
 */
export function welcomedSession(listed: WelcomeSession, before: Session | undefined): Session {
  return {
    id: listed.id,
    title: listed.title,
    parentId: listed.parentId ?? null,
    agent: listed.agent ?? before?.agent ?? null,
    state: welcomedState(listed.status, before),
    ...NOTHING_PENDING,
    lastActive: listed.updated ?? before?.lastActive ?? 0,
    ...boardOf(listed.board ?? before?.board),
    ...twinOf(listed.twin ?? before?.twin),
  };
}

function boardOf(board: BoundBoard | undefined): Pick<Session, 'board'> {
  return board === undefined ? {} : { board };
}

function twinOf(twin: SessionTwin | undefined): Pick<Session, 'twin'> {
  return twin === undefined ? {} : { twin };
}

/** Sets whether a session can be reached; returns the same value if nothing changes. */
export function withAway(session: Session, away: boolean): Session {
  if ((session.away === true) === away) return session;
  const { away: _, ...rest } = session;
  return away ? { ...rest, away } : rest;
}

/** Sets the host of a session; returns the same value if nothing changes. */
export function withHost(session: Session, host: SessionHost | undefined): Session {
  if (session.host === host) return session;
  const { host: _, ...rest } = session;
  return host === undefined ? rest : { ...rest, host };
}

/** A session from disk that no connected OpenCode lists. */
export function storedSession(
  kept: Pick<Session, 'id' | 'title' | 'parentId' | 'agent' | 'lastActive'>,
): Session {
  const { id, title, parentId, agent, lastActive } = kept;
  const state = { kind: 'ended', reason: 'closed' } as const;
  return { id, title, parentId, agent, state, ...NOTHING_PENDING, lastActive };
}

/** Applies an event to its session; returns the same value if nothing changes. */
export function reduce(session: Session, event: SessionEvent): Session {
  const { permissions, questions } = session;
  const lastActive = event.ts;
  switch (event.type) {
    case 'session.created':
      return reduceCreated(session, event);
    case 'progress.update':
      return reduceProgress(session, event);
    case 'stream.token':
    case 'stream.thinking':
      return session.state.kind === 'retry' ? { ...session, state: { kind: 'busy' } } : session;
    case 'tool.call':
      return { ...session, agent: event.payload.agent, lastActive };
    case 'permission.request':
      return { ...session, permissions: upsertRequest(permissions, event.payload), lastActive };
    case 'question.request':
      return { ...session, questions: upsertRequest(questions, event.payload), lastActive };
    case 'permission.resolved':
    case 'question.resolved': {
      const isOther = (one: { requestId: string }) => one.requestId !== event.payload.requestId;
      return event.type === 'permission.resolved'
        ? { ...session, permissions: permissions.filter(isOther), lastActive }
        : { ...session, questions: questions.filter(isOther), lastActive };
    }
    case 'turn.end': {
      const { reason, error } = event.payload;
      const message = error?.message ?? 'The turn ended with an error.';
      const state: SessionState =
        reason === 'error' ? { kind: 'error', message } : { kind: 'idle' };
      return { ...session, ...NOTHING_PENDING, state, lastActive };
    }
    case 'session.end': {
      const state = { kind: 'ended', reason: event.payload.reason } as const;
      return { ...session, ...NOTHING_PENDING, state, lastActive };
    }
    case 'snapshot':
      return event.payload.part === 1 ? reduceSnapshot(session, event) : session;
    case 'message.final': {
      // A prompt names the agent that it is for.
      const { role, agent = session.agent } = event.payload;
      return role !== 'user' || agent === session.agent ? session : { ...session, agent };
    }
    case 'tool.cancel':
    case 'tool.update':
    case 'error':
      return session;
  }
}

/** A known session was reported as created again, or has reopened after its end. */
function reduceCreated(session: Session, event: SessionEventOf<'session.created'>): Session {
  const created = createdSession(event);
  const state = session.state.kind === 'ended' ? created.state : session.state;
  const board = boardOf(created.board ?? session.board);
  const twin = twinOf(created.twin ?? session.twin);
  return { ...session, title: created.title, parentId: created.parentId, state, ...board, ...twin };
}

function reduceProgress(session: Session, event: SessionEventOf<'progress.update'>): Session {
  const { payload, ts: lastActive } = event;
  switch (payload.kind) {
    case 'busy':
      return {
        ...session,
        state: { kind: 'busy', ...(payload.queued === true && { queued: true }) },
        lastActive,
      };
    case 'idle':
      // OpenCode reports idle after an error too; the error stays visible until the next turn.
      if (session.state.kind === 'error' || session.state.kind === 'idle') return session;
      return { ...session, state: { kind: 'idle' }, lastActive };
    case 'retry': {
      const { attempt, message, next } = payload;
      return { ...session, state: { kind: 'retry', attempt, message, next }, lastActive };
    }
    case 'title':
      return { ...session, title: payload.title, ...twinOf(payload.twin) };
    case 'todo':
    case 'compacted':
    case 'tokens':
      return session;
  }
}

function reduceSnapshot(session: Session, event: SessionEventOf<'snapshot'>): Session {
  const { title, parentId, agent, status, permissions, questions } = event.payload.state;
  const listed = { id: session.id, title, parentId, agent, status };
  const { host } = session;
  return withHost({ ...welcomedSession(listed, session), permissions, questions }, host);
}

/** `retry` becomes busy: the next `progress.update` brings its details. */
function welcomedState(status: WelcomeSession['status'], before?: Session): SessionState {
  if (status !== 'idle') return { kind: 'busy' };
  return before?.state.kind === 'error' ? before.state : { kind: 'idle' };
}

/** A request that is sent again keeps its position. */
function upsertRequest<R extends { requestId: string }>(
  requests: readonly R[],
  request: R,
): readonly R[] {
  const at = requests.findIndex(({ requestId }) => requestId === request.requestId);
  return at === -1 ? [...requests, request] : requests.with(at, request);
}

/** The topmost ancestor of a subagent's session; the session itself if it has no known parent. */
export function rootOf(sessions: readonly Session[], sessionId: string): string {
  const parents = new Map(sessions.map(({ id, parentId }) => [id, parentId]));
  const seen = new Set<string>();
  let id = sessionId;
  for (;;) {
    const parent = parents.get(id);
    if (typeof parent !== 'string' || !parents.has(parent) || seen.has(id)) return id;
    seen.add(id);
    id = parent;
  }
}

/** A session and all its descendants. */
export function sessionFamily(sessions: readonly Session[], sessionId: string): readonly Session[] {
  const family = new Set([sessionId]);
  // A parent may come after its child in the list.
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { id, parentId } of sessions) if (family.has(parentId ?? '')) family.add(id);
  }
  return sessions.filter(({ id }) => family.has(id));
}
