import type { VaultTarget } from '../permission/vault-target';
import type { ToolOutcome } from './tool';

/** Why a call can't be done; `message` is for the model and says what to do instead. */
export interface ToolFault {
  readonly code: string;
  readonly message: string;
}

/**
 * What a call would do, worked out from its checked arguments alone: nothing is read yet. The host
 * resolves the place, asks the rules and the person, and only then lets it happen.
 */
export type ToolPlan = BoardPlan | ReadPlan | ChangePlan;

/** On the caller's board; the manager of the boards sees to the rest. */
export interface BoardPlan {
  readonly kind: 'board';
  run(): Promise<BoardOutcome>;
}

/** What a tool on boards came to. */
export type BoardOutcome = ToolOutcome & {
  /** for the audit alone, in a few words: "#4 done, #5 started" */
  readonly did?: string;
};

/** Reads a note, or lists or searches a folder. */
export interface ReadPlan {
  readonly kind: 'read';
  readonly place: 'file' | 'folder';
  /** as sent */
  readonly path: string;
  run(look: Look): Promise<ToolOutcome>;
}

/** What a read may see. */
export interface Look {
  readonly target: VaultTarget;
  /** Whether a file or folder that it came upon may be read too; ask before its text or name is told. */
  allows(path: string, kind: 'file' | 'folder'): Promise<boolean>;
}

/** Makes a note or changes one; which of them tells whether there is one. */
export interface ChangePlan {
  readonly kind: 'change';
  /** as sent */
  readonly path: string;
  /** only shows what would be written */
  readonly dryRun: boolean;
  /** where it goes hangs on what the note says: so whether it fits would tell something of that */
  readonly byText?: boolean;
  /**
   * The note as it would be. Pure: it runs for the preview, and again on what is there when it is written.
   * @param before undefined where there is no note
   */
  change(before: string | undefined): Changed | (ToolFault & { readonly ok: false });
}

export interface Changed {
  readonly ok: true;
  readonly after: string;
  /** what is done, in a few words for the model: "Appended 3 lines" */
  readonly words: string;
}
