import type { Priority, Status } from '../task';

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
] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** A task of another program in the words of ours. */
export interface ImportedTask {
  /** unique in its plan */
  readonly key: string;
  /** what the source calls the task, null where it has no ids */
  readonly ref: string | null;
  /** one line of 1 to 500 characters; tags are part of it */
  readonly title: string;
  readonly status: Status;
  readonly priority: Priority;
  readonly owner: string | null;
  readonly scope: string | null;
  readonly risk: string | null;
  readonly impact: string | null;
  readonly level: string | null;
  readonly estimate: string | null;
  /** all dates `YYYY-MM-DD` */
  readonly due: string | null;
  readonly created: string | null;
  readonly done: string | null;
  readonly cancelled: string | null;
  /** lines of text, without line ends */
  readonly body: readonly string[];
  /** key of the parent task, which stands before it */
  readonly parent: string | null;
  /** keys; nothing in a plan waits for itself, in whatever way */
  readonly dependsOn: readonly string[];
  /** the heading that it stands under in the source */
  readonly phase: string | null;
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
  readonly tasks: readonly ImportedTask[];
  readonly left: readonly Left[];
}
