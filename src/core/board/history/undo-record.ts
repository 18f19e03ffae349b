import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { quoted } from '../operation/find-task';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board, Task } from '../task';
import { nameOfActor, sameActor } from './actor';
import type { ChangeRecord } from './change-record';
import { revertHunks } from './revert-hunks';
import { throughArchive, type TakenBack } from './through-archive';

/**
 * Takes one change back: its lines stand again as they were, what it added goes, what it removed
 * comes back. Refused where one of its tasks changed since, or where another task would say or
 * belong to something else then. `rev` is the caller's.
 * @param later the records after it, to tell who changed what since
 * @param archive of the board, undefined where there is none
 */
export function undoRecord(
  note: Note,
  record: ChangeRecord,
  later: readonly ChangeRecord[],
  archive: Note | undefined,
): TakenBack | Fault {
  const { hunks } = record;
  if (hunks === undefined) {
    return fault('too_large', 'This change is too large to be taken back. Change it by hand.');
  }
  const again = standingAgain(note.board, record);
  if (again !== undefined) return again;
  const reverted = revertHunks(note, hunks);
  if (!reverted.ok) return changedSince(note.board, reverted.lost.task, record, later);
  const now = parseNote(note.board.path, reverted.text);
  if (now.board.broken !== null) return changedSince(note.board, null, record, later);
  const refused =
    withoutParent(note.board, now.board, record) ??
    elsewhere(now.board, record) ??
    othersChanged(note.board, now.board, record);
  return refused ?? throughArchive(now, record, archive);
}

function changedSince(
  board: Board,
  id: string | null,
  { by }: ChangeRecord,
  later: readonly ChangeRecord[],
): Fault {
  const task = id === null ? undefined : board.tasks.find((one) => one.id === id);
  const name = task === undefined ? (id === null ? 'The note' : 'This task') : quoted(task.title);
  const last = later.findLast((one) => id !== null && one.tasks.includes(id));
  const what =
    last === undefined || sameActor(last.by, by)
      ? `${name} changed since`
      : `${nameOfActor(last.by)} changed ${task === undefined ? 'this task' : name} since`;
  const next =
    by.kind === 'agent' ? 'Look at it, and send what you still want.' : 'Open it to compare.';
  return fault('changed_since', `${what}, so it was not undone. ${next}`);
}

/** A task that the change took away and somebody put back would stand twice. */
function standingAgain({ tasks }: Board, { gone = [] }: ChangeRecord): Fault | undefined {
  if (gone.length === 0) return undefined;
  const went = new Set(gone);
  const task = tasks.find(({ id }) => id !== null && went.has(id));
  if (task === undefined) return undefined;
  return fault(
    'changed_since',
    `${quoted(task.title)} is on the board again since, so it was not undone.`,
  );
}

/** Of a task that would go, sub-tasks that came since would be left without their parent. */
function withoutParent(before: Board, after: Board, { tasks }: ChangeRecord): Fault | undefined {
  const stay = new Set(after.tasks.map(nameOfTask));
  const keys = new Map(before.tasks.map((task) => [task.key, task]));
  for (const task of before.tasks) {
    const parent = task.parent === null ? undefined : keys.get(task.parent);
    if (parent === undefined || stay.has(nameOfTask(parent)) || tasks.includes(nameOfTask(task))) {
      continue;
    }
    return fault(
      'has_children',
      `${quoted(parent.title)} has the sub-task ${quoted(task.title)} since, so it was not undone. Move that first.`,
    );
  }
  return undefined;
}

/** What comes back must hang under the task that it hung under. */
function elsewhere({ tasks }: Board, { hunks = [] }: ChangeRecord): Fault | undefined {
  const keys = new Map(tasks.map((task) => [task.key, task]));
  for (const { task: id, from } of hunks) {
    const task = from === undefined || id === null ? undefined : tasks.find((one) => one.id === id);
    if (task === undefined) continue;
    const parent = task.parent === null ? null : (keys.get(task.parent)?.id ?? null);
    if (parent === from?.parent) continue;
    return fault(
      'changed_since',
      `The place of ${quoted(task.title)} is no longer there, so it was not undone. Add it by hand.`,
    );
  }
  return undefined;
}

/** Tasks that the change was not about must say the same, in the same order, under the same parent. */
function othersChanged(before: Board, after: Board, record: ChangeRecord): Fault | undefined {
  const [was, is] = [others(before, record), others(after, record)];
  if (was.length === is.length && was.every((said, at) => said === is[at])) return undefined;
  return fault(
    'changed_since',
    'The note changed around it since, so that other tasks would not stay as they are. It was not undone.',
  );
}

function others({ tasks }: Board, record: ChangeRecord): readonly string[] {
  const names = new Map(tasks.map((task) => [task.key, nameOfTask(task)]));
  const about = new Set(record.tasks);
  return tasks
    .filter((task) => !about.has(nameOfTask(task)))
    .map((task) => {
      const parent = task.parent === null ? null : names.get(task.parent);
      const malformed = task.malformed !== null;
      return JSON.stringify({ ...task, key: '', line: 0, depth: 0, parent, malformed });
    });
}

function nameOfTask({ id, title }: Task): string {
  return id ?? title;
}
