/** What each event tells; all of it is JSON. Sessions are named by their ids. */
export interface HookEvents {
  /** A prompt is about to be sent, whoever wrote it: the person, a run, going on by itself. */
  readonly 'pre-prompt': {
    readonly sessionId: string;
    readonly text: string;
    /** a run sends it, and not the person or the plugin */
    readonly byRun: boolean;
    readonly agent?: string | undefined;
    /** `provider/model` */
    readonly model?: string | undefined;
  };
  /** A prompt was taken, with the text that was sent. */
  readonly 'post-prompt': HookEvents['pre-prompt'];
  /** An agent called one of our tools. The rules and the person have their say afterwards. */
  readonly 'pre-tool-use': {
    readonly tool: string;
    readonly args: unknown;
    readonly agent: string;
    readonly sessionId?: string | undefined;
  };
  /** A call came to its end; the agent gets the answer after the hooks. */
  readonly 'post-tool-use': HookEvents['pre-tool-use'] & {
    readonly ok: boolean;
    /** empty where the call failed */
    readonly title: string;
    /** for the agent: the answer, or what was wrong */
    readonly output: string;
  };
  /** A turn ended. Cancelled, the session does not go on by itself. */
  readonly 'on-stop': {
    readonly sessionId: string;
    readonly reason: 'completed' | 'interrupted' | 'error';
  };
  /** Something went wrong that nobody waits for; once per fault. */
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
  /** A prompt or an answer stands in a session as a whole. */
  readonly 'on-message-added': {
    readonly sessionId: string;
    readonly messageId: string;
    readonly role: 'user' | 'assistant';
    readonly text: string;
  };
  /** The context of a session is full to 95 % after a turn; again when it had room in between. */
  readonly 'on-context-full': {
    readonly sessionId: string;
    /** of the context, from 0 to 1 */
    readonly share: number;
  };
}

export type HookEvent = keyof HookEvents;

/** What a handler may change of an event; of the others nothing. */
export interface HookChanges {
  readonly 'pre-prompt': {
    readonly text?: string;
    readonly agent?: string;
    readonly model?: string;
  };
  readonly 'pre-tool-use': { readonly args?: unknown };
  readonly 'post-tool-use': { readonly title?: string; readonly output?: string };
}

/** What a handler says: to go on as it is (nothing), with something changed, or not at all. */
export type HookAnswer<E extends HookEvent> =
  | undefined
  | { readonly change: E extends keyof HookChanges ? HookChanges[E] : never }
  /** why, in a sentence; the handlers after it are not called */
  | { readonly cancel: string };

export type HookHandler<E extends HookEvent> = (
  event: HookEvents[E],
) => HookAnswer<E> | void | Promise<HookAnswer<E> | void>;

export interface HookOptions {
  /** lower ones first, equal ones in the order in which they were added; 100 where it is not given */
  readonly priority?: number;
  /** ms after which nobody waits for the handler any more; 5,000 where it is not given */
  readonly within?: number;
}
