import { groupByKey } from './group-by-key';
import type { Board, Task } from './task';

/** A task of one state of a board and the same task in a later state. */
interface Pair {
  readonly before: Task | undefined;
  readonly after: Task | undefined;
}

/** One changed field. Values as text; null: not set, or no task in that state. */
export interface TaskChange {
  /** null for a task without an id, and for the board itself */
  readonly id: string | null;
  readonly n: number | null;
  /** the task's current title (last one if it was removed); the board's for its own title */
  readonly title: string;
  readonly field: ChangedField;
  readonly before: string | null;
  readonly after: string | null;
}

const FIELDS = [
  'title',
  'status',
  'dependsOn',
  'parent',
  'phase',
  'priority',
  'owner',
  'scope',
  'risk',
  'impact',
  'level',
  'reason',
  'estimate',
  'approve',
  'review',
  'due',
  'waitsFor',
  'body',
] as const;
export type ChangedField = (typeof FIELDS)[number] | 'added' | 'removed' | 'board title';

/** The differences between two states of a board, by task and field, in the later one's order. */
export function boardChanges(before: Board, after: Board): readonly TaskChange[] {
  const sides: Sides = { before: namesOf(before), after: namesOf(after) };
  const tasks = pairTasks(before, after).flatMap((pair) => taskChanges(pair, sides));
  if (before.title === after.title) return tasks;
  const title: TaskChange = {
    id: null,
    n: null,
    title: after.title,
    field: 'board title',
    before: before.title,
    after: after.title,
  };
  return [title, ...tasks];
}

/** Replaces the ids of other tasks in a change by their titles, as a person knows them. */
export function withTitles(change: TaskChange, before: Board, after: Board): TaskChange {
  const { field } = change;
  if (field !== 'dependsOn' && field !== 'parent') return change;
  const titles = (value: string | null, board: Board): string | null => {
    if (value === null) return null;
    const ids = field === 'parent' ? [value] : value.split(', ');
    const named = ids.map((id) => board.tasks.find((task) => task.id === id)?.title ?? id);
    return named.join(', ');
  };
  return {
    ...change,
    before: titles(change.before, before),
    after: titles(change.after, after),
  };
}

/** Keys, in the later state, of tasks that are new or changed. */
export function changedKeys(before: Board, after: Board): readonly string[] {
  const sides: Sides = { before: namesOf(before), after: namesOf(after) };
  return pairTasks(before, after).flatMap((pair) =>
    pair.after !== undefined && taskChanges(pair, sides).length > 0 ? [pair.after.key] : [],
  );
}

/** Names of tasks by key. The key of a task without an id is its line, which edits can change. */
type Names = ReadonlyMap<string, string>;
interface Sides {
  readonly before: Names;
  readonly after: Names;
}

function namesOf(board: Board): Names {
  return new Map(board.tasks.map((task) => [task.key, task.id ?? task.title]));
}

function taskChanges({ before, after }: Pair, sides: Sides): readonly TaskChange[] {
  const task = after ?? before;
  if (task === undefined) return [];
  // A task that an edit elsewhere did not change is the same object.
  if (before === after && task.parent === null) return [];
  const { id, n, title } = task;
  if (before === undefined) return [{ id, n, title, field: 'added', before: null, after: title }];
  if (after === undefined) return [{ id, n, title, field: 'removed', before: title, after: null }];
  const changes: TaskChange[] = [];
  for (const field of FIELDS) {
    // Most fields of most tasks are identical, so they are not turned into text.
    if (before[field] === after[field] && (field !== 'parent' || task.parent === null)) continue;
    const was = valueOf(before, field, sides.before);
    const is = valueOf(after, field, sides.after);
    if (was !== is) changes.push({ id, n, title, field, before: was, after: is });
  }
  return changes;
}

function valueOf(task: Task, field: (typeof FIELDS)[number], names: Names): string | null {
  if (field === 'parent') return task.parent === null ? null : (names.get(task.parent) ?? null);
  if (field === 'dependsOn') return task.dependsOn.length > 0 ? task.dependsOn.join(', ') : null;
  if (field === 'body') return task.body.length > 0 ? task.body.join('\n') : null;
  return task[field];
}

/** Pairs tasks by id; those without one by title, even if one of the two has an id. */
function pairTasks(before: Board, after: Board): readonly Pair[] {
  if (haveSameIds(before.tasks, after.tasks)) {
    return after.tasks.map((task, at): Pair => ({ before: before.tasks[at], after: task }));
  }
  const left = new Set(before.tasks);
  const ids = new Map(before.tasks.flatMap((task) => (task.id === null ? [] : [[task.id, task]])));
  const partners = new Map<Task, Task>();
  for (const task of after.tasks) {
    const partner = task.id === null ? undefined : ids.get(task.id);
    if (partner === undefined) continue;
    partners.set(task, partner);
    left.delete(partner);
  }
  const lines = new TasksByTitle(left);
  for (const task of after.tasks) {
    if (partners.has(task)) continue;
    const partner = lines.take(task);
    if (partner === undefined) continue;
    partners.set(task, partner);
    left.delete(partner);
  }
  const stayed = after.tasks.map((task): Pair => ({ before: partners.get(task), after: task }));
  return [...stayed, ...[...left].map((task): Pair => ({ before: task, after: undefined }))];
}

/** Whether all tasks have unique ids and the same order, as after most edits. */
function haveSameIds(before: readonly Task[], after: readonly Task[]): boolean {
  const same = (task: Task, at: number): boolean => {
    const was = before[at];
    return task.id !== null && task.id === task.key && was?.id === task.id && was.key === task.key;
  };
  return before.length === after.length && after.every(same);
}

/**
 * Tasks without a partner by title; of two tasks that are paired, one has no id. Linear even for
 * many equal titles: each list is reversed, so that `pop` returns the first.
 */
class TasksByTitle {
  private readonly all: ReadonlyMap<string, Task[]>;
  private readonly withoutId: ReadonlyMap<string, Task[]>;
  private readonly taken = new Set<Task>();

  constructor(tasks: Iterable<Task>) {
    const last = [...tasks].reverse();
    const titleOf = ({ title }: Task): string => title;
    this.all = groupByKey(last, titleOf);
    this.withoutId = groupByKey(
      last.filter(({ id }) => id === null),
      titleOf,
    );
  }

  take({ title, id }: Task): Task | undefined {
    const from = (id === null ? this.all : this.withoutId).get(title);
    let partner = from?.pop();
    while (partner !== undefined && this.taken.has(partner)) partner = from?.pop();
    if (partner !== undefined) this.taken.add(partner);
    return partner;
  }
}
