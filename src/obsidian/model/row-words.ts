import { isFinished, isUnderReview, type TaskFacts } from '../../core/board/facts';
import type { PlanProgress } from '../../core/board/plan-progress';
import type { Status, Task } from '../../core/board/task';
import { hasReason, type MarkState } from '../../core/board/task-display';
import { COMMA, t } from '../language/text';
import { SHORT_MONTHS, workTime, plainLine } from '../ui/text';

export interface Reason {
  readonly kind: 'waits' | 'failed' | 'review';
  readonly text: string;
}

/** A short fact at the end of a row; `icon` is a Lucide name or null. */
export interface Fact {
  readonly kind: 'critical' | 'subtasks' | 'owner' | 'due' | 'risk';
  readonly icon: string | null;
  readonly text: string;
  /** text in the row's accessible name, if it differs from `text` */
  readonly name?: string;
  /** Shows only the icon, to leave room for titles. */
  readonly iconOnly: boolean;
}

const MAX_FACTS = 2;
const CRITICAL: Fact = {
  kind: 'critical',
  icon: 'route',
  text: t('boardView.criticalPath'),
  name: t('graph.onCriticalPath'),
  iconOnly: true,
};

/**
 * The line under a title: why the task failed, or that it waits for the person or for other tasks.
 * A subtask that waits only because an ancestor does has none; the ancestor's line says it.
 * @param tasks of the board, by key
 */
export function reasonLine(
  task: Task,
  tasks: ReadonlyMap<string, Task>,
  facts: ReadonlyMap<string, TaskFacts>,
): Reason | null {
  if (!hasReason(task, facts.get(task.key))) return null;
  if (task.status === 'failed') {
    const { reason } = task;
    const text = reason === null ? t('mark.failed') : t('words.failedWhy', { reason });
    return { kind: 'failed', text };
  }
  if (isUnderReview(task)) return { kind: 'review', text: t('words.waitsForYourReview') };
  const ids = facts.get(task.key)?.blockedBy ?? [];
  const known = ids.map((id) => tasks.get(id)).filter((other) => other !== undefined);
  const failed = known.filter((other) => other.status === 'failed').length;
  const missing = ids.length - known.length;
  if (ids.length === 1) {
    const title = known[0]?.title ?? String(ids[0]);
    return { kind: 'waits', text: waitsForOne(title, known[0]?.status) };
  }
  return { kind: 'waits', text: waitsForSeveral(ids.length, failed, missing) };
}

/** @param status of the awaited task; undefined if it is not on the board */
function waitsForOne(title: string, status: Status | undefined): string {
  if (status === undefined) return t('words.waitsForNotFound', { title });
  if (status === 'failed') return t('words.waitsForFailed', { title });
  if (status === 'completed') return t('words.waitsForNotChecked', { title });
  return t('words.waitsFor', { title });
}

function waitsForSeveral(count: number, failed: number, missing: number): string {
  if (failed > 0 && missing > 0)
    return t('words.waitsForTasksFailedMissing', { count, failed, missing });
  if (failed > 0) return t('words.waitsForTasksFailed', { count, failed });
  if (missing > 0) return t('words.waitsForTasksMissing', { count, missing });
  return t('words.waitsForTasks', { count });
}

/**
 * At most two facts: critical path, subtasks, owner, due date, risk if it is high. A finished task
 * shows only its subtasks.
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
      shown.push({ kind: 'owner', icon: 'user-round', text: t('words.you'), iconOnly: false });
    } else if (task.owner !== null && task.owner !== agent) {
      shown.push({ kind: 'owner', icon: 'bot', text: task.owner, iconOnly: true });
    }
    if (task.due !== null) {
      shown.push({ kind: 'due', icon: null, text: dayText(task.due, today), iconOnly: false });
    }
    const { risk } = task;
    if (risk === 'high' || risk === 'critical') {
      const [text, name] = [t(`risk.${risk}`), t(`riskInside.${risk}`)];
      shown.push({ kind: 'risk', icon: 'triangle-alert', text, name, iconOnly: true });
    }
  }
  return shown.slice(0, MAX_FACTS);
}

/**
 * "Score by field, 28 Nov, Waits for Build the index, critical path, task 6": first the texts that
 * the row shows, unchanged, so that voice control finds the row by its visible words; then the
 * rest.
 */
export function accessibleName(
  task: Task,
  mark: MarkState,
  reason: Reason | null,
  facts: readonly Fact[],
  changed: boolean,
  work?: string,
): string {
  const parts = [
    plainLine(task.title),
    ...facts.filter((fact) => !fact.iconOnly).map(({ text }) => text),
  ];
  // A reason includes the status: "Waits for …", "Failed: …".
  if (reason !== null) parts.push(reason.text);
  // Visible texts come first.
  if (work !== undefined) parts.push(work);
  if (reason === null) parts.push(t(`markInside.${mark}`));
  for (const fact of facts) {
    if (fact.iconOnly) parts.push(fact.name ?? fact.text);
  }
  if (changed) parts.push(t('words.changed'));
  if (task.n !== null) parts.push(t('words.taskNumber', { n: String(task.n) }));
  return parts.join(COMMA);
}

/**
 * `2026-11-28` as "28 Nov", with the year if it differs from that of `today`; returns anything but
 * a date unchanged.
 */
export function dayText(date: string, today: string | undefined): string {
  const month = SHORT_MONTHS[Number(date.slice(5, 7)) - 1];
  if (month === undefined) return date;
  const year = date.slice(0, 4);
  const day = String(Number(date.slice(8)));
  return today === undefined || today.startsWith(year)
    ? t('dates.day', { day, month })
    : t('dates.dayOfYear', { day, month, year });
}

/**
 * The text next to the number of completed tasks: `1 failed, 2 skipped, 9 left, 3 h of work`; may
 * be empty.
 */
export function remainingText({ failed, skipped, remaining }: PlanProgress): string {
  const { tasks, minutes } = remaining;
  return [
    ...(failed === 0 ? [] : [t('words.countFailed', { count: failed })]),
    ...(skipped === 0 ? [] : [t('words.countSkipped', { count: skipped })]),
    ...(tasks === 0 ? [] : [t('words.countLeft', { count: tasks })]),
    ...(minutes === null || minutes === 0 ? [] : [t('words.ofWork', { time: workTime(minutes) })]),
  ].join(COMMA);
}
