import type { Messages } from '../message';

/** What happened to a task, for screen readers. */
export const taskNewsTexts = {
  added: '{title}, added by {who}. {done} of {total}.',
  changed: '{title}, changed by {who}. {done} of {total}.',
  pending: '{title}, opened again by {who}. {done} of {total}.',
  in_progress: '{title}, started by {who}. {done} of {total}.',
  completed: '{title}, done by {who}. {done} of {total}.',
  failed: '{title}, failed by {who}. {done} of {total}.',
  deferred: '{title}, deferred by {who}. {done} of {total}.',
  cancelled: '{title}, cancelled by {who}. {done} of {total}.',
} as const satisfies Messages;
