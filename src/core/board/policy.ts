import type { ChangedField, TaskChange } from './digest';
import { boardFacts, isFinished, isUnderReview, type TaskFacts } from './facts';
import { nameOf, namesOf, quoted, quotedTitle, nameWithTitle, type NameTask } from './find-task';
import { fault, type Conflict, type Fault } from '../fault';
import { refuseChange } from './change-faults';
import { waitPath } from './graph/cycles';
import type { Note } from './note/note';
import { readCompletionLines } from './note/task-block';
import { AGENT_WORDING, PERSON_WORDING, type Wording } from './wording';
import type { Board, Status, Task } from './task';
import type { ChangeRecord } from './history/change-record';

/**
 * What an actor may do and how results are worded: all differences between an agent's change and a
 * person's.
 */
interface Policy {
  /** titles are plain text, or a task as typed in the note: title and fields */
  readonly titles: 'text' | 'typed';
  /**
   * The person's own tasks, blocked tasks and, for `archive`, unfinished tasks need "force". A task
   * that the person reviews stays in progress until they accept it.
   */
  readonly guarded: boolean;
  /** how tasks are named in refusals */
  readonly name: NameTask;
  /** wording of the answers to changes */
  readonly wording: Wording;
}

/** Conflicts need no policy: they are with a person's changes, and a person's context has none. */
export const AGENT_POLICY: Policy = {
  titles: 'text',
  guarded: true,
  name: nameOf,
  wording: AGENT_WORDING,
};

export const PERSON_POLICY: Policy = {
  titles: 'typed',
  guarded: false,
  name: quotedTitle,
  wording: PERSON_WORDING,
};

/** For titles taken from a text, in which fields are not parsed. */
export const TEXT_POLICY: Policy = { ...PERSON_POLICY, titles: 'text' };

/**
 * Whether the person reviews a task that an agent completes: if the task says so or, unless a run
 * judges the task, if the board does.
 */
export function isReviewed(
  { review }: Pick<Board, 'review'>,
  task: Pick<Task, 'approve' | 'body'>,
  isJudgedByRun = false,
): boolean {
  if (task.approve === 'me') return true;
  if (isJudgedByRun || review === undefined) return false;
  return review === 'all' || readCompletionLines(task).success.length > 0;
}

/**
 * Refuses an agent's change that ends a review in any way: only the person ends it. Undefined if
 * each task that waited for a review still does.
 */
export function reviewFault(before: Board, after: Board): Fault | undefined {
  const waiting = before.tasks.filter(isUnderReview);
  if (waiting.length === 0) return undefined;
  const now = new Map(after.tasks.map((task) => [task.key, task]));
  const ended = waiting.find(({ key, review }) => {
    const task = now.get(key);
    return task === undefined || !isUnderReview(task) || task.review !== review;
  });
  if (ended === undefined) return undefined;
  const message = `${nameWithTitle(ended)} waits for the person's review, which only the person ends. Nothing of this operation was done. Go on with other tasks; what is missing can go into its body as a line "Result: …".`;
  return fault('in_review', message);
}

/**
 * Refuses an agent's change of a task's text that alters its lines `Success: …`, by which the
 * person reviews it. Adding more is allowed.
 */
export function criteriaFault(
  { review }: Pick<Board, 'review'>,
  task: Task,
  body: string | undefined,
): Fault | undefined {
  if (body === undefined || !(review === 'success' || isUnderReview(task))) return undefined;
  const { success } = readCompletionLines({ body: body.split(/\r\n|\r|\n/) });
  if (readCompletionLines(task).success.every((line) => success.includes(line))) return undefined;
  const message = `The person reviews ${nameWithTitle(task)} by its lines "Success: …": send them in the body as they are. More may be added.`;
  return fault('bad_body', message);
}

/** A field that an operation wants to set; values as in the digest. */
export interface WantedField {
  readonly field: ChangedField;
  /** undefined: conflicts with any change by the person */
  readonly value: string | null | undefined;
}

/**
 * Finds the fields that both the person and the agent changed since the agent last looked; the
 * person's value stays. `wanted` is undefined for the removal of the whole task. Reports every
 * conflicting field; undefined if there is none. A value that is being typed is not disclosed:
 * `theirs` is then the value that the agent saw last.
 */
export function conflictWith(
  note: Note,
  task: Task,
  wanted: readonly WantedField[] | undefined,
  theirs: readonly PersonChange[],
): Fault | undefined {
  const own = theirs.filter((change) => isChangeOf(change, task));
  const changes =
    wanted === undefined
      ? own.slice(0, 1)
      : own.filter(({ field, after }) =>
          wanted.some((one) => one.field === field && one.value !== after),
        );
  if (changes.length === 0) return undefined;
  const { rev } = note.board;
  const did = changes.map((change) => describeChange(change, task)).join(' and ');
  const yours = wanted === undefined ? 'It was not removed' : 'Yours was not applied';
  const conflicts = changes.map(({ id, field, before, after, typing }): Conflict => ({
    ...{ id, field, theirs: typing === true ? before : after, rev },
    yours: wanted?.find((one) => one.field === field)?.value ?? null,
  }));
  return {
    ok: false,
    code: 'conflict',
    message: `The person ${did} since you last looked (rev ${rev}); that stays. ${yours}; send it again only if you still want it.`,
    conflicts,
  };
}

function describeChange({ field, after, typing }: PersonChange, task: Task): string {
  if (typing === true) return `is still typing ${field} of ${nameOf(task)}, which changed`;
  if (field === 'added') return `added ${nameOf(task)}`;
  return `set ${field} of ${nameOf(task)} to ${after === null ? 'nothing' : quoted(after)}`;
}

function isChangeOf(change: PersonChange, task: Task): boolean {
  return change.id === null
    ? task.id === null && change.title === task.title
    : change.id === task.id;
}

/**
 * Says why a task is blocked: it or one of its parents waits for other tasks, or a parent failed or
 * was deferred.
 */
export function blockedReason(
  byKey: ReadonlyMap<string, Task>,
  task: Task,
  facts: ReadonlyMap<string, TaskFacts>,
  name: NameTask = nameOf,
): string {
  for (let at: Task | undefined = task; at !== undefined;) {
    const waits = facts.get(at.key)?.blockedBy ?? [];
    const who = at === task ? 'it' : `${nameWithTitle(at)} above it`;
    if (waits.length > 0)
      return `${who} waits for ${waits
        .slice(0, 6)
        .map((id) => stateOf(byKey.get(id), id, name))
        .join(', ')}${waits.length > 6 ? ` and ${waits.length - 6} more` : ''}`;
    at = at.parent === null ? undefined : byKey.get(at.parent);
    if (at?.status === 'failed' || at?.status === 'deferred') {
      return `${nameWithTitle(at)} above it is ${at.status}`;
    }
  }
  return 'it is blocked';
}

export function tasksByKey({ tasks }: Pick<Board, 'tasks'>): ReadonlyMap<string, Task> {
  return new Map(tasks.map((one) => [one.key, one]));
}

function stateOf(task: Task | undefined, id: string, name: NameTask): string {
  return task === undefined ? `${id}, which is not here` : `${name(task)} (${task.status})`;
}

/**
 * A sentence that names up to five tasks that can be started instead of a blocked one; empty if
 * there are none.
 */
function readyHint(board: Board): string {
  const facts = boardFacts(board);
  const ready = board.tasks.filter(({ key }) => facts.get(key)?.ready === true);
  return ready.length === 0 ? '' : ` Ready now: ${ready.slice(0, 5).map(nameOf).join(', ')}.`;
}

/** Refuses prerequisites that would make a task wait for itself, and names the cycle. */
export function refuseCycle(
  note: Note,
  task: Task,
  dependsOn: readonly string[] | undefined,
  name: NameTask = nameOf,
): Fault | undefined {
  const path = dependsOn && waitPath(note.board, task.key, dependsOn);
  if (path === undefined) return undefined;
  const named = (keys: readonly string[]) => namesOf(note, keys, name);
  const values = { task: name(task), path: named(path) };
  const end = path.at(-1) ?? '';
  // `dependsOn` alone does not show why a cycle passes through a subtask.
  if (end !== task.key)
    return refuseChange('cycle', 'cycleUnder', { ...values, end: named([end]) });
  const { tasks } = note.board;
  const parents = new Map(tasks.map(({ key, parent }) => [key, parent]));
  const at = path.findIndex((key, i) => i > 0 && parents.get(key) === path[i - 1]);
  if (at < 0) return refuseChange('cycle', 'cycle', values);
  const [above = '', below = ''] = [path[at - 1], path[at]];
  return refuseChange('cycle', 'cycleAbove', {
    ...values,
    above: named([above]),
    below: named([below]),
  });
}

/** Refuses a place where a task would wait for itself: it waits for all that its parents do. */
export function refusePlaceCycle(
  now: Note,
  task: Task,
  name: NameTask = nameOf,
): Fault | undefined {
  const tasks = new Map(now.board.tasks.map((one) => [one.key, one]));
  const waits: string[] = [];
  let at = task.parent === null ? undefined : tasks.get(task.parent);
  while (at !== undefined) {
    waits.push(...at.dependsOn);
    at = at.parent === null ? undefined : tasks.get(at.parent);
  }
  const path = waitPath(now.board, task.key, waits);
  if (path === undefined) return refuseCycle(now, task, task.dependsOn, name);
  return refuseChange('cycle', 'placeCycle', { task: name(task), path: namesOf(now, path, name) });
}

/**
 * Refuses to start or complete a blocked task unless forced with a reason, which the task keeps.
 * Only called for agents.
 * @param told the board as answers show it
 */
export function refuseBlocked(
  board: Board,
  task: Task,
  status: Status | undefined,
  force: boolean,
  reason: string | null | undefined,
  told: Board,
): Fault | undefined {
  if ((status !== 'in_progress' && status !== 'completed') || status === task.status) {
    return undefined;
  }
  const facts = boardFacts(board);
  if (facts.get(task.key)?.blocked !== true) return undefined;
  const name = nameWithTitle(told.tasks.find(({ key }) => key === task.key) ?? task);
  const what = status === 'completed' ? 'completed' : 'started';
  if (!force) {
    const why = blockedReason(tasksByKey(board), task, facts);
    const message = `${name} can't be ${what}: ${why}. Do that first, or send "force": true with a reason.${readyHint(told)}`;
    return fault('blocked', message);
  }
  if (typeof reason === 'string') return undefined;
  const message = `${name} is blocked. To have it ${what} all the same, send "reason" with "force".`;
  return fault('missing_field', message);
}

/** Why an agent can't claim a task; undefined if it can. */
export function claimFault(
  note: Note,
  key: string,
  context: Pick<ApplyContext, 'caller' | 'told'>,
): Fault | undefined {
  const { board } = note;
  const { caller, told } = context;
  const task = board.tasks.find((one) => one.key === key);
  if (task === undefined) return undefined;
  const name = nameWithTitle(taskAsShown(note, task, context));
  if (task.owner === 'me') return fault('owned_by_person', `${name} is the person's own task.`);
  if (task.owner !== null && task.owner !== caller) {
    return fault(
      'owned',
      `${name} is owned by ${task.owner}. Claim another, such as one that is ready.`,
    );
  }
  if (isFinished(task)) {
    return fault(
      'finished',
      `${name} is ${task.status} already. Set it pending first, if it is to be done again.`,
    );
  }
  const facts = boardFacts(board);
  if (facts.get(key)?.blocked !== true) return undefined;
  const why = blockedReason(tasksByKey(board), task, facts);
  return fault('blocked', `${name} can't be started: ${why}.${readyHint(told(note).board)}`);
}

/** A person's change. `typing`: the value is still being typed and no answer discloses it. */
export interface PersonChange extends TaskChange {
  readonly typing?: boolean;
}

/** What `apply` needs to know besides note and operation. */
export interface ApplyContext {
  readonly policy: Policy;
  readonly path: string;
  /** owner of a claimed task: the calling agent, or `me` */
  readonly caller: string;
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /** the board as the agent last saw it */
  readonly seen: Board | undefined;
  /** what a person changed since then */
  readonly theirs: readonly PersonChange[];
  /** the note as answers show it: marks what runs still check, leaves out what is being typed */
  readonly told: (note: Note) => Note;
  /** whether a run judges the completion of a task; absent: none does */
  readonly judged?: (board: Board, task: Task) => boolean;
  /** the text of a note that `init` or `add` creates */
  readonly fresh: (title: string | undefined) => string;
  /** the archive of this board, if an operation needs it */
  readonly archive?: Note | undefined;
  /** why the archive could not be written */
  readonly archiveFault?: Fault | undefined;
  /** the board's changes, oldest first, if an operation needs them */
  readonly records?: readonly ChangeRecord[];
}

/** A task as answers show it. */
export function taskAsShown(note: Note, task: Task, { told }: Pick<ApplyContext, 'told'>): Task {
  return told(note).board.tasks.find(({ key }) => key === task.key) ?? task;
}
