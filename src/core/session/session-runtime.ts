import type { PermissionReply } from '../../protocol/permission-reply';

export interface StartOptions {
  readonly title?: string;
  readonly agent?: string;
  /** `provider/model` */
  readonly model?: string;
}

export interface SendOptions {
  readonly agent?: string;
  /** `provider/model` */
  readonly model?: string;
}

/**
 * What can be done with sessions, whatever runs them. Every promise rejects with a WireError:
 * `cancelled` (no connection, or lost meanwhile), `timeout`, or what the other end answered.
 */
export interface SessionRuntime {
  start(options?: StartOptions): Promise<{ readonly sessionId: string }>;
  /** Resolves when the message was taken, not when it is answered. */
  send(sessionId: string, text: string, options?: SendOptions): Promise<void>;
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
}
