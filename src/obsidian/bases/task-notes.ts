import { isFinished, isUnderReview } from '../../core/board/facts';
import type { Op, TaskRef } from '../../core/board/op';
import { PRIORITIES, readStatus, type Board, type Status, type Task } from '../../core/board/task';
import { t } from '../language/text';

/** Front matter of a note as the app read it; can contain anything. */
export type Properties = Readonly<Record<string, unknown>>;

/** A note in the layout with one note per task. */
export interface TaskNote {
  readonly path: string;
  readonly properties: Properties;
}

/** Notes in the form that views draw. */
export interface NotesBoard {
  readonly board: Board;
  /** paths by the key of the task */
  readonly paths: ReadonlyMap<string, string>;
}

/**
 * Reads notes as a board. Each note is a task, identified by the id by which other notes name it, or by its
 * path if it has none. Without a valid status the task is pending.
 * @param name of the board, which is no note
 */
export function boardOfNotes(name: string, notes: readonly TaskNote[]): NotesBoard {
  const paths = new Map<string, string>();
  const tasks = notes.map((note, at) => {
    const task = taskOfNote(note, at);
    const key = task.id === null || paths.has(task.id) ? note.path : task.id;
    paths.set(key, note.path);
    return { ...task, key };
  });
  const board: Board = {
    ...{ path: name, session: name, agent: NOBODY, title: name, prefix: '', rev: 0 },
    ...{ problems: [], broken: null, tasks },
  };
  return { board, paths };
}

/** The agent shown for tasks without an owner. */
const NOBODY = t('bases.nobody');

function taskOfNote({ path, properties }: TaskNote, at: number): Task {
  const text = (key: string): string | null => {
    const value = properties[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const id = text('id');
  const number = /-(\d{1,9})$/.exec(id ?? '')?.[1];
  const priority = PRIORITIES.find((one) => one === text('priority')) ?? 'normal';
  const waits = properties['dependsOn'];
  const basename = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  return {
    ...{ key: path, id, n: number === undefined ? null : Number(number) },
    title: text('title') ?? text('name') ?? basename,
    status: readStatus(text('status') ?? '') ?? 'pending',
    dependsOn: Array.isArray(waits) ? waits.filter((one) => typeof one === 'string') : [],
    ...{ mark: ' ', parent: null, depth: 0, phase: text('phase'), priority },
    ...{ owner: text('owner'), scope: text('scope'), risk: text('risk'), impact: text('impact') },
    ...{ level: text('level'), reason: text('reason'), estimate: text('estimate') },
    ...{ approve: text('approve'), review: text('review'), due: text('due'), done: text('done') },
    ...{ cancelled: text('cancelled'), waitsFor: null, body: [], line: at + 1, malformed: null },
  };
}

/** New values of properties; null removes a property. */
export type PropertyChanges = Readonly<Record<string, string | boolean | null>>;

/**
 * The headings of notes after their cards were moved, by line; a card that is put beside another
 * gets the heading of that one.
 */
export function phasesAfter(
  { tasks }: Pick<Board, 'tasks'>,
  operations: readonly Op[],
): ReadonlyMap<number | undefined, string | null> {
  const phases = new Map<number | undefined, string | null>(
    tasks.map(({ line, phase }) => [line, phase]),
  );
  const noteAt = (ref: TaskRef | undefined): Task | undefined =>
    tasks.find(({ line, title }) => (typeof ref === 'object' ? ref.line === line : ref === title));
  for (const op of operations) {
    if (op.type !== 'move') continue;
    const beside = noteAt(op.after ?? op.before)?.line;
    phases.set(noteAt(op.id)?.line, op.phase ?? phases.get(beside) ?? null);
  }
  return phases;
}

/**
 * The properties of a note that change when its card is moved.
 * @param phases what `phasesAfter` returns
 */
export function changedProperties(
  task: Task,
  operations: readonly Op[],
  status: Status | undefined,
  phases: ReturnType<typeof phasesAfter> = new Map(),
): PropertyChanges {
  const changes: Record<string, string | boolean | null> = {};
  if (status !== undefined && (status !== task.status || isUnderReview(task))) {
    changes['status'] = status;
    // As in a board's note, setting any status ends a review.
    if (task.review !== null) changes['review'] = null;
    // The layout stores this for tables.
    changes['finished'] = isFinished({ status });
  }
  for (const op of operations) {
    if (!('id' in op) || typeof op.id !== 'object' || op.id.line !== task.line) continue;
    if (op.type === 'update' && op.owner !== undefined) changes['owner'] = op.owner;
    if (op.type === 'update' && typeof op.priority === 'string') changes['priority'] = op.priority;
  }
  const phase = phases.get(task.line);
  if (phase !== undefined && phase !== task.phase) changes['phase'] = phase;
  return changes;
}
