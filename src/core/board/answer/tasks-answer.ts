import type { TaskChange } from '../digest';
import type { Conflict, Fault } from '../operation/read-operation';
import type { OperationResult } from '../operation/outcome';
import type { BoardJson, BoardSummary, TaskJson } from './task-json';

/** What the tool `tasks` answers. */
export interface TasksAnswer {
  /** every operation succeeded */
  readonly ok: boolean;
  /** why nothing was done at all */
  readonly refused?: { readonly code: string; readonly message: string };
  /** `Task List: <board title>` */
  readonly title: string;
  /** for the model; under 2,000 lines and 50 kB */
  readonly output: string;
  readonly metadata: TasksMetadata;
  readonly result: TasksResult;
}

export interface TasksMetadata {
  readonly sessionId: string;
  /** whose board this is */
  readonly agent: string;
  /** of the board shown, as many as fit in 100 kB */
  readonly tasks: readonly TaskJson[];
  /** how many did not fit */
  readonly tasksLeftOut?: number;
  readonly summary: BoardSummary;
  readonly operation: 'unified';
}

export interface OperationReport {
  readonly success: boolean;
  /** as it was sent */
  readonly operation: unknown;
  readonly result?: OperationResult;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    /** the first field that collided with a person's change */
    readonly conflict?: Conflict;
    /** all of them, where there are several */
    readonly conflicts?: readonly Conflict[];
  };
}

/** The whole answer for programs; `board` is null where the session has none. */
export interface TasksResult {
  readonly ok: boolean;
  readonly results: readonly OperationReport[];
  readonly summary: { readonly total: number; readonly succeeded: number; readonly failed: number };
  /** absent where every operation succeeded */
  readonly errors?: readonly { readonly operation: unknown; readonly error: string }[];
  readonly board: BoardJson | null;
  readonly changed: readonly TaskChange[];
  readonly response: Pick<TasksAnswer, 'title' | 'output' | 'metadata'>;
}

export type Refusal = Pick<Fault, 'code' | 'message'>;
