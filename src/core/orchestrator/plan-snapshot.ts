import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { boardFacts, isUnderReview } from '../board/facts';
import { topologicalOrder, planGraph, type PlanGraph } from '../board/graph/plan-graph';
import { schedule } from '../board/graph/schedule';
import { readCompletionLines } from '../board/note/task-block';
import { STATUSES, type Board, type Task } from '../board/task';
import { RUN_SENTENCES } from './state';

const text = lazy(() => z.string());

const weight = lazy(() => z.number().check(z.nonnegative()));

/** A task as a run sees it at one moment. */
export const plannedTask = lazy(() =>
  z.object({
    /** null for a line that has no number yet */
    id: z.nullable(text()),
    line: z.number(),
    title: text(),
    status: z.enum(STATUSES),
    /**
     * whether it is pending or in progress, not the person's own, and has no open prerequisite or
     * subtask
     */
    startable: z.boolean(),
    /**
     * whether it waits for the person: their own task that is ready or in progress, or one under
     * review
     */
    mine: z.boolean(),
    /** whether only the person can complete it */
    approve: z.boolean(),
    /** an agent completed it, and the person has to review it */
    review: z.optional(z.literal(true)),
    /** what the person missed each time they sent it back, newest last; absent if never */
    sentBack: z.optional(z.array(text())),
    owner: z.nullable(text()),
    /** its success criteria */
    success: z.array(text()),
    /** ids of its prerequisites and of those of its ancestors */
    needs: z.array(text()),
    /** ids of its ancestors */
    above: z.array(text()),
    /** length of the longest path from it to the end of the plan, including itself, in `unit` */
    way: weight(),
    /** its own work in `unit`; 0 if its subtasks are the work, or if it is done */
    work: weight(),
  }),
);

export type PlannedTask = z.infer<ReturnType<typeof plannedTask>>;

/** The plan on the board at the time of an event. */
export const planSnapshot = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('plan'),
      rev: z.number(),
      /** `minutes` if at least one open task has an estimate */
      unit: z.enum(['tasks', 'minutes']),
      tasks: z.array(plannedTask()),
    }),
    /** there is no board, or it can't be read; `message` is for the person */
    z.object({ kind: z.literal('unreadable'), message: text() }),
  ]),
);

export type PlanSnapshot = z.infer<ReturnType<typeof planSnapshot>>;

const snapshotCache = new WeakMap<Board, PlanSnapshot>();

/** The run's view of a board. Cached by board, as boards are immutable. */
export function planSnapshotOf(board: Board | undefined): PlanSnapshot {
  if (board === undefined) return { kind: 'unreadable', message: RUN_SENTENCES.boardGone };
  const before = snapshotCache.get(board);
  if (before !== undefined) return before;
  const snapshot = makeSnapshot(board);
  snapshotCache.set(board, snapshot);
  return snapshot;
}

function makeSnapshot(board: Board): PlanSnapshot {
  if (board.broken !== null) return { kind: 'unreadable', message: board.broken.reason };
  const facts = boardFacts(board);
  const graph = planGraph(board.tasks);
  const { tail } = schedule(graph, topologicalOrder(graph));
  const byKey = new Map(board.tasks.map((task) => [task.key, task]));
  const tasks = board.tasks.map((task, at): PlannedTask => {
    const { blocked, children, finishedChildren } = facts.get(task.key) ?? NONE;
    const open = task.status === 'pending' || task.status === 'in_progress';
    const free = open && !blocked;
    const above = ancestors(task, byKey);
    const review = isUnderReview(task);
    const { success, sentBack } = readCompletionLines(task);
    return {
      // A copied line has the id of another task; it counts as having none.
      ...{
        id: task.id === task.key ? task.id : null,
        line: task.line,
        title: task.title,
        status: task.status,
      },
      startable:
        free && !review && task.owner !== 'me' && children === finishedChildren && !task.malformed,
      mine: free && (task.owner === 'me' || review),
      approve: task.approve === 'me',
      ...(review && { review }),
      ...(sentBack.length > 0 && { sentBack }),
      owner: task.owner,
      success,
      needs: [...new Set([task, ...above].flatMap(({ dependsOn }) => dependsOn))],
      above: above.flatMap(({ id }) => id ?? []),
      way: tail[graph.start[at] ?? at] ?? 0,
      work: workOf(graph, at),
    };
  });
  const { unit } = graph;
  return { kind: 'plan', rev: board.rev, unit, tasks };
}

function ancestors(task: Task, byKey: ReadonlyMap<string, Task>): readonly Task[] {
  const found: Task[] = [];
  for (let key = task.parent; key !== null;) {
    const above = byKey.get(key);
    if (above === undefined) break;
    found.push(above);
    key = above.parent;
  }
  return found;
}

/** Remaining work; failed and deferred tasks have none. */
function workOf({ tasks, weight }: PlanGraph, at: number): number {
  const { status } = tasks[at] as Task;
  return status === 'pending' || status === 'in_progress' ? (weight[at] ?? 0) : 0;
}

const NONE = { blocked: true, children: 0, finishedChildren: 0 };

/**
 * The tasks that can be taken up now: those with the longest path to the end of the plan first,
 * then in the order of the note. A task that depends on one that the run still has taken up keeps
 * waiting, whatever the board says: an agent marking it done is no evidence.
 * @param taken ids of the tasks that the run has taken up
 */
export function startableTasks(
  snapshot: PlanSnapshot,
  taken: ReadonlySet<string>,
): readonly PlannedTask[] {
  if (snapshot.kind !== 'plan') return [];
  const { tasks } = snapshot;
  const ancestorsOfTaken = new Set(
    tasks.flatMap(({ id, above }) => (id !== null && taken.has(id) ? above : [])),
  );
  const may = tasks.filter(
    ({ id, startable, needs, above }) =>
      startable &&
      (id === null || (!taken.has(id) && !ancestorsOfTaken.has(id))) &&
      !needs.some((one) => taken.has(one)) &&
      !above.some((one) => taken.has(one)),
  );
  // The sort is stable: equal tasks keep the order of the note.
  return [...may].sort((a, b) => b.way - a.way);
}
