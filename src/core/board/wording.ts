import { boardFacts, isFinished } from './facts';
import {
  subtreeOf,
  nameOf,
  namesOf,
  quoted,
  quotedTitle,
  shortened,
  nameWithTitle,
} from './find-task';
import type { TaskEdit } from './note/edit-task';
import type { Note } from './note/note';
import type { Removal } from './note/place-task';
import { lineExtras } from './note/line-extras';
import { FIELD_NAMES, fieldText } from './tasks-schema';
import type { Board, Status, Task } from './task';

/** A task of a note before and after a change. */
interface ChangedTask {
  readonly before: Note;
  readonly after: Note;
  readonly was: Task;
  readonly is: Task;
}

interface MovedTo {
  readonly place: 'after' | 'before' | 'parent' | 'phase';
  /** the task after, before or under which it is now */
  readonly beside: Task | undefined;
}

/** Words each change as a sentence, for the model that made it or for the person's history. */
export interface Wording {
  added(now: Note, task: Task): string;
  /** @param changed notes and tasks as answers show them */
  updated(changed: ChangedTask, edit: TaskEdit): string;
  moved(now: Note, task: Task, to: MovedTo): string;
  removed(before: Note, now: Note, task: Task, how: Removal | undefined): string;
  claimed(now: Note, task: Task, caller: string): string;
  restored(task: Task, count: number): string;
  titled(before: string, now: string): string;
}

export const AGENT_WORDING: Wording = {
  added: (now, task) => {
    const parent = now.board.tasks.find((one) => one.key === task.parent);
    return [
      nameWithTitle(task),
      ...(parent === undefined ? [] : [`under ${nameOf(parent)}`]),
      ...(task.dependsOn.length === 0 ? [] : [`waits for ${namesOf(now, task.dependsOn)}`]),
    ].join(', ');
  },
  updated: (changed, edit) => {
    const { before, after, is } = changed;
    const what = agentUpdates(changed, edit).join(', ');
    return `${nameWithTitle(is)}: ${what}.${consequences(before, after, is, edit.status)}`;
  },
  moved: (now, task) => `${nameWithTitle(task)} ${placeText(now, task)}.`,
  removed: (before, now, task, how) => {
    const family = subtreeOf(before.board, task);
    const gone = how === 'cascade' ? family : [task];
    return `${nameWithTitle(task)} is gone${subTasksText(family.length - 1, how)}.${stillWaitingText(now, gone)}`;
  },
  claimed: (now, task, caller) =>
    `${nameWithTitle(task)} is yours (${caller}) and in_progress.${cancelledPrerequisitesText(now.board, task)}`,
  restored: (task, count) => {
    const where = task.phase === null ? '' : ` in ${quoted(task.phase)}`;
    const under = count === 1 ? '' : `, with ${count - 1} under it`;
    return `${nameOf(task)} ${quoted(task.title)} is back${where}${under}.`;
  },
  titled: (before, now) =>
    `the board exists already; ${before === now ? 'it has this title' : `its title is now ${quoted(now)}`}, nothing else was changed.`,
};

export const PERSON_WORDING: Wording = {
  added: (_, task) => `added ${quoted(task.title)}`,
  updated: (changed, edit) =>
    `${nameWithTitle(changed.was)} ${personUpdates(changed, edit).join(', ')}`,
  moved: (_, task, { place, beside }) =>
    `${nameWithTitle(task)} stands ${place === 'phase' ? `in ${quoted(task.phase ?? '')}` : `${PREPOSITIONS[place]} ${quoted(beside?.title ?? '')}`}`,
  removed: (_, __, task) => `removed ${nameWithTitle(task)}`,
  claimed: (_, task) => `${nameWithTitle(task)} is yours and in_progress`,
  restored: (task) => `${nameWithTitle(task)} is back from the archive`,
  titled: (_, now) => `the board is called ${quoted(now)}`,
};

const PREPOSITIONS = { after: 'behind', before: 'before', parent: 'under' } as const;

function agentUpdates({ after, was, is }: ChangedTask, edit: TaskEdit): readonly string[] {
  const said: string[] = [];
  if (edit.title !== undefined) {
    said.push(was.title === is.title ? 'had this title' : `was ${quoted(was.title)}`);
  }
  if (edit.dependsOn !== undefined) {
    const { dependsOn } = is;
    said.push(`waits for ${dependsOn.length === 0 ? 'nothing' : namesOf(after, dependsOn)}`);
  }
  said.push(...fieldTexts(is, edit));
  if (edit.review !== undefined) {
    said.push(`waits for the person's review since ${edit.review}`);
  } else if (edit.status !== undefined) {
    said.push(was.status === is.status ? `was ${is.status} already` : `is ${is.status}`);
  }
  return said;
}

function fieldTexts(task: Task, { fields, body }: TaskEdit): readonly string[] {
  const set = FIELD_NAMES.filter((name) => name !== 'body' && fields[name] !== undefined);
  return [
    ...set.map((name) => `${name} ${shortened(fieldText(task, name) ?? 'none', 60)}`),
    ...(body === undefined ? [] : [body === '' ? 'without a body' : 'with this body']),
  ];
}

function personUpdates({ before, after, was, is }: ChangedTask, edit: TaskEdit): readonly string[] {
  const said: string[] = [];
  if (edit.title !== undefined) said.push(`is called ${quoted(is.title)}`);
  if (edit.dependsOn !== undefined) {
    const gone = was.dependsOn.filter((id) => !is.dependsOn.includes(id));
    const titles = gone.map((id) => titleOf(before.board, id)).join(', ');
    if (gone.length > 0) said.push(`no longer waits for ${titles}`);
    if (gone.length < was.dependsOn.length || is.dependsOn.length > 0) {
      if (gone.length === 0) said.push(`waits for ${namesOf(after, is.dependsOn)}`);
    }
  }
  const names = [...Object.keys(edit.fields), ...(edit.body === undefined ? [] : ['body'])];
  if (names.length > 0) said.push(`has another ${names.join(', ')}`);
  if (edit.status !== undefined) said.push(`is ${edit.status}`);
  return said;
}

function titleOf({ tasks }: Board, id: string): string {
  const task = tasks.find((one) => one.id === id);
  return task === undefined ? quoted(id) : quotedTitle(task);
}

function placeText(now: Note, task: Task): string {
  const parent = now.board.tasks.find(({ key }) => key === task.parent);
  if (parent !== undefined) return `is a subtask of ${nameOf(parent)}`;
  if (task.phase !== null) return `stands in ${quoted(task.phase)}`;
  const tasks = now.board.tasks.filter(({ parent, phase }) => parent === null && phase === null);
  const before = tasks[tasks.findIndex(({ key }) => key === task.key) - 1];
  return before === undefined ? 'stands first' : `stands behind ${nameOf(before)}`;
}

function subTasksText(count: number, how: Removal | undefined): string {
  if (how === undefined || count === 0) return '';
  const many = count === 1 ? '1 subtask' : `${count} subtasks`;
  return how === 'cascade' ? `, with ${many}` : `, its subtasks took its place`;
}

/** Warns of tasks that depend on removed ones: they are blocked until `dependsOn` changes. */
function stillWaitingText(now: Note, gone: readonly Task[]): string {
  const ids = new Set(gone.map(({ id }) => id));
  const waiting = now.board.tasks.filter(({ dependsOn }) => dependsOn.some((id) => ids.has(id)));
  if (waiting.length === 0) return '';
  const names = waiting.slice(0, 10).map(nameOf).join(', ');
  return ` ${names} still waits for what is gone: undepend it, or give it another prerequisite.`;
}

/** Describes what a new status did: tasks unblocked or still open, cancelled prerequisites. */
function consequences(before: Note, after: Note, task: Task, status: Status | undefined): string {
  if (status === undefined) return '';
  const [was, is] = [boardFacts(before.board), boardFacts(after.board)];
  const said: string[] = [];
  const open = status === 'completed' ? openSubTasks(after.board, task) : [];
  if (open.length > 0) said.push(` Its open subtasks keep their status: ${names(open)}.`);
  const repeats = status === 'completed' ? recurrenceOf(after, task.key) : null;
  if (repeats !== null) {
    said.push(` It repeats (${repeats}), but no next occurrence is made: add one if it is needed.`);
  }
  const begun = status === 'in_progress' || status === 'completed';
  const waits = begun ? (is.get(task.key)?.blockedBy ?? []) : [];
  if (waits.length > 0) said.push(` It still waited for ${namesOf(after, waits)}.`);
  if (begun) said.push(cancelledPrerequisitesText(after.board, task));
  const freed = after.board.tasks.filter(
    ({ key }) =>
      was.get(key)?.blocked === true && is.get(key)?.blocked === false && key !== task.key,
  );
  if (freed.length > 0) {
    const notice =
      status === 'cancelled'
        ? `, though ${nameOf(task)} was not done: see whether they can be`
        : '';
    said.push(` Unblocked: ${names(freed)}${notice}.`);
  }
  return said.join('');
}

/** A cancelled prerequisite blocks nothing, but its result may be missing. */
function cancelledPrerequisitesText({ tasks }: Board, { dependsOn }: Task): string {
  const cancelled = tasks.filter(
    ({ key, status }) => status === 'cancelled' && dependsOn.includes(key),
  );
  return cancelled.length === 0 ? '' : ` ${names(cancelled)}, which it waited for, was cancelled.`;
}

/** The text after a task's 🔁, null if there is none. */
function recurrenceOf(note: Note, key: string): string | null {
  const at = note.board.tasks.findIndex((task) => task.key === key);
  return at < 0 ? null : lineExtras(note, at).recurrence;
}

/**
 * Whether a change completed a task with a 🔁: the Tasks plugin would create its next occurrence,
 * this program does not.
 */
export function completesRecurring(before: Note, after: Note): boolean {
  const [was, is] = [before.board.tasks, after.board.tasks];
  return is.some(({ key, status }, at) => {
    if (status !== 'completed') return false;
    // A change of status may give a task its id, but does not move it.
    const old = was.length === is.length ? was[at] : was.find((one) => one.key === key);
    return old?.status !== 'completed' && lineExtras(after, at).recurrence !== null;
  });
}

function openSubTasks(board: Board, task: Task): readonly Task[] {
  return subtreeOf(board, task).filter((one) => one !== task && !isFinished(one));
}

function names(tasks: readonly Task[]): string {
  const shown = tasks.slice(0, 10).map(nameOf).join(', ');
  return tasks.length > 10 ? `${shown} and ${tasks.length - 10} more` : shown;
}
