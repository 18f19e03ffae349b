import type { Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import type { BoundBoard, PermissionReply } from '../../protocol/fields';
import type { Feature } from '../../protocol/handshake';
import type { ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { HookRunner } from '../hook/hooks';
import type { Ids } from '../ports';
import type { ConnectionManager } from './connection-manager';
import { isFeatureAvailable } from './connection';
import { unsupportedReason } from './session-host';
/** The note that the person has open, the text selected in it, and notes to send along. */
export type PromptContext = NonNullable<ToBridgeOf<'session.message'>['payload']['context']>;
/** A page of a session's history: some messages, oldest first. */
export type SnapshotPage = FromBridgeOf<'snapshot'>['payload'];
/** Agents, models and commands that can be chosen; `model` is the default. */
export type Catalog = Omit<FromBridgeOf<'catalog'>['payload'], 'truncated'>;

export interface SendOptions {
  readonly agent?: string;
  /**
   * The idempotency key of a prompt or a start: a request that is repeated with the same key, also
   * after a lost connection or a restart of either side, finds the earlier result and does nothing
   * twice. Rejects with `version` if the bridge does not support keys.
   */
  readonly key?: string;
  /**
   * Like `key`, but left out if the bridge does not support keys. For actions that a person can
   * repeat.
   */
  readonly repeat?: string;
  /** `provider/model` */
  readonly model?: string;
  readonly context?: PromptContext;
}

export interface StartOptions extends Omit<SendOptions, 'context'> {
  readonly title?: string;
  /** the session that the new one is a part of */
  readonly parentId?: string;
  /** the board that it works on, and the only task that it may change, whatever its calls name */
  readonly board?: BoundBoard;
  /** id of the bridge that starts it; the newest by default */
  readonly bridge?: string;
}

/** The outcome of sending a prompt. */
export interface SendResult {
  /** an earlier send with the same key was accepted already */
  readonly before: boolean;
}

/** A session's status and newest answer, received after all earlier events of the session. */
export interface SessionStatus {
  readonly status: 'idle' | 'busy' | 'retry';
  /** the newest answer, if there is one; `text` is that of its last part, and may be empty */
  readonly answer:
    | {
        readonly messageId: string;
        readonly text: string;
        /** null: it was not completed */
        readonly end: 'completed' | 'interrupted' | 'error' | null;
        /** a message for the person if it ended with an error */
        readonly error: string;
        /** code of that error; absent if the engine reports none */
        readonly code?: string | undefined;
        /** key of the prompt that it answers; absent if that had none */
        readonly key?: string | undefined;
      }
    | undefined;
}

/** The connection to the bridge that a request is for. */
type Route = Pick<ConnectionManager, 'send' | 'request' | 'collect' | 'state'>;

export interface Routes {
  /** The bridge that runs the session. @throws WireError if none that is connected does */
  forSession(sessionId: string): Route;
  /** The bridge that made the request, even if another runs the session by now. */
  forRequest(sessionId: string, requestId: string): Route;
  /** The bridge that starts new sessions. @throws WireError if `bridge` is not connected */
  forNewSession(bridge?: string): Route;
}

/** Time limit for a response, ms. */
const TIMEOUT = 10_000;

/** Time limit for starting a session or a turn, ms; a lost bridge is noticed sooner. */
const START_TIMEOUT = 60_000;

/**
 * Time limit for reading a session's history, ms: its program may have to start and to load the
 * session. `agent-boards serve` gives an agent two minutes for each, and then reports the failure.
 */
const HISTORY_TIMEOUT = 300_000;

/** The operations on sessions, independent of the engine. */
export type SessionRuntime = Pick<BridgeRuntime, keyof BridgeRuntime>;

/**
 * Controls sessions in OpenCode through the bridge. Every promise rejects with a WireError:
 * `cancelled` (no connection, or lost meanwhile), `timeout`, `unsupported`, or the error that the
 * bridge returned.
 */
export class BridgeRuntime {
  constructor(
    private readonly routes: Routes,
    private readonly ids: Ids,
    /** run before and after a prompt */
    private readonly hooks?: HookRunner,
  ) {}

  /** Several starts at the same time don't mix: each has its own `requestId`. */
  async start({ bridge, repeat, ...options }: StartOptions = {}): Promise<{
    readonly sessionId: string;
  }> {
    const requestId = this.ids.unique();
    const route = requireFeature(this.routes.forNewSession(bridge), 'start');
    const payload = { requestId, ...repeatKeyFor(route, repeat), ...options };
    const answer = await requireKeys(route, options.key).request(
      { type: 'session.start', payload },
      START_TIMEOUT,
      (message) => message.type === 'session.created' && message.payload.requestId === requestId,
    );
    if (answer.sessionId === undefined) {
      throw new WireError('bad_message', 'The bridge answered a start without a session.');
    }
    return { sessionId: answer.sessionId };
  }

  /**
   * Resolves when the prompt was accepted, not when it is answered; with a key, when OpenCode has
   * stored it. Hooks may change its text, agent and model, or cancel it; then this rejects with
   * `conflict`.
   */
  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<SendResult> {
    const { hooks } = this;
    if (hooks === undefined) return this.#send(sessionId, text, options);
    const { agent, model, key } = options;
    const said = { sessionId, text, byRun: key !== undefined, agent, model };
    const { facts, cancelled } = await hooks.run('pre-prompt', said);
    if (cancelled !== undefined) {
      const { by, reason } = cancelled;
      throw new WireError('conflict', `A hook of ${by} cancelled the prompt. ${reason}`);
    }
    const chosen = {
      ...(facts.agent !== undefined && { agent: facts.agent }),
      ...(facts.model !== undefined && { model: facts.model }),
    };
    const sent = await this.#send(sessionId, facts.text, { ...options, ...chosen });
    if (!sent.before) void hooks.run('post-prompt', facts);
    return sent;
  }

  async #send(
    sessionId: string,
    text: string,
    { repeat, ...options }: SendOptions,
  ): Promise<SendResult> {
    const route = requireKeys(
      requireFeature(this.routes.forSession(sessionId), 'prompt'),
      options.key,
    );
    const payload = { text, ...repeatKeyFor(route, repeat), ...options };
    const draft = { type: 'session.message', sessionId, payload } as const;
    if (payload.key === undefined) {
      await route.request(draft, START_TIMEOUT, showsWork(sessionId));
      return { before: false };
    }
    const answer = await route.request(draft, START_TIMEOUT);
    if (answer.type !== 'prompt.taken') {
      throw new WireError('bad_message', 'The bridge does not say whether it took the prompt.');
    }
    return { before: answer.payload.before };
  }

  /**
   * Resolves after the bus has delivered all earlier events of the session, since the response is
   * numbered like them. Rejects with `unknown_session` if OpenCode has no such session.
   */
  async getStatus(sessionId: string): Promise<SessionStatus> {
    const draft = { type: 'session.look', sessionId, payload: {} } as const;
    const answer = await this.routes.forSession(sessionId).request(draft, TIMEOUT);
    if (answer.type !== 'session.stands') {
      throw new WireError('bad_message', 'The bridge does not say how the session stands.');
    }
    const { status, answer: newest } = answer.payload;
    if (newest === undefined) return { status, answer: undefined };
    return { status, answer: { ...newest, end: newest.end === 'open' ? null : newest.end } };
  }

  async interrupt(sessionId: string): Promise<void> {
    const route = requireFeature(this.routes.forSession(sessionId), 'interrupt');
    sendOrThrow(route, { type: 'session.interrupt', sessionId, payload: {} });
  }

  /** @param message with `reject`: text for the model, which then continues */
  async answerPermission(
    sessionId: string,
    requestId: string,
    reply: PermissionReply,
    message?: string,
  ): Promise<void> {
    const words = message === undefined ? {} : { message };
    const payload = { requestId, reply, ...words };
    const route = requireFeature(this.routes.forRequest(sessionId, requestId), 'permissions');
    sendOrThrow(route, { type: 'permission.response', sessionId, payload });
  }

  /** @param answers for each question, the chosen labels or the person's own text */
  async answerQuestion(
    sessionId: string,
    requestId: string,
    answers: readonly (readonly string[])[],
  ): Promise<void> {
    const payload = { requestId, answers: answers.map((answer) => [...answer]) };
    const route = requireFeature(this.routes.forRequest(sessionId, requestId), 'questions');
    sendOrThrow(route, { type: 'question.response', sessionId, payload });
  }

  /** Resolves when the bridge reports the new title. */
  async rename(sessionId: string, title: string): Promise<void> {
    const shows = showsProgress(sessionId, (t) => t.kind === 'title' && t.title === title);
    const draft = { type: 'session.update', sessionId, payload: { title } } as const;
    await this.#ask('rename', draft, shows);
  }

  /** Deletes the session in OpenCode, with its messages; its boards stay. */
  async remove(sessionId: string): Promise<void> {
    await this.#ask(
      'remove',
      { type: 'session.delete', sessionId, payload: {} },
      (message) => message.type === 'session.end' && message.sessionId === sessionId,
    );
  }

  /** Requests a summary of the session's history; resolves when the compaction has begun. */
  async compact(sessionId: string): Promise<void> {
    const shows = showsCompaction(sessionId);
    await this.#ask('compact', { type: 'session.compact', sessionId, payload: {} }, shows);
  }

  /**
   * Reads earlier messages: the newest ones, or those before the message `before`.
   * @param limit 1 to 1,000 messages
   * @returns pages, oldest message first; fewer messages than `limit` mean that there are no older
   * ones
   */
  async history(
    sessionId: string,
    before: string | undefined,
    limit: number,
  ): Promise<readonly SnapshotPage[]> {
    const payload = { limit, ...(before !== undefined && { before }) };
    const draft = { type: 'session.history', sessionId, payload } as const;
    const isLast = (page: FromBridge) => page.type !== 'snapshot' || !page.payload.more;
    const pages = await this.routes.forSession(sessionId).collect(draft, HISTORY_TIMEOUT, isLast);
    return pages.flatMap((page) => (page.type === 'snapshot' ? [page.payload] : []));
  }

  /**
   * The catalog of the program that runs a session; without a session, of the one that starts new
   * sessions, or of `bridge`.
   */
  async catalog(sessionId?: string, bridge?: string): Promise<Catalog> {
    const route =
      sessionId === undefined
        ? this.routes.forNewSession(bridge)
        : this.routes.forSession(sessionId);
    const draft = { type: 'catalog.get', payload: {} } as const;
    const answer = await requireFeature(route, 'catalog').request(draft, TIMEOUT);
    if (answer.type !== 'catalog') throw new WireError('bad_message', 'This is no catalog.');
    const { agents, models, model, commands } = answer.payload;
    return {
      ...{ agents, models },
      ...(model !== undefined && { model }),
      ...(commands !== undefined && { commands }),
    };
  }

  #ask(
    feature: Feature,
    draft: Draft<ToBridge> & { sessionId: string },
    shows: MessageMatcher,
  ): Promise<FromBridge> {
    return requireFeature(this.routes.forSession(draft.sessionId), feature).request(
      draft,
      TIMEOUT,
      shows,
    );
  }
}

/** Returns the route if its bridge supports the feature. @throws WireError `unsupported` */
function requireFeature(route: Route, feature: Feature): Route {
  const { state } = route;
  const why = state.kind === 'connected' ? unsupportedReason({ host: state }, feature) : undefined;
  if (why === undefined) return route;
  throw new WireError('unsupported', why);
}

/** An older bridge would ignore the key and execute a repeated request again. */
function requireKeys(route: Route, key: string | undefined): Route {
  if (
    key === undefined ||
    route.state.kind !== 'connected' ||
    isFeatureAvailable(route.state, 'keys')
  )
    return route;
  throw new WireError(
    'version',
    'The bridge in OpenCode is older than the plugin. Restart OpenCode, then try again.',
  );
}

function repeatKeyFor({ state }: Route, repeat: string | undefined): { readonly key?: string } {
  const able =
    repeat !== undefined && state.kind === 'connected' && isFeatureAvailable(state, 'keys');
  return able ? { key: repeat } : {};
}

function sendOrThrow(route: Route, draft: Draft<ToBridge>): void {
  if (!route.send(draft)) throw new WireError('cancelled', 'Its program is not connected.', true);
}

/**
 * Whether a message shows that a request about a session was carried out. If the bridge sends no
 * reply to a request, its event about the session counts as the answer.
 */
type MessageMatcher = (message: FromBridge) => boolean;

type Progress = FromBridgeOf<'progress.update'>['payload'];

/**
 * Matches the report that the session works: the prompt was accepted, or a compaction begun. Tokens
 * and calls are no sign, since they may be those of a turn that ran before.
 */
function showsWork(sessionId: string): MessageMatcher {
  return showsProgress(sessionId, ({ kind }) => kind === 'busy' || kind === 'retry');
}

/** Matches the beginning of a compaction, or its end. */
function showsCompaction(sessionId: string): MessageMatcher {
  const begun = showsWork(sessionId);
  const done = showsProgress(sessionId, ({ kind }) => kind === 'compacted');
  return (message) => begun(message) || done(message);
}

function showsProgress(sessionId: string, fits: (told: Progress) => boolean): MessageMatcher {
  return (message) =>
    message.sessionId === sessionId && message.type === 'progress.update' && fits(message.payload);
}
