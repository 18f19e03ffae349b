import type { FieldValues } from '../note/edit-fields';
import type { Board, Status, TaskTarget } from '../task';

/** What a person does to a board through a view or a command. */
export type PersonOperation =
  | {
      readonly type: 'status';
      readonly target: TaskTarget;
      readonly status: Status;
      readonly reason?: string;
    }
  | { readonly type: 'rename'; readonly target: TaskTarget; readonly title: string }
  | {
      readonly type: 'add';
      readonly title: string;
      readonly after?: TaskTarget;
      readonly parent?: TaskTarget;
      readonly phase?: string;
    }
  /** a task with all that belongs to it, finished or not; without one all that is finished */
  | { readonly type: 'archive'; readonly target?: TaskTarget }
  /** by id, as `archived` has it */
  | { readonly type: 'restore'; readonly id: string }
  | {
      readonly type: 'remove';
      readonly target: TaskTarget;
      readonly cascade?: boolean;
      readonly promote?: boolean;
    }
  /** exactly one place */
  | {
      readonly type: 'move';
      readonly target: TaskTarget;
      readonly after?: TaskTarget;
      readonly parent?: TaskTarget;
      readonly phase?: string;
    }
  /** one prerequisite more or less for each of `on`; one that is gone is named by its id */
  | {
      readonly type: 'depend';
      readonly target: TaskTarget;
      readonly on: readonly TaskTarget[];
    }
  | {
      readonly type: 'undepend';
      readonly target: TaskTarget;
      readonly on: readonly TaskTarget[];
    }
  /** null takes a field away; an empty body too */
  | {
      readonly type: 'fields';
      readonly target: TaskTarget;
      readonly fields: FieldValues;
      readonly body?: string;
    }
  /** a pasted duplicate gets a number of its own */
  | { readonly type: 'renumber'; readonly target: TaskTarget }
  /** of the board */
  | { readonly type: 'title'; readonly title: string };

export type PersonAnswer =
  | {
      readonly ok: true;
      /** for `undo` */
      readonly change: string;
      readonly board: Board;
      /** how many tasks no longer wait */
      readonly frees: number;
      /** why the change can't be taken back later: it could not be kept */
      readonly unrecorded?: string;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly code: string;
  /** a sentence for the person: what happened, what to do */
  readonly message: string;
}
