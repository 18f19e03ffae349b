import type { Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import type { PermissionReply } from '../../protocol/fields';
import type { ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Ids } from '../ports';
import type { ConnectionManager } from './connection-manager';
import { knowsKeys } from './connection';
import type {
  Catalog,
  SendOptions,
  Sent,
  SessionLook,
  SessionRuntime,
  SnapshotPage,
  StartOptions,
} from './session-runtime';

/** Where requests go: a connection to the OpenCode that is meant. */
type Route = Pick<ConnectionManager, 'send' | 'request' | 'collect' | 'state'>;

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
    const payload = { requestId, ...options };
    const answer = await withKeys(this.routes.fresh(bridge), options.key).request(
      { type: 'session.start', payload },
      TIMEOUT,
      (message) => message.type === 'session.created' && message.payload.requestId === requestId,
    );
    if (answer.sessionId === undefined) {
      throw new WireError('bad_message', 'The bridge answered a start without a session.');
    }
    return { sessionId: answer.sessionId };
  }

  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<Sent> {
    const draft = { type: 'session.message', sessionId, payload: { text, ...options } } as const;
    if (options.key === undefined) {
      await this.#ask(draft, showsWork(sessionId));
      return { before: false };
    }
    const route = withKeys(this.routes.of(sessionId), options.key);
    const answer = await route.request(draft, TIMEOUT);
    if (answer.type !== 'prompt.taken') {
      throw new WireError('bad_message', 'The bridge does not say whether it took the prompt.');
    }
    return { before: answer.payload.before };
  }

  /** The answer is numbered: it comes behind all that was told of the session before. */
  async look(sessionId: string): Promise<SessionLook> {
    const draft = { type: 'session.look', sessionId, payload: {} } as const;
    const answer = await this.routes.of(sessionId).request(draft, TIMEOUT);
    if (answer.type !== 'session.stands') {
      throw new WireError('bad_message', 'The bridge does not say how the session stands.');
    }
    return lookOf(answer.payload);
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

/** An older bridge would drop the key and do it once more each time. */
function withKeys(route: Route, key: string | undefined): Route {
  if (key === undefined || route.state.kind !== 'connected' || knowsKeys(route.state)) return route;
  throw new WireError(
    'version',
    'The bridge in OpenCode is older than the plugin. Restart OpenCode, then try again.',
  );
}

function lookOf({ status, answer }: FromBridgeOf<'session.stands'>['payload']): SessionLook {
  if (answer === undefined) return { status, answer };
  const { end, key, ...rest } = answer;
  const named = key === undefined ? {} : { key };
  return { status, answer: { ...rest, end: end === 'open' ? null : end, ...named } };
}

function tell(route: Route, draft: Draft<ToBridge>): void {
  if (!route.send(draft)) throw new WireError('cancelled', 'OpenCode is not connected.', true);
}

function isLastPage(message: FromBridge): boolean {
  return message.type !== 'snapshot' || !message.payload.more;
}

/**
 * Whether a message shows that a request about a session was followed. Where the bridge has no
 * reply of its own, what it tells everybody of the session is the answer.
 */
type Shows = (message: FromBridge) => boolean;

type Progress = FromBridgeOf<'progress.update'>['payload'];

/** A prompt was taken, or a summary begun: the session's next sign of work. */
function showsWork(sessionId: string): Shows {
  const works = showsProgress(sessionId, ({ kind }) => kind === 'busy' || kind === 'retry');
  return (message) =>
    works(message) || (message.sessionId === sessionId && SIGNS.has(message.type));
}

/** A summary was begun, or is there already. */
function showsCompaction(sessionId: string): Shows {
  const begun = showsWork(sessionId);
  const done = showsProgress(sessionId, ({ kind }) => kind === 'compacted');
  return (message) => begun(message) || done(message);
}

function showsTitle(sessionId: string, title: string): Shows {
  return showsProgress(sessionId, (told) => told.kind === 'title' && told.title === title);
}

function showsEnd(sessionId: string): Shows {
  return (message) => message.sessionId === sessionId && message.type === 'session.end';
}

const SIGNS: ReadonlySet<string> = new Set<FromBridge['type']>([
  'stream.token',
  'stream.thinking',
  'tool.update',
  'tool.call',
  'turn.end',
]);

function showsProgress(sessionId: string, fits: (told: Progress) => boolean): Shows {
  return (message) =>
    message.sessionId === sessionId && message.type === 'progress.update' && fits(message.payload);
}
