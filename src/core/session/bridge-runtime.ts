import type { Draft } from '../../protocol/draft';
import type { FromBridge } from '../../protocol/from-bridge';
import type { PermissionReply } from '../../protocol/permission-reply';
import type { ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Ids } from '../ports';
import type { ConnectionManager } from './connection-manager';
import { showsCompaction, showsEnd, showsTitle, showsWork, type Shows } from './session-answers';
import type {
  Catalog,
  SendOptions,
  SessionRuntime,
  SnapshotPage,
  StartOptions,
} from './session-runtime';

/** Where requests go: a connection to the OpenCode that is meant. */
export type Route = Pick<ConnectionManager, 'send' | 'request' | 'collect'>;

export interface Routes {
  /** To the OpenCode that runs the session. @throws WireError where none that is connected does */
  of(sessionId: string): Route;
  /** To the OpenCode that made the request, wherever the session went since. */
  asker(sessionId: string, requestId: string): Route;
  /** To where new sessions start. @throws WireError where the bridge is not connected */
  fresh(bridge?: string): Route;
}

/** How long OpenCode may take to answer, ms. */
const TIMEOUT = 10_000;

/** Sessions that run in OpenCode, through the bridge. */
export class BridgeRuntime implements SessionRuntime {
  constructor(
    private readonly routes: Routes,
    private readonly ids: Ids,
  ) {}

  /** Starts at the same time don't mix: each has its own `requestId`. */
  async start({ bridge, ...options }: StartOptions = {}): Promise<{ readonly sessionId: string }> {
    const requestId = this.ids.unique();
    const { context, ...rest } = options;
    const payload = { requestId, ...rest, ...(context !== undefined && { context }) };
    const answer = await this.routes
      .fresh(bridge)
      .request(
        { type: 'session.start', payload },
        TIMEOUT,
        (message) => message.type === 'session.created' && message.payload.requestId === requestId,
      );
    if (answer.sessionId === undefined) {
      throw new WireError('bad_message', 'The bridge answered a start without a session.');
    }
    return { sessionId: answer.sessionId };
  }

  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<void> {
    const payload = { text, ...options };
    await this.#ask({ type: 'session.message', sessionId, payload }, showsWork(sessionId));
  }

  async interrupt(sessionId: string): Promise<void> {
    tell(this.routes.of(sessionId), { type: 'session.interrupt', sessionId, payload: {} });
  }

  async answerPermission(
    sessionId: string,
    requestId: string,
    reply: PermissionReply,
    message?: string,
  ): Promise<void> {
    const words = message === undefined ? {} : { message };
    const payload = { requestId, reply, ...words };
    const route = this.routes.asker(sessionId, requestId);
    tell(route, { type: 'permission.response', sessionId, payload });
  }

  async answerQuestion(
    sessionId: string,
    requestId: string,
    answers: readonly (readonly string[])[],
  ): Promise<void> {
    const payload = { requestId, answers: answers.map((answer) => [...answer]) };
    const route = this.routes.asker(sessionId, requestId);
    tell(route, { type: 'question.response', sessionId, payload });
  }

  async rename(sessionId: string, title: string): Promise<void> {
    const shows = showsTitle(sessionId, title);
    await this.#ask({ type: 'session.update', sessionId, payload: { title } }, shows);
  }

  async remove(sessionId: string): Promise<void> {
    await this.#ask({ type: 'session.delete', sessionId, payload: {} }, showsEnd(sessionId));
  }

  async compact(sessionId: string): Promise<void> {
    const shows = showsCompaction(sessionId);
    await this.#ask({ type: 'session.compact', sessionId, payload: {} }, shows);
  }

  async history(
    sessionId: string,
    before: string | undefined,
    limit: number,
  ): Promise<readonly SnapshotPage[]> {
    const payload = { limit, ...(before !== undefined && { before }) };
    const pages = await this.routes
      .of(sessionId)
      .collect({ type: 'session.history', sessionId, payload }, TIMEOUT, isLastPage);
    return pages.flatMap((page) => (page.type === 'snapshot' ? [page.payload] : []));
  }

  async catalog(sessionId?: string): Promise<Catalog> {
    const route = sessionId === undefined ? this.routes.fresh() : this.routes.of(sessionId);
    const answer = await route.request({ type: 'catalog.get', payload: {} }, TIMEOUT);
    if (answer.type !== 'catalog') throw new WireError('bad_message', 'This is no catalog.');
    return { agents: answer.payload.agents, models: answer.payload.models };
  }

  #ask(draft: Draft<ToBridge> & { sessionId: string }, shows: Shows): Promise<FromBridge> {
    return this.routes.of(draft.sessionId).request(draft, TIMEOUT, shows);
  }
}

function tell(route: Route, draft: Draft<ToBridge>): void {
  if (!route.send(draft)) throw new WireError('cancelled', 'OpenCode is not connected.', true);
}

function isLastPage(message: FromBridge): boolean {
  return message.type !== 'snapshot' || !message.payload.more;
}
