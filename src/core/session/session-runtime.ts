import type { BoundBoard, PermissionReply } from '../../protocol/fields';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { ToBridgeOf } from '../../protocol/to-bridge';

/** What the person has before them: the note, what is selected in it, its links and tags. */
export type PromptContext = NonNullable<ToBridgeOf<'session.message'>['payload']['context']>;
/** Of a session's past: some messages, oldest first. */
export type SnapshotPage = FromBridgeOf<'snapshot'>['payload'];
/** Agents and models that can be chosen. */
export type Catalog = Omit<FromBridgeOf<'catalog'>['payload'], 'truncated'>;

export interface SendOptions {
  readonly agent?: string;
  /**
   * Names the prompt, or the start, for good: asked for again with the same key, also after a lost
   * connection or a restart of either side, what was done is found and not done twice. Rejects
   * with `version` where the bridge does not know keys (`knowsKeys`).
   */
  readonly key?: string;
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
        /** the prompt that it answers, by its key; absent where that had none */
        readonly key?: string;
      }
    | undefined;
}

/**
 * What can be done with sessions, whatever runs them. Every promise rejects with a WireError:
 * `cancelled` (no connection, or lost meanwhile), `timeout`, or what the other end answered.
 */
export interface SessionRuntime {
  start(options?: StartOptions): Promise<{ readonly sessionId: string }>;
  /**
   * Resolves when the message was taken, not when it is answered; with a key, when OpenCode keeps it.
   */
  send(sessionId: string, text: string, options?: SendOptions): Promise<Sent>;
  /**
   * When it resolves, the bus has told all that happened in the session before. Rejects with
   * `unknown_session` where OpenCode has no such session.
   */
  look(sessionId: string): Promise<SessionLook>;
  interrupt(sessionId: string): Promise<void>;
  /** `message`: with `reject`, words for the model, which then goes on. */
  answerPermission(
    sessionId: string,
    requestId: string,
    reply: PermissionReply,
    message?: string,
  ): Promise<void>;
  /** One list of chosen labels or own words per question. */
  answerQuestion(
    sessionId: string,
    requestId: string,
    answers: readonly (readonly string[])[],
  ): Promise<void>;
  /** Resolves when the session has the title. */
  rename(sessionId: string, title: string): Promise<void>;
  /** Deletes the session in OpenCode, with its messages; its boards stay. */
  remove(sessionId: string): Promise<void>;
  /** Has the session's past summarised; resolves when that has begun. */
  compact(sessionId: string): Promise<void>;
  /**
   * Messages of the past: the newest ones, or those before the message `before`.
   * @param limit 1 to 1,000 messages
   * @returns pages, oldest message first; fewer messages than `limit` mean that there are no older
   */
  history(
    sessionId: string,
    before: string | undefined,
    limit: number,
  ): Promise<readonly SnapshotPage[]>;
  /** What the OpenCode of a session offers; without one, that in which a new session would start. */
  catalog(sessionId?: string): Promise<Catalog>;
}
