import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { boardFacts, underReview } from '../board/facts';
import { nodeOrder, planGraph, type PlanGraph } from '../board/graph/plan-graph';
import { schedule } from '../board/graph/schedule';
import { bodyMeaning } from '../board/note/task-block';
import { STATUSES, type Board, type Task } from '../board/task';
import { RUN_SENTENCES } from './state';

const text = lazy(() => z.string());

const weight = lazy(() => z.number().check(z.nonnegative()));

/** A task as a run looks at it, at one moment. */
export const plannedTask = lazy(() =>
  z.object({
    /** null for a line that has no number yet */
    id: z.nullable(text()),
    line: z.number(),
    title: text(),
    status: z.enum(STATUSES),
    /** pending or in progress, not the person's own, nothing before or below it open */
    startable: z.boolean(),
    /** ready or in progress, and the person's own; or it waits for their review */
    mine: z.boolean(),
    /** done only when the person says so */
    approve: z.boolean(),
    /** an agent completed it, and it waits for the person */
    review: z.optional(z.literal(true)),
    /** what the person missed each time they sent it back, the newest last; absent: they never did */
    sentBack: z.optional(z.array(text())),
    owner: z.nullable(text()),
    /** what must be true when it is done */
    success: z.array(text()),
    /** ids of its prerequisites and of those of the tasks above it */
    needs: z.array(text()),
    /** ids of the tasks above it */
    above: z.array(text()),
    /** the longest way from it to the end of the plan, itself included, in `unit` */
    way: weight(),
    /** its own work in `unit`; 0 where its sub-tasks are the work, and where it is done */
    work: weight(),
  }),
);

export type PlannedTask = z.infer<ReturnType<typeof plannedTask>>;

/** The plan as it stood on the board when an event came. */
export const planLook = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('plan'),
      rev: z.number(),
      /** minutes as soon as one open task has an estimate */
      unit: z.enum(['tasks', 'minutes']),
      tasks: z.array(plannedTask()),
    }),
    /** no board, or one that can't be read; for the person */
    z.object({ kind: z.literal('unreadable'), message: text() }),
  ]),
);

export type PlanLook = z.infer<ReturnType<typeof planLook>>;

const known = new WeakMap<Board, PlanLook>();

/** What a run needs of its board, computed from the board as it is; once, as it never changes. */
export function lookAtPlan(board: Board | undefined): PlanLook {
  if (board === undefined) return { kind: 'unreadable', message: RUN_SENTENCES.boardGone };
  const before = known.get(board);
  if (before !== undefined) return before;
  const look = lookAt(board);
  known.set(board, look);
  return look;
}

function lookAt(board: Board): PlanLook {
  if (board.broken !== null) return { kind: 'unreadable', message: board.broken.reason };
  const facts = boardFacts(board);
  const graph = planGraph(board.tasks);
  const { tail } = schedule(graph, nodeOrder(graph));
  const byKey = new Map(board.tasks.map((task) => [task.key, task]));
  const tasks = board.tasks.map((task, at): PlannedTask => {
    const { blocked, children, finishedChildren } = facts.get(task.key) ?? NONE;
    const open = task.status === 'pending' || task.status === 'in_progress';
    const free = open && !blocked;
    const above = ancestors(task, byKey);
    const review = underReview(task);
    const { success, sentBack } = bodyMeaning(task);
    return {
      // A copy of a task has no number of its own.
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

/** Work that is left: failed and deferred tasks are none. */
function workOf({ tasks, weight }: PlanGraph, at: number): number {
  const { status } = tasks[at] as Task;
  return status === 'pending' || status === 'in_progress' ? (weight[at] ?? 0) : 0;
}

const NONE = { blocked: true, children: 0, finishedChildren: 0 };

/**
 * The tasks that could be taken up now, in this order: the ones with the longest way to the end of the
 * plan, then those that stand first. What waits for a task that the run has not
 * let go of waits on, whatever the board says: that the agent calls it done is no evidence.
 * @param taken ids of the tasks that the run has taken up
 */
export function choose(look: PlanLook, taken: ReadonlySet<string>): readonly PlannedTask[] {
  if (look.kind !== 'plan') return [];
  const { tasks } = look;
  const withTaken = new Set(
    tasks.flatMap(({ id, above }) => (id !== null && taken.has(id) ? above : [])),
  );
  const may = tasks.filter(
    ({ id, startable, needs, above }) =>
      startable &&
      (id === null || (!taken.has(id) && !withTaken.has(id))) &&
      !needs.some((one) => taken.has(one)) &&
      !above.some((one) => taken.has(one)),
  );
  // Sorting is stable: the order of the note decides between equals.
  return [...may].sort((a, b) => b.way - a.way);
}
