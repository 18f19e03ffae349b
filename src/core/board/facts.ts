import type { Board, Task } from './task';

/** Facts computed from a board; never stored. */
export interface TaskFacts {
  /**
   * a prerequisite is unknown, not finished, or still checked by its run; or an ancestor is
   * blocked, failed or deferred
   */
  readonly blocked: boolean;
  /** pending, not blocked, all subtasks finished */
  readonly ready: boolean;
  /** ids of its own unfinished prerequisites, including unknown ones */
  readonly blockedBy: readonly string[];
  /** keys of the tasks that have this one in `blockedBy` */
  readonly blocks: readonly string[];
  /** number of pending or in-progress tasks that only the completion of this one would unblock */
  readonly frees: number;
  /** direct subtasks, except cancelled ones */
  readonly children: number;
  /** completed ones among `children` */
  readonly finishedChildren: number;
}

/** Marks completed tasks that runs still check; returns the same board if there are none. */
export type MarkUnchecked = (board: Board) => Board;

/** What blocks a task: nothing, one task alone (its key), or more than one completion can lift. */
type Hold = null | { readonly only: string } | 'many';

interface Draft {
  readonly task: Task;
  readonly blockedBy: string[];
  readonly blocks: string[];
  hold: Hold;
  frees: number;
  children: number;
  finishedChildren: number;
}

/** Whether a task is completed or cancelled, so that nothing waits for it. */
export function isFinished({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Whether the agent has completed the task and the person has not accepted or returned it yet. */
export function isUnderReview({ status, review }: Pick<Task, 'status' | 'review'>): boolean {
  return status === 'in_progress' && review !== null;
}

/** Whether the task is in progress and does not wait for a review. */
export function isInProgress(task: Pick<Task, 'status' | 'review'>): boolean {
  return task.status === 'in_progress' && !isUnderReview(task);
}

/** Cached by tasks: boards are immutable, and an answer needs the facts of one many times. */
const factsCache = new WeakMap<
  readonly Task[],
  {
    readonly archived: Board['archived'];
    readonly unchecked: Board['unchecked'];
    readonly facts: ReadonlyMap<string, TaskFacts>;
  }
>();

/** Facts of each task by key, in linear time. All tasks of a cycle are blocked. */
export function boardFacts(
  board: Pick<Board, 'tasks' | 'archived' | 'unchecked'>,
): ReadonlyMap<string, TaskFacts> {
  const { tasks, archived, unchecked } = board;
  const before = factsCache.get(tasks);
  const same = before?.archived === archived && before?.unchecked === unchecked;
  if (before !== undefined && same) return before.facts;
  const facts = computeFacts(board);
  factsCache.set(tasks, { archived, unchecked, facts });
  return facts;
}

function computeFacts({
  tasks,
  archived,
  unchecked,
}: Pick<Board, 'tasks' | 'archived' | 'unchecked'>): ReadonlyMap<string, TaskFacts> {
  const drafts = new Map<string, Draft>(tasks.map((task) => [task.key, draftOf(task)]));
  for (const draft of drafts.values()) {
    // A parent comes before its subtasks, so its `hold` is already computed.
    const parent = draft.task.parent === null ? undefined : drafts.get(draft.task.parent);
    draft.hold = parent ? holdFrom(parent) : null;
    if (parent && draft.task.status !== 'cancelled') {
      parent.children += 1;
      const over = draft.task.status === 'completed' && unchecked?.has(draft.task.key) !== true;
      if (over) parent.finishedChildren += 1;
    }
    for (const id of draft.task.dependsOn) {
      const prerequisite = drafts.get(id);
      if (!prerequisite && archived?.has(id) === true) continue;
      const over = prerequisite && isFinished(prerequisite.task) && unchecked?.has(id) !== true;
      if (over !== true) addPrerequisite(draft, id, prerequisite);
    }
  }
  for (const draft of drafts.values()) countFreed(draft, drafts);
  const facts = new Map<string, TaskFacts>();
  for (const [key, draft] of drafts) facts.set(key, factsOf(draft));
  return facts;
}

/**
 * Number of completed tasks and of all, including subtasks. Cancelled tasks don't count; tasks
 * that a run still checks don't count as completed.
 */
export function progress({ tasks, unchecked }: Pick<Board, 'tasks' | 'unchecked'>): {
  done: number;
  total: number;
} {
  let done = 0;
  let total = 0;
  for (const { status, key } of tasks) {
    if (status === 'completed' && unchecked?.has(key) !== true) done += 1;
    if (status !== 'cancelled') total += 1;
  }
  return { done, total };
}

function draftOf(task: Task): Draft {
  return {
    task,
    blockedBy: [],
    blocks: [],
    hold: null,
    frees: 0,
    children: 0,
    finishedChildren: 0,
  };
}

/**
 * What blocks a subtask because of its parent: the parent's hold, and the parent itself if it
 * failed or was deferred.
 */
function holdFrom(parent: Draft): Hold {
  const { status, key } = parent.task;
  const stopped = status === 'failed' || status === 'deferred';
  return stopped ? addToHold(parent.hold, key) : parent.hold;
}

function addPrerequisite(draft: Draft, id: string, prerequisite: Draft | undefined): void {
  draft.blockedBy.push(id);
  prerequisite?.blocks.push(draft.task.key);
  draft.hold = prerequisite ? addToHold(draft.hold, prerequisite.task.key) : 'many';
}

function addToHold(hold: Hold, key: string): Hold {
  if (hold === null) return { only: key };
  return hold !== 'many' && hold.only === key ? hold : 'many';
}

function countFreed({ task, hold }: Draft, drafts: ReadonlyMap<string, Draft>): void {
  if (hold === null || hold === 'many' || hold.only === task.key) return;
  if (task.status !== 'pending' && task.status !== 'in_progress') return;
  const lifts = drafts.get(hold.only);
  if (lifts) lifts.frees += 1;
}

function factsOf(draft: Draft): TaskFacts {
  // Written out: spreading the rest of a draft takes ten times as long as all else here.
  const { task, hold, blockedBy, blocks, frees, children, finishedChildren } = draft;
  const blocked = hold !== null;
  const ready = task.status === 'pending' && !blocked && finishedChildren === children;
  return { blocked, ready, blockedBy, blocks, frees, children, finishedChildren };
}
