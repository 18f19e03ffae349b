import type { LineExtras } from '../board/note/whole-line';
import type { OwnField } from '../board/note/line-facts';
import type { Task } from '../board/task';
import type { Fault } from '../fault';
import type { NoteStore } from '../ports';

/** What can be imported: the program or layout that a plan comes from. */
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
  /** unique in its plan */
  readonly key: string;
  /** what the source calls the task, null where it has no ids */
  readonly ref: string | null;
  /** key of the parent task, which stands before it */
  readonly parent: string | null;
  /** keys; nothing in a plan waits for itself, in whatever way */
  readonly dependsOn: readonly string[];
}

/** Something of the source that is not taken over, or not as it stands there. */
export interface Left {
  /** what it is, in the words of the source */
  readonly what: string;
  /** why, as one sentence for a person */
  readonly why: string;
}

/** One list of tasks, as one board takes it. Parents stand before their sub-tasks. */
export interface ImportedPlan {
  /** what it comes from; `text`: what a model said */
  readonly kind: ImportKind | 'text';
  /** of the source: the heading under which an existing board gets its tasks */
  readonly name: string;
  /** of a board that is made for it */
  readonly title: string;
  /** as the source names them, null where it does not */
  readonly session: string | null;
  readonly agent: string | null;
  /**
   * for a board of ours: its headings are those of the board that it goes to, and ids of this prefix name
   * that board's own tasks
   */
  readonly board?: { readonly prefix: string };
  readonly tasks: readonly ImportedTask[];
  readonly left: readonly Left[];
}

export type PlanReader = (source: ImportSource) => Promise<ImportedPlans | Fault>;

export interface ImportedPlans {
  readonly ok: true;
  readonly kind: ImportKind;
  /** at least one; each goes on a board of its own */
  readonly plans: readonly ImportedPlan[];
  /** what belongs to none of the plans, such as a file that can't be read */
  readonly left: readonly Left[];
}

/** Looks at files and never changes them; every NoteStore is one. */
export type ImportReader = Pick<NoteStore, 'read' | 'list'>;

/** What a person names as the source of an import. */
export interface ImportSource {
  /** as `reader` takes it, "/"-separated; its last segment is the source's name */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly reader: ImportReader;
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

/** Names of what is directly in a folder, those that end with `end`; numbers in them count as numbers. */
export async function filesIn(
  reader: ImportReader,
  folder: string,
  end: string,
): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.toLowerCase().endsWith(end))
    .map(({ name }) => name)
    .toSorted(byNumbers);
}

/** Names of the folders directly in a folder. */
export async function foldersIn(reader: ImportReader, folder: string): Promise<string[]> {
  const entries = await reader.list(folder);
  return entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ name }) => name)
    .toSorted(byNumbers);
}

/** `task-2` before `task-10`, `1.2` before `1.10`; the same everywhere, whatever the locale. */
function byNumbers(a: string, b: string): number {
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
