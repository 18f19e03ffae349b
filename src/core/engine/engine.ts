import type { Draft } from '../../protocol/envelope';
import { MAX_NAME, type EngineInfo } from '../../protocol/fields';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { FEATURES, type Feature } from '../../protocol/handshake';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';

export type FromDraft = Draft<FromBridge>;

export type CreatedDraft = Extract<FromDraft, { type: 'session.created' }>;

type Welcome = FromBridgeOf<'welcome'>['payload'];

export type SnapshotState = FromBridgeOf<'snapshot'>['payload']['state'];

/**
 * The program that runs the sessions. The server calls it to serve clients. It publishes the events
 * of sessions to the clients, and passes calls of our tools to the client that runs them. Methods
 * throw WireError with the answer: `unknown_session` if there is no such session. An engine may
 * lack the optional methods; `engineFeatures` tells clients which exist. An engine with both
 * `start` and `prompt` stores the `key` of each permanently.
 */
export interface Engine {
  /** the fields that are the same in every welcome */
  readonly self: Omit<Welcome, 'engine' | 'epoch' | 'features' | 'resumed' | 'sessions'> & {
    readonly engine: EngineInfo;
  };
  sessions(): Promise<Welcome['sessions']>;
  sessionInfo(
    sessionId: string,
  ): Promise<{ readonly title: string; readonly parentId?: string | undefined }>;
  /**
   * Starts a session, or finds the one that was started with the same key.
   * @param onCreated called once, before any other event of the session is published; `isNew`: the
   * session has not been announced to any client yet
   */
  start?(
    payload: ToBridgeOf<'session.start'>['payload'],
    onCreated: (created: CreatedDraft, isNew: boolean) => void,
  ): Promise<void>;
  /**
   * Resolves when the prompt was accepted; with a key, when it is stored, with the id of its
   * message.
   */
  prompt?(
    message: ToBridgeOf<'session.message'>,
  ): Promise<FromBridgeOf<'prompt.taken'>['payload'] | undefined>;
  /**
   * Whether the engine sends the `related` notes of a prompt to the model, and their names to
   * clients.
   */
  readonly sendsNotes?: true;
  /** Whether our tools are not available to its models. */
  readonly lacksTools?: boolean;
  interrupt?(sessionId: string): Promise<void>;
  /** The events that a joining client needs: the session's status, and its pending requests. */
  currentEvents(sessionId: string): readonly FromDraft[];
  answerPermission?(answer: ToBridgeOf<'permission.response'>['payload']): Promise<void>;
  answerQuestion?(answer: ToBridgeOf<'question.response'>['payload']): Promise<void>;
  rename?(sessionId: string, title: string): Promise<void>;
  remove?(sessionId: string): Promise<void>;
  compact?(sessionId: string): Promise<void>;
  /** Pages of history, oldest first; at least one. */
  history(message: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]>;
  /**
   * The current state of a session, in pages, at least one; never rejects. The returned function is
   * called when the pages are sent, so that they include what happened meanwhile.
   */
  snapshot(sessionId: string): Promise<() => readonly SnapshotState[]>;
  /** The status of a session, after all events that were published of it. */
  getStatus(sessionId: string): Promise<{
    readonly created: CreatedDraft;
    readonly status: FromBridgeOf<'session.stands'>['payload'];
  }>;
  catalog?(): Promise<FromBridgeOf<'catalog'>['payload']>;
  /** The use of its caches, one line each, for a report. */
  caches?(): readonly string[];
}

/** Maximum commands in a catalog, and maximum characters of a description. */
const MAX_COMMANDS = 200;
const MAX_DESCRIPTION = 1_000;

/** The agent's own commands for a catalog. */
export function catalogCommands(
  all: readonly { readonly name: string; readonly description?: string | undefined }[],
): Pick<FromBridgeOf<'catalog'>['payload'], 'commands'> {
  const commands = all
    .filter(({ name }) => name.length <= MAX_NAME)
    .slice(0, MAX_COMMANDS)
    .map(({ name, description: about = '' }) => ({
      ...{ name, ...(about !== '' && { description: about.slice(0, MAX_DESCRIPTION) }) },
    }));
  return commands.length > 0 ? { commands } : {};
}

/** The method that implements each feature. */
const METHODS = {
  start: 'start',
  prompt: 'prompt',
  interrupt: 'interrupt',
  compact: 'compact',
  rename: 'rename',
  remove: 'remove',
  permissions: 'answerPermission',
  questions: 'answerQuestion',
  catalog: 'catalog',
} as const satisfies Record<Exclude<Feature, 'keys' | 'tasks' | 'notes'>, keyof Engine>;

type Methods = typeof METHODS;

/**
 * The features for `welcome.features`: `keys` and `tasks` if the engine has `start` and `prompt`
 * (`tasks` also requires our tools), `notes` if it has `sendsNotes`, all others if it has the
 * method.
 */
export function engineFeatures(engine: Partial<Engine>): readonly Feature[] {
  const has = (feature: keyof Methods): boolean => engine[METHODS[feature]] !== undefined;
  return FEATURES.filter((feature) => {
    if (feature === 'notes') return engine.sendsNotes === true;
    if (feature === 'tasks' && engine.lacksTools === true) return false;
    return feature === 'keys' || feature === 'tasks' ? has('start') && has('prompt') : has(feature);
  });
}

/**
 * The engine, typed as having the method of a feature.
 * @throws WireError `unsupported` if it does not
 */
export function engineWith<F extends keyof Methods>(
  engine: Engine,
  feature: F,
): Engine & Required<Pick<Engine, Methods[F]>> {
  if (hasMethod(engine, METHODS[feature])) return engine;
  const { name } = engine.self.engine;
  throw new WireError('unsupported', `The engine “${name}” of this bridge can’t do “${feature}”.`);
}

function hasMethod<M extends keyof Engine>(
  engine: Engine,
  method: M,
): engine is Engine & Required<Pick<Engine, M>> {
  return engine[method] !== undefined;
}
