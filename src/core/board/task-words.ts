import { isFinished, underReview, type TaskFacts } from './facts';
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

export interface Reason {
  readonly kind: 'waits' | 'failed' | 'review';
  readonly text: string;
}

/** A short fact at the end of a row; `icon` is a Lucide name or null. */
export interface Fact {
  readonly kind: 'critical' | 'subtasks' | 'owner' | 'due' | 'risk';
  readonly icon: string | null;
  readonly text: string;
  /** The row shows the icon alone: titles need the room. */
  readonly iconOnly: boolean;
}

const WORDS: Readonly<Record<MarkState, string>> = {
  ready: 'Ready',
  waiting: 'Waiting',
  in_progress: 'In progress',
  review: 'In review',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
};

export const WAITS_FOR_REVIEW = 'Waits for your review';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MOST_FACTS = 2;
const CRITICAL: Fact = {
  kind: 'critical',
  icon: 'route',
  text: 'Critical path',
  iconOnly: true,
};

export function markState(task: Task, blocked: boolean): MarkState {
  const { status } = task;
  if (underReview(task)) return 'review';
  if (status === 'pending') return blocked ? 'waiting' : 'ready';
  return status;
}

/** A mark as the state of a check box. */
export function markChecked(mark: MarkState): 'true' | 'false' | 'mixed' {
  if (mark === 'completed') return 'true';
  return mark === 'in_progress' || mark === 'review' ? 'mixed' : 'false';
}

/** Ready, Waiting, In progress, In review, Done, Failed, Deferred or Cancelled. */
export function markWord(mark: MarkState): string {
  return WORDS[mark];
}

/** Whether there is a line under a title. */
export function hasReason(task: Task, facts: TaskFacts | undefined): boolean {
  const { status } = task;
  if (status === 'failed' || underReview(task)) return true;
  return status === 'pending' && facts !== undefined && facts.blockedBy.length > 0;
}

/**
 * The line under a title: why the task failed, that it waits for the person, or for what. A sub-task
 * that waits only because one above it does has none: that one says it.
 * @param tasks of the board, by key
 */
export function reasonLine(
  task: Task,
  tasks: ReadonlyMap<string, Task>,
  facts: ReadonlyMap<string, TaskFacts>,
): Reason | null {
  if (!hasReason(task, facts.get(task.key))) return null;
  if (task.status === 'failed') {
    return { kind: 'failed', text: task.reason === null ? 'Failed' : `Failed: ${task.reason}` };
  }
  if (underReview(task)) return { kind: 'review', text: WAITS_FOR_REVIEW };
  const ids = facts.get(task.key)?.blockedBy ?? [];
  const known = ids.map((id) => tasks.get(id)).filter((other) => other !== undefined);
  const failed = known.filter((other) => other.status === 'failed').length;
  const missing = ids.length - known.length;
  if (ids.length === 1) {
    const unchecked = known[0]?.status === 'completed' ? ', not checked yet' : '';
    const state = missing === 1 ? ', not found' : failed === 1 ? ', failed' : unchecked;
    return { kind: 'waits', text: `Waits for ${known[0]?.title ?? String(ids[0])}${state}` };
  }
  const counts = [
    failed === 0 ? '' : `, ${failed} failed`,
    missing === 0 ? '' : `, ${missing} not found`,
  ].join('');
  return { kind: 'waits', text: `Waits for ${ids.length} tasks${counts}` };
}

/**
 * At most two: critical path, sub-tasks, owner, due date, risk from high up. A finished task shows its
 * sub-tasks only.
 */
export function rowFacts(
  task: Task,
  facts: TaskFacts | undefined,
  agent: string,
  today: string | undefined,
  critical: boolean,
): readonly Fact[] {
  const shown: Fact[] = critical ? [CRITICAL] : [];
  if (facts && facts.children > 0) {
    const { finishedChildren: done, children: all } = facts;
    shown.push({ kind: 'subtasks', icon: null, text: `${done} / ${all}`, iconOnly: false });
  }
  if (!isFinished(task)) {
    if (task.owner === 'me') {
      shown.push({ kind: 'owner', icon: 'user-round', text: 'You', iconOnly: false });
    } else if (task.owner !== null && task.owner !== agent) {
      shown.push({ kind: 'owner', icon: 'bot', text: task.owner, iconOnly: true });
    }
    if (task.due !== null) {
      shown.push({ kind: 'due', icon: null, text: dayText(task.due, today), iconOnly: false });
    }
    if (task.risk === 'high' || task.risk === 'critical') {
      const text = task.risk === 'high' ? 'High risk' : 'Critical risk';
      shown.push({ kind: 'risk', icon: 'triangle-alert', text, iconOnly: true });
    }
  }
  return shown.slice(0, MOST_FACTS);
}

/**
 * "Score by field, 28 Nov, Waits for Build the index, critical path, task 6": first what the row shows,
 * as it shows it, so that voice control finds it by the words that are seen; then what it does not.
 */
export function accessibleName(
  task: Task,
  mark: MarkState,
  reason: Reason | null,
  facts: readonly Fact[],
  changed: boolean,
  work?: string,
): string {
  const parts = [task.title, ...facts.filter((fact) => !fact.iconOnly).map(({ text }) => text)];
  // A reason says the state: "Waits for …", "Failed: …".
  if (reason !== null) parts.push(reason.text);
  // What is shown comes first.
  if (work !== undefined) parts.push(work);
  if (reason === null) parts.push(WORDS[mark].toLowerCase());
  for (const fact of facts) {
    if (fact.iconOnly) parts.push(fact.kind === 'owner' ? fact.text : fact.text.toLowerCase());
  }
  if (changed) parts.push('changed');
  if (task.n !== null) parts.push(`task ${task.n}`);
  return parts.join(', ');
}

/** "3 / 12", "1,000 / 5,000" */
export function progressFigures(counts: { readonly done: number; readonly total: number }): string {
  return `${countFigure(counts.done)} / ${countFigure(counts.total)}`;
}

/** "999", "1,000" */
export function countFigure(count: number): string {
  // A formatter loads tables of languages: longer than all else that a short command does.
  return count < 1_000 ? String(count) : count.toLocaleString('en');
}

/** `2026-11-28` as "28 Nov", with the year where it is not that of `today`; what is no date stays. */
export function dayText(date: string, today: string | undefined): string {
  const month = MONTHS[Number(date.slice(5, 7)) - 1];
  if (month === undefined) return date;
  const year = date.slice(0, 4);
  const day = `${Number(date.slice(8))} ${month}`;
  return today === undefined || today.startsWith(year) ? day : `${day} ${year}`;
}
