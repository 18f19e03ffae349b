import type { Draft } from '../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../protocol/from-bridge';
import type { ToBridgeOf } from '../protocol/to-bridge';

export type FromDraft = Draft<FromBridge>;

export type CreatedDraft = Extract<FromDraft, { type: 'session.created' }>;

type Welcome = FromBridgeOf<'welcome'>['payload'];

export type SnapshotState = FromBridgeOf<'snapshot'>['payload']['state'];

/**
 * What runs the sessions; the server asks it for what clients want. What happens in a session it
 * publishes to the clients, and a call of our tools it hands to the client that runs them. Methods
 * throw WireError with what to answer: `unknown_session` where there is no such session.
 */
export interface Engine {
  /** what every welcome says alike */
  readonly self: Omit<Welcome, 'epoch' | 'resumed' | 'sessions'>;
  sessions(): Promise<Welcome['sessions']>;
  known(
    sessionId: string,
  ): Promise<{ readonly title: string; readonly parentId?: string | undefined }>;
  /**
   * Starts a session, or finds the one that was started with the same key.
   * @param told called once, before anything else of the session is told; `isNew`: nobody else
   * was told of it yet
   */
  start(
    payload: ToBridgeOf<'session.start'>['payload'],
    told: (created: CreatedDraft, isNew: boolean) => void,
  ): Promise<void>;
  /** Settles when the prompt is taken; with a key, when it is kept, and says which message it is. */
  prompt(
    message: ToBridgeOf<'session.message'>,
  ): Promise<FromBridgeOf<'prompt.taken'>['payload'] | undefined>;
  interrupt(sessionId: string): Promise<void>;
  /** What a client that joins must know: what the session does, and what waits for a person. */
  standing(sessionId: string): readonly FromDraft[];
  answerPermission(answer: ToBridgeOf<'permission.response'>['payload']): Promise<void>;
  answerQuestion(answer: ToBridgeOf<'question.response'>['payload']): Promise<void>;
  rename(sessionId: string, title: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
  compact(sessionId: string): Promise<void>;
  /** In pages, oldest first. */
  history(message: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]>;
  /**
   * A session as it is now, in pages; never rejects. What it resolves with is called in the moment
   * that the pages are sent, and adds what happened meanwhile.
   */
  snapshot(sessionId: string): Promise<() => readonly SnapshotState[]>;
  /** How a session stands, behind all that was published of it. */
  look(sessionId: string): Promise<{
    readonly created: CreatedDraft;
    readonly stand: FromBridgeOf<'session.stands'>['payload'];
  }>;
  catalog(): Promise<FromBridgeOf<'catalog'>['payload']>;
}
