import type { SessionRuntime } from '../../core/session/session-runtime';
import type { Step } from '../ask/step';
import type { Overview } from '../model/overview';
import type { NeedsSource } from '../sidebar/needs-you';
import type { Choice } from '../desk/pick';
import type { ContextChip, Drafts } from './drafts';
import type { Frames, TranscriptSource } from './use-transcript';

/** What a conversation view needs of the plugin. */
export interface ConversationDeps {
  readonly overview: Overview;
  readonly transcripts: TranscriptSource;
  /** shared by all conversations */
  readonly frames: Frames;
  readonly needs: NeedsSource;
  readonly runtime: Pick<SessionRuntime, 'send' | 'interrupt' | 'catalog'>;
  readonly drafts: Drafts;
  readonly settings: () => { readonly enterSends: boolean; readonly remoteImages: boolean };
  readonly today: () => string;
  readonly notify: (message: string) => void;
  /** Says to screen readers that a turn is over. */
  readonly announce: (sentence: string) => void;
  readonly review: (requestId: string, step?: Step) => void;
  readonly allowOnce: (requestId: string) => void;
  readonly openNote: (path: string, newTab: boolean) => void;
  readonly copy: (text: string) => void;
  /** Notes of the vault that fit some words, the best first. */
  readonly notes: (words: string) => readonly string[];
  /** What the person has before them beside the conversation. */
  readonly before: () => ContextChip | undefined;
  readonly pick: (
    choices: readonly Choice<string>[],
    placeholder: string,
  ) => Promise<string | undefined>;
  /** What sessions do by themselves. */
  readonly continues: {
    continueNow(sessionId: string): void;
    stop(sessionId: string): void;
    /** The person has begun to write to a session, or has no words for it any more. */
    typing(sessionId: string, has: boolean): void;
  };
}
