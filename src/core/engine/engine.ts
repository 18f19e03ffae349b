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
 * The program that runs the sessions. The server calls it to serve clients. It publishes the events of
 * sessions to the clients, and passes calls of our tools to the client that runs them. Methods throw
 * WireError with the answer: `unknown_session` if there is no such session. Optional methods are those that
 * an engine may lack; `engineFeatures` tells clients which exist. An engine with both `start` and `prompt`
 * stores the `key` of each permanently.
 */
export interface Engine {
  /** what every welcome says alike */
  readonly self: Omit<Welcome, 'engine' | 'epoch' | 'features' | 'resumed' | 'sessions'> & {
    readonly engine: EngineInfo;
  };
  sessions(): Promise<Welcome['sessions']>;
  known(
    sessionId: string,
  ): Promise<{ readonly title: string; readonly parentId?: string | undefined }>;
  /**
   * Starts a session, or finds the one that was started with the same key.
   * @param told called once, before anything else of the session is told; `isNew`: nobody else
   * was told of it yet
   */
  start?(
    payload: ToBridgeOf<'session.start'>['payload'],
    told: (created: CreatedDraft, isNew: boolean) => void,
  ): Promise<void>;
  /** Settles when the prompt is taken; with a key, when it is kept, and says which message it is. */
  prompt?(
    message: ToBridgeOf<'session.message'>,
  ): Promise<FromBridgeOf<'prompt.taken'>['payload'] | undefined>;
  /** Whether the model is shown the `related` notes of a prompt, and clients are told which they are. */
  readonly sendsNotes?: true;
  /** Whether its models have none of our tools. */
  readonly lacksTools?: boolean;
  interrupt?(sessionId: string): Promise<void>;
  /** What a client that joins must know: what the session does, and what waits for a person. */
  standing(sessionId: string): readonly FromDraft[];
  answerPermission?(answer: ToBridgeOf<'permission.response'>['payload']): Promise<void>;
  answerQuestion?(answer: ToBridgeOf<'question.response'>['payload']): Promise<void>;
  rename?(sessionId: string, title: string): Promise<void>;
  remove?(sessionId: string): Promise<void>;
  compact?(sessionId: string): Promise<void>;
  /** In pages, oldest first; at least one. */
  history(message: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]>;
  /**
   * A session as it is now, in pages, at least one; never rejects. What it resolves with is called in the moment
   * that the pages are sent, and adds what happened meanwhile.
   */
  snapshot(sessionId: string): Promise<() => readonly SnapshotState[]>;
  /** How a session stands, behind all that was published of it. */
  look(sessionId: string): Promise<{
    readonly created: CreatedDraft;
    readonly stand: FromBridgeOf<'session.stands'>['payload'];
  }>;
  catalog?(): Promise<FromBridgeOf<'catalog'>['payload']>;
}

/** Commands that a catalog lists, and the length of what is said of each. */
const MOST_COMMANDS = 200;
const MOST_ABOUT = 1_000;

/** The agent's own commands as a catalog lists them. */
export function listedCommands(
  all: readonly { readonly name: string; readonly description?: string | undefined }[],
): Pick<FromBridgeOf<'catalog'>['payload'], 'commands'> {
  const commands = all
    .filter(({ name }) => name.length <= MAX_NAME)
    .slice(0, MOST_COMMANDS)
    .map(({ name, description: about = '' }) => ({
      ...{ name, ...(about !== '' && { description: about.slice(0, MOST_ABOUT) }) },
    }));
  return commands.length > 0 ? { commands } : {};
}

/** The method behind each feature. */
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

/** What `welcome.features` says of it; `keys` and `tasks` where it starts and prompts, `tasks` not without our tools, `notes` where it says so. */
export function engineFeatures(engine: Partial<Engine>): readonly Feature[] {
  const has = (feature: keyof Methods): boolean => engine[METHODS[feature]] !== undefined;
  return FEATURES.filter((feature) => {
    if (feature === 'notes') return engine.sendsNotes === true;
    if (feature === 'tasks' && engine.lacksTools === true) return false;
    return feature === 'keys' || feature === 'tasks' ? has('start') && has('prompt') : has(feature);
  });
}

/**
 * The engine, with the method behind a feature.
 * @throws WireError `unsupported` where it has none
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
