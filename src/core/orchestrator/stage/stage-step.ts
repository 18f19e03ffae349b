import type { Run, Stage } from '../state';

/** What an event makes of a stage: another one, the same, or the end of the run. */
export type StageStep =
  | { readonly kind: 'stage'; readonly run: Run; readonly stage: Stage }
  | { readonly kind: 'failed'; readonly run: Run; readonly message: string };
