import { isFinished, type TaskFacts } from './facts';
import type { Task } from './task';

/** How a task's mark is drawn (UX "Foundations"). `waiting` is a pending task that is blocked. */
export type MarkState =
  'ready' | 'waiting' | 'in_progress' | 'completed' | 'failed' | 'deferred' | 'cancelled';

export interface Reason {
  readonly kind: 'waits' | 'failed';
  readonly text: string;
}

/** A short fact at the end of a row; `icon` is a Lucide name or null. */
export interface Fact {
  readonly kind: 'critical' | 'subtasks' | 'owner' | 'due' | 'risk';
  readonly icon: string | null;
  readonly text: string;
  /** as part of an accessible name */
  readonly name: string;
}

const WORDS: Readonly<Record<MarkState, string>> = {
  ready: 'Ready',
  waiting: 'Waiting',
  in_progress: 'In progress',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MOST_FACTS = 2;
const CRITICAL: Fact = {
  kind: 'critical',
  icon: 'route',
  text: 'Critical path',
  name: 'critical path',
};

export function markState({ status }: Task, blocked: boolean): MarkState {
  if (status === 'pending') return blocked ? 'waiting' : 'ready';
  return status;
}

/** Ready, Waiting, In progress, Done, Failed, Deferred or Cancelled. */
export function markWord(mark: MarkState): string {
  return WORDS[mark];
}

/**
 * The line under a title: why the task failed, or what it waits for. A sub-task that waits only because
 * one above it does names what that one waits for, or that one itself where it failed or was put off.
 * @param tasks of the board, by key
 */
export function reasonLine(
  task: Task,
  tasks: ReadonlyMap<string, Task>,
  facts: ReadonlyMap<string, TaskFacts>,
): Reason | null {
  if (task.status === 'failed') {
    return { kind: 'failed', text: task.reason === null ? 'Failed' : `Failed: ${task.reason}` };
  }
  if (task.status !== 'pending' || facts.get(task.key)?.blocked !== true) return null;
  const ids = prerequisites(task, tasks, facts);
  const known = ids.map((id) => tasks.get(id)).filter((other) => other !== undefined);
  const failed = known.filter((other) => other.status === 'failed').length;
  const missing = ids.length - known.length;
  if (ids.length === 1) {
    const state = missing === 1 ? ', not found' : failed === 1 ? ', failed' : '';
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
    const name = `${done} of ${all} subtasks`;
    shown.push({ kind: 'subtasks', icon: null, text: `${done} / ${all}`, name });
  }
  if (!isFinished(task)) {
    if (task.owner === 'me') {
      shown.push({ kind: 'owner', icon: 'user-round', text: 'You', name: 'yours' });
    } else if (task.owner !== null && task.owner !== agent) {
      shown.push({ kind: 'owner', icon: 'bot', text: task.owner, name: `of ${task.owner}` });
    }
    if (task.due !== null) {
      const day = dayText(task.due, today);
      shown.push({ kind: 'due', icon: null, text: day, name: `due ${day}` });
    }
    if (task.risk === 'high' || task.risk === 'critical') {
      const text = task.risk === 'high' ? 'High risk' : 'Critical risk';
      shown.push({ kind: 'risk', icon: 'triangle-alert', text, name: text.toLowerCase() });
    }
  }
  return shown.slice(0, MOST_FACTS);
}

/** "Score by field, waiting, waits for Build the index, task 6". */
export function accessibleName(
  task: Task,
  mark: MarkState,
  reason: Reason | null,
  facts: readonly Fact[],
  changed: boolean,
): string {
  const parts = [task.title, WORDS[mark].toLowerCase()];
  if (reason?.kind === 'waits') parts.push(`waits${reason.text.slice('Waits'.length)}`);
  if (reason?.kind === 'failed' && task.reason !== null) parts.push(task.reason);
  parts.push(...facts.map((fact) => fact.name));
  if (changed) parts.push('changed');
  if (task.n !== null) parts.push(`task ${task.n}`);
  return parts.join(', ');
}

function prerequisites(
  task: Task,
  tasks: ReadonlyMap<string, Task>,
  facts: ReadonlyMap<string, TaskFacts>,
): readonly string[] {
  for (let at: Task | undefined = task; at;) {
    const own = facts.get(at.key)?.blockedBy ?? [];
    if (own.length > 0) return own;
    at = at.parent === null ? undefined : tasks.get(at.parent);
    if (at && (at.status === 'failed' || at.status === 'deferred')) return [at.key];
  }
  return [];
}

/** `2026-11-28` as "28 Nov", with the year where it is not that of `today`; what is no date stays. */
function dayText(date: string, today: string | undefined): string {
  const month = MONTHS[Number(date.slice(5, 7)) - 1];
  if (month === undefined) return date;
  const year = date.slice(0, 4);
  const day = `${Number(date.slice(8))} ${month}`;
  return today === undefined || today.startsWith(year) ? day : `${day} ${year}`;
}
