import { isUnderReview, type TaskFacts } from './facts';
import type { Task } from './task';

/** How a task's mark is drawn (UX "Foundations"). `waiting` is a pending task that is blocked. */
export type MarkState =
  | 'ready'
  | 'waiting'
  | 'in_progress'
  | 'review'
  | 'completed'
  | 'failed'
  | 'deferred'
  | 'cancelled';

export function markState(task: Task, blocked: boolean): MarkState {
  const { status } = task;
  if (isUnderReview(task)) return 'review';
  if (status === 'pending') return blocked ? 'waiting' : 'ready';
  return status;
}

/** The state of a check box (`aria-checked`) for a mark. */
export function markChecked(mark: MarkState): 'true' | 'false' | 'mixed' {
  if (mark === 'completed') return 'true';
  return mark === 'in_progress' || mark === 'review' ? 'mixed' : 'false';
}

/** Whether there is a line of explanation under a title. */
export function hasReason(task: Task, facts: TaskFacts | undefined): boolean {
  const { status } = task;
  if (status === 'failed' || isUnderReview(task)) return true;
  return status === 'pending' && facts !== undefined && facts.blockedBy.length > 0;
}

/** "3 / 12", "1,000 / 5,000" */
export function formatProgress(counts: { readonly done: number; readonly total: number }): string {
  return `${formatCountFigure(counts.done)} / ${formatCountFigure(counts.total)}`;
}

/** "999", "1,000" */
export function formatCountFigure(count: number): string {
  // A formatter loads locale tables, which takes longer than the rest of a short command.
  return count < 1_000 ? String(count) : count.toLocaleString('en');
}

/** Control characters and direction marks, except line ends and tabs. */
const CONTROL_CHARACTERS = /(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Escapes control characters for a terminal, as `\u001b`. In JSON that is an escape of the same
 * character, so output for programs stays equivalent.
 */
export function escapeControls(text: string): string {
  return text.replace(
    CONTROL_CHARACTERS,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
