import type { RunAction } from '../../core/orchestrator/event';

/** What a person can do about a run, by a button, a key, a menu or a command. */
export type Deed =
  | { readonly kind: 'act'; readonly action: RunAction }
  /** asks how, and why; `task` undefined: asks which */
  | { readonly kind: 'skip'; readonly task?: string }
  /** asks which, where several wait for it */
  | { readonly kind: 'retry' }
  /** takes the person's word, after a question */
  | { readonly kind: 'mark_done'; readonly task: string; readonly title: string }
  /** asks what should be otherwise */
  | { readonly kind: 'replan' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'take_up' }
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'roll_back'; readonly n?: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'connect' }
  | { readonly kind: 'review'; readonly session: string }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'board'; readonly task?: string | null }
  /** one of the person's own tasks */
  | { readonly kind: 'tick'; readonly task: string | null }
  | { readonly kind: 'note' }
  | { readonly kind: 'replay' };

/** A button that does it. The first of several is the one that most want. */
export interface DeedButton {
  readonly label: string;
  readonly deed: Deed;
  /** drawn without a frame: the lesser choice */
  readonly quiet?: boolean;
}

export function openSession(session: string): DeedButton {
  return { label: 'Open conversation', deed: { kind: 'session', session }, quiet: true };
}
