import type { Answer, PersonAction } from './script';

/** What a person's action came to. `not_yet`: its task is not there; nothing was done. */
export type Acted =
  | { readonly kind: 'done' }
  | { readonly kind: 'not_yet' }
  | { readonly kind: 'failed'; readonly message: string };

/** Something that waits for the person: what OpenCode asks, or a call that the plugin asks about. */
export type Asked =
  | { readonly kind: 'permission' | 'question'; readonly requestId: string }
  | { readonly kind: 'call'; readonly callId: string };

/** Whoever carries a script out: the plugin in its page, or OpenCode's HTTP and the notes. */
export interface Stage {
  /** @returns the id of the new session */
  startSession(title: string): Promise<string>;
  /** Sends a prompt; fulfilled when its turn has really ended. */
  prompt(sessionId: string, text: string): Promise<void>;
  act(sessionId: string, action: PersonAction): Promise<Acted>;
  /** @param answers what the script says, one for each question of a request */
  answer(asked: Asked, answers: readonly Answer[]): Promise<void>;
}
