import type { TaskTarget } from '../task';

export type FindingKind =
  /** the note can't be parsed: read-only until a person repairs it */
  | 'broken-note'
  /** a line that no tool may edit, or that says two things */
  | 'unclear-line'
  /** two tasks have one id */
  | 'duplicate-id'
  /** a task waits for an id that no task has */
  | 'unknown-id'
  /** tasks wait for each other */
  | 'cycle'
  /** a task stands on the board and in its archive */
  | 'archived-twice'
  /** two boards draw their ids from one prefix */
  | 'shared-prefix'
  /** a copy that a sync tool made of a board */
  | 'sync-copy'
  /** a lock whose process is gone */
  | 'stale-lock'
  /** a temporary file whose process is gone */
  | 'leftover-file'
  /** a write or a move that was broken off */
  | 'leftover-journal'
  /** a text that was kept where its note had changed meanwhile */
  | 'kept-text';

/** What a program can do about a finding without a loss: nothing that a person wrote goes. */
export type Fix =
  /** the second of two tasks with one id gets an id of its own; the first keeps it */
  | { readonly type: 'renumber'; readonly target: TaskTarget }
  /** the file holds nothing of anyone's */
  | { readonly type: 'remove' }
  /** the write is brought to its end, which never writes over a later one */
  | { readonly type: 'finish' };

/** Something about the boards of a vault that a person should know. */
export interface Finding {
  readonly kind: FindingKind;
  /** of the note or file, relative to the vault */
  readonly path: string;
  /** 1-based; 0 where it concerns the whole file */
  readonly line: number;
  /** for a person: what is wrong and what to do */
  readonly text: string;
  /** absent where only a person can decide */
  readonly fix?: Fix;
}
