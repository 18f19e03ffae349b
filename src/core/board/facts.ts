import type { Board, Task } from './task';

/** What follows from a board; never stored. */
export interface TaskFacts {
  /** a prerequisite is neither completed nor cancelled, not let go of by its run, or unknown; or an ancestor is blocked, failed or deferred */
  readonly blocked: boolean;
  /** pending, not blocked, all sub-tasks finished */
  readonly ready: boolean;
  /** ids of its own prerequisites that are not finished, unknown ones too */
  readonly blockedBy: readonly string[];
  /** keys of the tasks that have this one in `blockedBy` */
  readonly blocks: readonly string[];
  /** how many tasks that are pending or in progress would no longer be blocked if this one alone were completed */
  readonly frees: number;
  /** direct sub-tasks, cancelled ones left out */
  readonly children: number;
  /** those of `children` that are completed */
  readonly finishedChildren: number;
}

/** Marks the completed tasks of a board that runs have not let go of; the same board where there is none. */
export type MarkUnchecked = (board: Board) => Board;

/** What holds a task up: nothing, one task alone (its key), or more than completing one task could lift. */
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

/** Completed or cancelled: no longer in anyone's way. */
export function isFinished({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Completed by its agent, and waits for the person to accept it or to send it back. */
export function underReview({ status, review }: Pick<Task, 'status' | 'review'>): boolean {
  return status === 'in_progress' && review !== null;
}

/** Boards are values, and an answer asks for the facts of one many times. */
const known = new WeakMap<
  readonly Task[],
  {
    readonly archived: Board['archived'];
    readonly unchecked: Board['unchecked'];
    readonly facts: ReadonlyMap<string, TaskFacts>;
  }
>();

/** Facts of each task by key, in linear time. Tasks that wait for each other are all blocked. */
export function boardFacts(
  board: Pick<Board, 'tasks' | 'archived' | 'unchecked'>,
): ReadonlyMap<string, TaskFacts> {
  const { tasks, archived, unchecked } = board;
  const before = known.get(tasks);
  const same = before?.archived === archived && before?.unchecked === unchecked;
  if (before !== undefined && same) return before.facts;
  const facts = computeFacts(board);
  known.set(tasks, { archived, unchecked, facts });
  return facts;
}

function computeFacts({
  tasks,
  archived,
  unchecked,
}: Pick<Board, 'tasks' | 'archived' | 'unchecked'>): ReadonlyMap<string, TaskFacts> {
  const drafts = new Map<string, Draft>(tasks.map((task) => [task.key, draftOf(task)]));
  for (const draft of drafts.values()) {
    // A parent stands before its sub-tasks, so what holds it up is known here.
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
      if (over !== true) waitFor(draft, id, prerequisite);
    }
  }
  for (const draft of drafts.values()) countFreed(draft, drafts);
  const facts = new Map<string, TaskFacts>();
  for (const [key, draft] of drafts) facts.set(key, factsOf(draft));
  return facts;
}

/** Completed tasks of all that count: sub-tasks too; cancelled ones not, nor those that a run still checks. */
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

/** What a sub-task takes over: its parent's hold, and the parent itself where it failed or was put off. */
function holdFrom(parent: Draft): Hold {
  const { status, key } = parent.task;
  const stopped = status === 'failed' || status === 'deferred';
  return stopped ? joined(parent.hold, key) : parent.hold;
}

function waitFor(draft: Draft, id: string, prerequisite: Draft | undefined): void {
  draft.blockedBy.push(id);
  prerequisite?.blocks.push(draft.task.key);
  draft.hold = prerequisite ? joined(draft.hold, prerequisite.task.key) : 'many';
}

function joined(hold: Hold, key: string): Hold {
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
