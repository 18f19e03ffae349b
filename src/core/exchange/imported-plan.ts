import type { Sentence } from '../fault/sentence';
import type { LineExtras } from '../board/note/line-extras';
import type { OwnField } from '../board/note/line-facts';
import type { Task } from '../board/task';
import type { Fault } from '../fault';
import type { NoteStore } from '../ports';

/** The programs and layouts that plans can be imported from. */
export const IMPORT_KINDS = [
  'todowrite',
  'opencode-tasks',
  'todo-sessions',
  'task-files',
  'claude-tasks',
  'task-notes',
  'task-master',
  'backlog',
  'kanban',
  'beads',
  'json',
] as const;

export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * A task of another program in the terms of this one: fields with the same name as in `Task` have the same
 * meaning. `phase` is the heading above the task in the source.
 */
export interface ImportedTask
  extends
    LineExtras,
    Pick<Task, OwnField | 'title' | 'status' | 'mark' | 'priority' | 'body' | 'phase'>,
    Pick<Task, 'due' | 'done' | 'cancelled'> {
  /** unique within the plan */
  readonly key: string;
  /** the task's id in the source; null if it has none */
  readonly ref: string | null;
  /** key of the parent task, which comes earlier in the plan */
  readonly parent: string | null;
  /** keys; free of cycles, parents included */
  readonly dependsOn: readonly string[];
}

/** Part of a source that was not imported, or not unchanged. */
export interface ImportLoss {
  /** name of the part, in the terms of the source */
  readonly what: string;
  /** the reason, as one sentence for a person */
  readonly why: string;
  /** both as a value, for translation */
  readonly said: Sentence;
}

/** A list of tasks for one board. Parents come before their subtasks. */
export interface ImportedPlan {
  /** kind of the source; `text`: text of a model */
  readonly kind: ImportKind | 'text';
  /** name of the source; its tasks get a heading with this name on an existing board */
  readonly name: string;
  /** the project that it is of, if neither its name nor its ids tell projects apart */
  readonly project?: string;
  /** title for a new board */
  readonly title: string;
  /** as named in the source; null if it names none */
  readonly session: string | null;
  readonly agent: string | null;
  /**
   * for one of our boards: its headings are those of the target board, and ids with this prefix are
   * that board's own tasks
   */
  readonly board?: { readonly prefix: string };
  readonly tasks: readonly ImportedTask[];
  readonly left: readonly ImportLoss[];
}

export type PlanReader = (source: ImportSource) => Promise<ImportedPlans | Fault>;

export interface ImportedPlans {
  readonly ok: true;
  readonly kind: ImportKind;
  /** at least one; each goes on its own board */
  readonly plans: readonly ImportedPlan[];
  /** parts that belong to no plan, such as an unreadable file */
  readonly left: readonly ImportLoss[];
}

/** Reads files. Never changes them. Every NoteStore is one. */
export type ImportReader = Pick<NoteStore, 'read' | 'list'>;

/** The source of an import, as named by a person. */
export interface ImportSource {
  /** path for `reader`, "/"-separated; the last segment is the source's name */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly reader: ImportReader;
  /** a longer path that ends like `path`, for the names of the folders above; not for `reader` */
  readonly place?: string;
}

/** The last segment of a path. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment without the extension. */
export function stemOf(path: string): string {
  const name = nameOfPath(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Names of the files directly in a folder that end with `end`, in natural order. */
export async function filesIn(
  reader: ImportReader,
  folder: string,
  end: string,
): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.toLowerCase().endsWith(end))
    .map(({ name }) => name)
    .toSorted(compareNatural);
}

/** Names of the folders directly in a folder, in natural order. */
export async function foldersIn(reader: ImportReader, folder: string): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ name }) => name)
    .toSorted(compareNatural);
}

/** Natural order: `task-2` before `task-10`, `1.2` before `1.10`. Doesn't depend on the locale. */
function compareNatural(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [one = '', other = ''] = [left[i], right[i]];
    const order = /^\d/.test(one) && /^\d/.test(other) ? Number(one) - Number(other) : 0;
    if (order !== 0) return order;
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function partsOf(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}
