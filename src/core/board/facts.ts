import type { Board, Task } from './task';

/** What follows from a board; never stored. */
export interface TaskFacts {
  /** a prerequisite is neither completed nor cancelled, or unknown; or an ancestor is blocked, failed or deferred */
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
export function isFinished(task: Task): boolean {
  return task.status === 'completed' || task.status === 'cancelled';
}

/** Boards are values, and an answer asks for the facts of one many times. */
const known = new WeakMap<
  readonly Task[],
  { readonly archived: Board['archived']; readonly facts: ReadonlyMap<string, TaskFacts> }
>();

/** Facts of each task by key, in linear time. Tasks that wait for each other are all blocked. */
export function boardFacts(
  board: Pick<Board, 'tasks' | 'archived'>,
): ReadonlyMap<string, TaskFacts> {
  const { tasks, archived } = board;
  const before = known.get(tasks);
  if (before !== undefined && before.archived === archived) return before.facts;
  const facts = computeFacts(tasks, archived);
  known.set(tasks, { archived, facts });
  return facts;
}

function computeFacts(
  tasks: readonly Task[],
  archived: Board['archived'],
): ReadonlyMap<string, TaskFacts> {
  const drafts = new Map<string, Draft>(tasks.map((task) => [task.key, draftOf(task)]));
  for (const draft of drafts.values()) {
    // A parent stands before its sub-tasks, so what holds it up is known here.
    const parent = draft.task.parent === null ? undefined : drafts.get(draft.task.parent);
    draft.hold = parent ? holdFrom(parent) : null;
    if (parent && draft.task.status !== 'cancelled') {
      parent.children += 1;
      if (draft.task.status === 'completed') parent.finishedChildren += 1;
    }
    for (const id of draft.task.dependsOn) {
      const prerequisite = drafts.get(id);
      if (prerequisite || archived?.has(id) !== true) waitFor(draft, id, prerequisite);
    }
  }
  for (const draft of drafts.values()) countFreed(draft, drafts);
  const facts = new Map<string, TaskFacts>();
  for (const [key, draft] of drafts) facts.set(key, factsOf(draft));
  return facts;
}

/** Completed tasks of all that count: sub-tasks too, cancelled ones not. */
export function progress(board: Pick<Board, 'tasks'>): { done: number; total: number } {
  let done = 0;
  let total = 0;
  for (const { status } of board.tasks) {
    if (status === 'completed') done += 1;
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
  if (prerequisite && isFinished(prerequisite.task)) return;
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
