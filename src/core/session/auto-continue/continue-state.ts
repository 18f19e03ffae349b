/** Why a session does not go on by itself any more, though its switch is on. */
export type StopReason =
  /** the person pressed Stop */
  | 'stopped'
  /** the person stopped the turn */
  | 'interrupted'
  /** the turn ended with an error, or the prompt was not taken */
  | 'failed'
  /** turns went by and no task changed its status */
  | 'no_progress'
  /** a permission or a question waits for the person */
  | 'asked'
  /** the person is writing to the session */
  | 'typing'
  | 'offline'
  /** a run goes on with the session */
  | 'run';

/** What auto-continue does in one session, for whoever shows it. */
export type ContinueState =
  /** the switch is off, and nothing was asked for */
  | { readonly kind: 'off' }
  /** on: a turn runs, or none was seen to end yet */
  | { readonly kind: 'on' }
  /** counts down; `until` in ms since the epoch */
  | { readonly kind: 'waiting'; readonly until: number; readonly taskTitle: string }
  /** goes on when the person has done one of their own tasks: the first that is ready */
  | { readonly kind: 'needs_me'; readonly taskTitle: string }
  /** no task is ready */
  | { readonly kind: 'nothing_ready' }
  | { readonly kind: 'stopped'; readonly reason: StopReason };

const STOPPED: Readonly<Record<StopReason, string>> = {
  stopped: 'you stopped it',
  interrupted: 'you stopped the turn',
  failed: 'the turn failed',
  no_progress: 'three turns changed no task',
  asked: 'it waits for your answer',
  typing: 'you are writing to it',
  offline: 'OpenCode is not connected',
  run: 'a run goes on with it',
};

/** In words, with the reason: "Does not go on by itself: you stopped the turn." */
export function stopWords(reason: StopReason): string {
  return `Does not go on by itself: ${STOPPED[reason]}.`;
}
