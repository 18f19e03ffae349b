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
    };

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
