import type { AlwaysProposal } from './always-proposals';
import type { Decision } from './decide';
import type { Operation, Rule } from './rule';

/** What one of our tools asks a person before it acts. */
export interface Ask {
  /** random, for one answer only */
  readonly requestId: string;
  /** undefined where the call's context has none */
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** as the wire names it: `obsidian.update_note` */
  readonly tool: string;
  /** of the model's call, as in the transcript */
  readonly callId: string;
  readonly operation: Operation;
  /** of the vault, resolved; undefined for a board */
  readonly path: string | undefined;
  /** of the call, as sent */
  readonly args: unknown;
  /** what led to asking */
  readonly decision: Decision;
  /** `restricted`: the agent may not read the note, so nothing of it is shown; undefined: nothing is written */
  readonly change: NoteChange | 'restricted' | undefined;
  /** what "always" may record, undefined where nothing can */
  readonly always: AlwaysProposal | undefined;
  /** an earlier request of the same call, whose note changed since */
  readonly replaces: string | undefined;
  /** ms since the epoch */
  readonly askedAt: number;
  /** ms since the epoch; then it is denied */
  readonly expiresAt: number | undefined;
}

/** Exactly what is written. `before` is undefined for a new note. */
export interface NoteChange {
  readonly before: string | undefined;
  readonly after: string;
}

export type AskAnswer =
  | { readonly reply: 'once' }
  | { readonly reply: 'always'; readonly rule: Rule }
  | { readonly reply: 'reject'; readonly message?: string };

/** How an ask ended: by the person, by its time, since the call was cancelled, or the note is another now. */
export type AskEnd = AskAnswer | { readonly reply: 'expired' | 'cancelled' | 'changed' };
