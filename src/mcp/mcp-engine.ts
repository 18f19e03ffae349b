import type { FromBridgeOf } from '../protocol/from-bridge';
import { WireError } from '../protocol/wire-error';
import type { Engine, SnapshotState } from '../core/engine/engine';
import type { Clients } from '../bridge/server/clients';
import type { McpSession, McpSessionState } from './mcp-session';

type Message = SnapshotState['messages'][number];

type Update = FromBridgeOf<'tool.update'>['payload'];

type Request = FromBridgeOf<'permission.request'>['payload'];

/** Calls kept for views, and UTF-16 units kept of each answer, so that all fit into one message. */
const MAX_CALLS = 100;

const MAX_KEPT_TEXT = 2_000;

interface McpEngineDeps {
  readonly self: Engine['self'];
  readonly session: McpSession;
  readonly clients: Pick<Clients, 'follow' | 'publish' | 'publishCreated'>;
  /** ms since the epoch */
  readonly now: () => number;
}

/**
 * An engine for the client of an MCP server: it has one session, reports the client's calls, and
 * supports no requests except answers to its own permission requests.
 */
export class McpEngine implements Engine {
  readonly self: Engine['self'];
  private readonly calls = new Map<string, Message>();
  private readonly openRequests = new Map<
    string,
    { request: Request; settle: (allowed: boolean) => void }
  >();
  private running = 0;

  constructor(private readonly deps: McpEngineDeps) {
    this.self = deps.self;
    const { session, clients } = deps;
    session.onChange((now, before) => {
      if (session.isForeign) return;
      if (before !== undefined && before.id !== now.id) {
        clients.publish({
          type: 'session.end',
          sessionId: before.id,
          payload: { reason: 'closed' },
        });
        this.calls.clear();
      }
      if (before?.id === now.id) this.publishProgress({ kind: 'title', title: now.title });
      else {
        clients.follow(now.id);
        clients.publishCreated(this.created(now));
      }
    });
  }

  sessions(): ReturnType<Engine['sessions']> {
    const now = this.visibleSession;
    if (now === undefined) return Promise.resolve([]);
    const { id, title, agent } = now;
    return Promise.resolve([{ id, title, agent, status: this.status }]);
  }

  sessionInfo(sessionId: string): Promise<{ readonly title: string }> {
    const now = this.visibleSession;
    if (now?.id === sessionId) return Promise.resolve({ title: now.title });
    return Promise.reject(new WireError('unknown_session', `There is no session ${sessionId}.`));
  }

  currentEvents(): ReturnType<Engine['currentEvents']> {
    const sessionId = this.visibleSession?.id;
    if (sessionId === undefined) return [];
    return [...this.openRequests.values()].map(({ request }) => ({
      ...{ type: 'permission.request' as const, sessionId, payload: request },
    }));
  }

  answerPermission({
    requestId,
    reply,
  }: Parameters<NonNullable<Engine['answerPermission']>>[0]): Promise<void> {
    const asked = this.openRequests.get(requestId);
    if (asked === undefined) {
      return Promise.reject(new WireError('conflict', 'It was answered, or is no longer asked.'));
    }
    asked.settle(reply !== 'reject');
    return Promise.resolve();
  }

  async history({
    sessionId,
    payload,
  }: Parameters<Engine['history']>[0]): Promise<readonly SnapshotState[]> {
    await this.sessionInfo(sessionId);
    return [payload.before === undefined ? this.state() : { ...this.state(), messages: [] }];
  }

  snapshot(): Promise<() => readonly SnapshotState[]> {
    return Promise.resolve(() => [this.state()]);
  }

  async getStatus(sessionId: string): ReturnType<Engine['getStatus']> {
    await this.sessionInfo(sessionId);
    const now = this.visibleSession;
    if (now === undefined) throw new WireError('unknown_session', 'The session has ended.');
    return { created: this.created(now), status: { status: this.status } };
  }

  /**
   * Asks a person in Obsidian. Resolves with their answer, or with false once `stop` is aborted.
   */
  ask(request: Request, stop: AbortSignal): Promise<boolean> {
    const { session, clients } = this.deps;
    const sessionId = session.current?.id ?? '';
    return new Promise((resolve) => {
      const settle = (allowed: boolean): void => {
        if (!this.openRequests.delete(request.requestId)) return;
        stop.removeEventListener('abort', deny);
        const reply = allowed ? 'once' : 'reject';
        const payload = { requestId: request.requestId, reply } as const;
        clients.publish({ type: 'permission.resolved', sessionId, payload });
        resolve(allowed);
      };
      const deny = (): void => settle(false);
      this.openRequests.set(request.requestId, { request, settle });
      clients.publish({ type: 'permission.request', sessionId, payload: request });
      stop.addEventListener('abort', deny);
      if (stop.aborted) deny();
    });
  }

  /** Reports the start or end of a call to the views of the session. */
  reportCall(update: Update): void {
    const now = this.visibleSession;
    if (now === undefined) return;
    const begins = update.status === 'running';
    this.running += begins ? 1 : -1;
    if (this.running === (begins ? 1 : 0))
      this.publishProgress({ kind: this.status === 'busy' ? 'busy' : 'idle' });
    this.keepCall(update);
    this.deps.clients.publish({ type: 'tool.update', sessionId: now.id, payload: update });
  }

  private keepCall(update: Update): void {
    const { callId, input, output, ...rest } = update;
    const created = this.calls.get(callId)?.created ?? this.deps.now();
    const sent = JSON.stringify(input ?? {});
    const part = {
      ...{ kind: 'tool' as const, partId: callId, callId, ...rest },
      ...(sent.length <= MAX_KEPT_TEXT && { input: sent }),
      ...(output !== undefined && { output: output.slice(0, MAX_KEPT_TEXT) }),
    };
    this.calls.set(callId, { messageId: callId, role: 'assistant', created, parts: [part] });
    const [first] = this.calls.keys();
    if (this.calls.size > MAX_CALLS && first !== undefined) this.calls.delete(first);
  }

  private publishProgress(payload: FromBridgeOf<'progress.update'>['payload']): void {
    const sessionId = this.visibleSession?.id;
    if (sessionId === undefined) return;
    this.deps.clients.publish({ type: 'progress.update', sessionId, payload });
  }

  /** The session as reported to clients. */
  private get visibleSession(): McpSessionState | undefined {
    return this.deps.session.isForeign ? undefined : this.deps.session.current;
  }

  private get status(): 'busy' | 'idle' {
    return this.running > 0 ? 'busy' : 'idle';
  }

  private created({ id, title, agent }: McpSessionState) {
    const payload = { title, agent, directory: this.self.directory };
    return { type: 'session.created' as const, sessionId: id, payload };
  }

  private state(): SnapshotState {
    const { title = '', agent = '' } = this.visibleSession ?? {};
    return {
      ...{ title, agent, status: this.status },
      permissions: [...this.openRequests.values()].map(({ request }) => request),
      questions: [],
      todos: [],
      messages: [...this.calls.values()],
    };
  }
}
