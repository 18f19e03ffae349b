import type { Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import type { BoundBoard, PermissionReply } from '../../protocol/fields';
import type { Feature } from '../../protocol/handshake';
import type { ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { HookRunner } from '../hook/hooks';
import type { Ids } from '../ports';
import type { ConnectionManager } from './connection-manager';
import { isAble } from './connection';
import { whyNot } from './session-host';
/** What the person has before them: the note, what is selected in it; and notes that go along. */
export type PromptContext = NonNullable<ToBridgeOf<'session.message'>['payload']['context']>;
/** Of a session's past: some messages, oldest first. */
export type SnapshotPage = FromBridgeOf<'snapshot'>['payload'];
/** Agents, models and commands that can be chosen; `model`: what is taken where nothing names one. */
export type Catalog = Omit<FromBridgeOf<'catalog'>['payload'], 'truncated'>;

export interface SendOptions {
  readonly agent?: string;
  /**
   * The idempotency key of a prompt or a start: a repeated request with the same key, also after a lost
   * connection or a restart of either side, finds the earlier result and does nothing twice. Rejects with
   * `version` if the bridge does not support keys.
   */
  readonly key?: string;
  /** A key for what a person may do again. Left out where the bridge supports none. */
  readonly repeat?: string;
  /** `provider/model` */
  readonly model?: string;
  readonly context?: PromptContext;
}

export interface StartOptions extends Omit<SendOptions, 'context'> {
  readonly title?: string;
  /** the session that the new one is a part of */
  readonly parentId?: string;
  /** the board that it works on, and the one task it may change, whatever its calls say */
  readonly board?: BoundBoard;
  /** which OpenCode, by its bridge's id; the newest where none is named */
  readonly bridge?: string;
}

/** What became of a prompt. */
export interface Sent {
  /** it was there already, from an earlier send with its key */
  readonly before: boolean;
}

/** How a session stands, told after everything else that happened in it until then. */
export interface SessionLook {
  readonly status: 'idle' | 'busy' | 'retry';
  /** the newest answer, where there is one; `text` of its last part, may be empty */
  readonly answer:
    | {
        readonly messageId: string;
        readonly text: string;
        /** null: it was not written to its end */
        readonly end: 'completed' | 'interrupted' | 'error' | null;
        /** words for the person where it ended with an error */
        readonly error: string;
        /** of that error; absent where its program does not tell it */
        readonly code?: string | undefined;
        /** the prompt that it answers, by its key; absent where that had none */
        readonly key?: string | undefined;
      }
    | undefined;
}

/** Where requests go: a connection to the OpenCode that is meant. */
type Route = Pick<ConnectionManager, 'send' | 'request' | 'collect' | 'state'>;

export interface Routes {
  /** To the OpenCode that runs the session. @throws WireError where none that is connected does */
  of(sessionId: string): Route;
  /** To the OpenCode that made the request, wherever the session went since. */
  prompts(sessionId: string, requestId: string): Route;
  /** To where new sessions start. @throws WireError where the bridge is not connected */
  fresh(bridge?: string): Route;
}

/** How long the other end may take to answer, ms. */
const TIMEOUT = 10_000;

/** How long it may take to start a session or to begin its work, ms: a bridge that is gone is noticed sooner. */
const TO_BEGIN = 60_000;

/**
 * How long it may take to tell what was said in a session, ms: its program may have to start and to load it, for each
 * of which `agent-boards serve` gives an agent two minutes, and then says what failed.
 */
const TO_OPEN = 300_000;

/** What can be done with sessions, whatever runs them. */
export type SessionRuntime = Pick<BridgeRuntime, keyof BridgeRuntime>;

/**
 * Sessions that run in OpenCode, through the bridge. Every promise rejects with a WireError:
 * `cancelled` (no connection, or lost meanwhile), `timeout`, `unsupported`, or what the other end answered.
 */
export class BridgeRuntime {
  constructor(
    private readonly routes: Routes,
    private readonly ids: Ids,
    /** who takes part before and after a prompt */
    private readonly hooks?: HookRunner,
  ) {}

  /** Starts at the same time don't mix: each has its own `requestId`. */
  async start({ bridge, repeat, ...options }: StartOptions = {}): Promise<{
    readonly sessionId: string;
  }> {
    const requestId = this.ids.unique();
    const route = able(this.routes.fresh(bridge), 'start');
    const payload = { requestId, ...withRepeat(route, repeat), ...options };
    const answer = await withKeys(route, options.key).request(
      { type: 'session.start', payload },
      TO_BEGIN,
      (message) => message.type === 'session.created' && message.payload.requestId === requestId,
    );
    if (answer.sessionId === undefined) {
      throw new WireError('bad_message', 'The bridge answered a start without a session.');
    }
    return { sessionId: answer.sessionId };
  }

  /**
   * Resolves when the message was taken, not when it is answered; with a key, when OpenCode keeps it.
   * Hooks may change its words, agent and model, or cancel it: then it rejects with `conflict`.
   */
  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<Sent> {
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

  async #send(sessionId: string, text: string, { repeat, ...options }: SendOptions): Promise<Sent> {
    const route = withKeys(able(this.routes.of(sessionId), 'prompt'), options.key);
    const payload = { text, ...withRepeat(route, repeat), ...options };
    const draft = { type: 'session.message', sessionId, payload } as const;
    if (payload.key === undefined) {
      await route.request(draft, TO_BEGIN, showsWork(sessionId));
      return { before: false };
    }
    const answer = await route.request(draft, TO_BEGIN);
    if (answer.type !== 'prompt.taken') {
      throw new WireError('bad_message', 'The bridge does not say whether it took the prompt.');
    }
    return { before: answer.payload.before };
  }

  /**
   * When it resolves, the bus has told all that happened in the session before: the answer is
   * numbered. Rejects with `unknown_session` where OpenCode has no such session.
   */
  async look(sessionId: string): Promise<SessionLook> {
    const draft = { type: 'session.look', sessionId, payload: {} } as const;
    const answer = await this.routes.of(sessionId).request(draft, TIMEOUT);
    if (answer.type !== 'session.stands') {
      throw new WireError('bad_message', 'The bridge does not say how the session stands.');
    }
    const { status, answer: newest } = answer.payload;
    if (newest === undefined) return { status, answer: undefined };
    return { status, answer: { ...newest, end: newest.end === 'open' ? null : newest.end } };
  }

  async interrupt(sessionId: string): Promise<void> {
    const route = able(this.routes.of(sessionId), 'interrupt');
    tell(route, { type: 'session.interrupt', sessionId, payload: {} });
  }

  /** `message`: with `reject`, words for the model, which then goes on. */
  async answerPermission(
    sessionId: string,
    requestId: string,
    reply: PermissionReply,
    message?: string,
  ): Promise<void> {
    const words = message === undefined ? {} : { message };
    const payload = { requestId, reply, ...words };
    const route = able(this.routes.prompts(sessionId, requestId), 'permissions');
    tell(route, { type: 'permission.response', sessionId, payload });
  }

  /** One list of chosen labels or own words per question. */
  async answerQuestion(
    sessionId: string,
    requestId: string,
    answers: readonly (readonly string[])[],
  ): Promise<void> {
    const payload = { requestId, answers: answers.map((answer) => [...answer]) };
    const route = able(this.routes.prompts(sessionId, requestId), 'questions');
    tell(route, { type: 'question.response', sessionId, payload });
  }

  /** Resolves when the session has the title. */
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

  /** Has the session's past summarised; resolves when that has begun. */
  async compact(sessionId: string): Promise<void> {
    const shows = showsCompaction(sessionId);
    await this.#ask('compact', { type: 'session.compact', sessionId, payload: {} }, shows);
  }

  /**
   * Messages of the past: the newest ones, or those before the message `before`.
   * @param limit 1 to 1,000 messages
   * @returns pages, oldest message first; fewer messages than `limit` mean that there are no older
   */
  async history(
    sessionId: string,
    before: string | undefined,
    limit: number,
  ): Promise<readonly SnapshotPage[]> {
    const payload = { limit, ...(before !== undefined && { before }) };
    const draft = { type: 'session.history', sessionId, payload } as const;
    const isLast = (page: FromBridge) => page.type !== 'snapshot' || !page.payload.more;
    const pages = await this.routes.of(sessionId).collect(draft, TO_OPEN, isLast);
    return pages.flatMap((page) => (page.type === 'snapshot' ? [page.payload] : []));
  }

  /** What the program of a session offers; without one, that in which a new session would start, or `bridge`. */
  async catalog(sessionId?: string, bridge?: string): Promise<Catalog> {
    const route = sessionId === undefined ? this.routes.fresh(bridge) : this.routes.of(sessionId);
    const draft = { type: 'catalog.get', payload: {} } as const;
    const answer = await able(route, 'catalog').request(draft, TIMEOUT);
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
    shows: Shows,
  ): Promise<FromBridge> {
    return able(this.routes.of(draft.sessionId), feature).request(draft, TIMEOUT, shows);
  }
}

/** The route, where its bridge can do that. @throws WireError `unsupported` */
function able(route: Route, feature: Feature): Route {
  const { state } = route;
  const why = state.kind === 'connected' ? whyNot({ host: state }, feature) : undefined;
  if (why === undefined) return route;
  throw new WireError('unsupported', why);
}

/** An older bridge would drop the key and do it once more each time. */
function withKeys(route: Route, key: string | undefined): Route {
  if (key === undefined || route.state.kind !== 'connected' || isAble(route.state, 'keys'))
    return route;
  throw new WireError(
    'version',
    'The bridge in OpenCode is older than the plugin. Restart OpenCode, then try again.',
  );
}

function withRepeat({ state }: Route, repeat: string | undefined): { readonly key?: string } {
  const able = repeat !== undefined && state.kind === 'connected' && isAble(state, 'keys');
  return able ? { key: repeat } : {};
}

function tell(route: Route, draft: Draft<ToBridge>): void {
  if (!route.send(draft)) throw new WireError('cancelled', 'Its program is not connected.', true);
}

/**
 * Whether a message shows that a request about a session was carried out. If the bridge sends no reply of
 * its own, its event about the session counts as the answer.
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
