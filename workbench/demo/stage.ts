import type { Answer, PersonAction } from './script';

/** Result of a person's action. `not_yet`: its task does not exist yet; nothing was done. */
export type ActionResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'not_yet' }
  | { readonly kind: 'failed'; readonly message: string };

/** A request to the person: from OpenCode, or from the plugin about a call. */
export type PersonRequest =
  | { readonly kind: 'permission' | 'question'; readonly requestId: string }
  | { readonly kind: 'call'; readonly callId: string };

/** Performs a script: through the plugin in its page, or through OpenCode's HTTP API and the notes. */
export interface Stage {
  /** @returns the id of the new session */
  startSession(title: string): Promise<string>;
  /** Sends a prompt; resolves when its turn has really ended. */
  prompt(sessionId: string, text: string): Promise<void>;
  act(sessionId: string, action: PersonAction): Promise<ActionResult>;
  /** @param answers the script's answers, one for each question of a request */
  answer(asked: PersonRequest, answers: readonly Answer[]): Promise<void>;
}
