/** The data of each event, all of it JSON. Sessions are given by their ids. */
export interface HookEvents {
  /** A prompt is about to be sent: by the person, a run, or auto-continue. */
  readonly 'pre-prompt': {
    readonly sessionId: string;
    readonly text: string;
    /** whether a run sends it, rather than the person or the plugin */
    readonly byRun: boolean;
    readonly agent?: string | undefined;
    /** `provider/model` */
    readonly model?: string | undefined;
  };
  /** A prompt was accepted, with the text that was sent. */
  readonly 'post-prompt': HookEvents['pre-prompt'];
  /** An agent called one of our tools. The permission rules and the person decide afterwards. */
  readonly 'pre-tool-use': {
    readonly tool: string;
    readonly args: unknown;
    readonly agent: string;
    readonly sessionId?: string | undefined;
  };
  /** A call ended; the agent gets the answer after the hooks have run. */
  readonly 'post-tool-use': HookEvents['pre-tool-use'] & {
    readonly ok: boolean;
    /** empty if the call failed */
    readonly title: string;
    /** for the agent: the answer, or what was wrong */
    readonly output: string;
  };
  /** A turn ended. If a handler cancels this event, the session does not continue automatically. */
  readonly 'on-stop': {
    readonly sessionId: string;
    readonly reason: 'completed' | 'interrupted' | 'error';
  };
  /** An operation failed that no caller waits for; once per fault. */
  readonly 'on-error': {
    readonly message: string;
    /** the part of the product, as "store.read" */
    readonly at: string;
    readonly severity: 'critical' | 'error';
    readonly sessionId?: string | undefined;
  };
  /** A session began. */
  readonly 'on-session-init': {
    readonly sessionId: string;
    readonly title: string;
    readonly parentId?: string | undefined;
    readonly agent?: string | undefined;
  };
  /** A prompt or an answer is complete. */
  readonly 'on-message-added': {
    readonly sessionId: string;
    readonly messageId: string;
    readonly role: 'user' | 'assistant';
    readonly text: string;
  };
  /**
   * The context of a session is at least 95 % full after a turn; again only after it had room in
   * between.
   */
  readonly 'on-context-full': {
    readonly sessionId: string;
    /** share of the context, from 0 to 1 */
    readonly share: number;
  };
}

export type HookEvent = keyof HookEvents;

/** What a handler may change of an event; events that are not listed can't be changed. */
export interface HookChanges {
  readonly 'pre-prompt': {
    readonly text?: string;
    readonly agent?: string;
    readonly model?: string;
  };
  readonly 'pre-tool-use': { readonly args?: unknown };
  readonly 'post-tool-use': { readonly title?: string; readonly output?: string };
}

/** The answer of a handler: continue unchanged (undefined), continue with a change, or cancel. */
export type HookAnswer<E extends HookEvent> =
  | undefined
  | { readonly change: E extends keyof HookChanges ? HookChanges[E] : never }
  /** why, in a sentence; no later handler is called */
  | { readonly cancel: string };

export type HookHandler<E extends HookEvent> = (
  event: HookEvents[E],
) => HookAnswer<E> | void | Promise<HookAnswer<E> | void>;

export interface HookOptions {
  /** lower ones run first, equal ones in the order in which they were added; 100 by default */
  readonly priority?: number;
  /** ms after which the handler's answer is ignored; 5,000 by default */
  readonly within?: number;
}
