import type * as z from 'zod/mini';
import type { CallContext } from '../board/call-plan';
import type { Refusals } from '../board/answer/write-answer';
import type { BoundBoard } from '../../protocol/fields';
import type { VaultTarget } from '../permission/vault-target';

/** A tool call of a model, with the context that its arguments can't change. */
export interface ToolCall {
  readonly tool: string;
  /** id that the model gave it, as in the transcript; may occur again in other sessions */
  readonly callId?: string;
  /** as sent, unvalidated */
  readonly args: unknown;
  /** undefined if the context has no session */
  readonly sessionId: string | undefined;
  readonly agent: string;
  readonly sessionTitle?: string;
  /** for a session started to work on a board: that board, and what it may change there */
  readonly board?: BoundBoard;
}

/** The caller as the boards see it: its own session, or the one whose board it was started for. */
export function callContext(call: Omit<ToolCall, 'tool' | 'args'>): CallContext {
  const { sessionId, agent, sessionTitle, board } = call;
  if (board !== undefined) {
    const { session, agent: of, task, tasks } = board;
    return { sessionId: session, agent, bound: { agent: of, task, tasks } };
  }
  return sessionTitle === undefined ? { sessionId, agent } : { sessionId, agent, sessionTitle };
}

export type ToolOutcome =
  | {
      readonly ok: true;
      readonly title: string;
      /** for the model */
      readonly output: string;
      readonly metadata: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** A call's outcome, with facts about it for the person. */
export type AnsweredCall = ToolOutcome & { readonly audit: CallAudit };

export interface CallAudit {
  /** whether the rules or the person allowed it */
  readonly approved: boolean;
  readonly dryRun: boolean;
  /** duration of the work itself, without waiting for the person */
  readonly ms: number;
}

export interface Tool {
  readonly name: string;
  /** for the model */
  readonly description: string;
  /** Returns what the call would do, or why it can't be done. Must not read or write anything. */
  plan(call: ToolCall): ToolPlan | ToolFault;
}

/** Defines a tool whose arguments are validated before it plans. */
export function defineTool<Input>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: () => z.ZodMiniType<Input>;
  plan(input: Input, call: ToolCall): ToolPlan | ToolFault;
}): Tool {
  const { name, description, input } = tool;
  return {
    name,
    description,
    plan(call) {
      const read = input().safeParse(call.args);
      if (read.success) return tool.plan(read.data, call);
      const problems = read.error.issues.slice(0, 5).map(({ path, message }) => {
        const where = path.length === 0 ? 'the arguments' : path.map(String).join('.');
        return `${where}: ${message}`;
      });
      const message = `Nothing was done, the arguments of ${name} don't fit. ${problems.join('; ')}`;
      return { code: 'bad_arguments', message };
    },
  };
}

/** Why a call can't be done. `message` is for the model and says what to do instead. */
export interface ToolFault {
  readonly code: string;
  readonly message: string;
}

/**
 * What a call would do, derived from its validated arguments alone, before anything is read. The
 * host resolves the path, evaluates the rules and asks the person before it runs the plan.
 */
export type ToolPlan = BoardPlan | ReadPlan | ChangePlan;

/** Works on the caller's board. The board manager validates and applies the operations. */
export interface BoardPlan {
  readonly kind: 'board';
  run(): Promise<BoardOutcome>;
}

/** The outcome of a call on boards. */
export type BoardOutcome = ToolOutcome & {
  /** for the audit only, in a few words: "#4 done, #5 started" */
  readonly did?: string;
  /** for the audit too; absent if nothing was refused */
  readonly refusals?: Refusals | undefined;
};

/** Reads a note, or lists or searches a folder. */
export interface ReadPlan {
  readonly kind: 'read';
  readonly place: 'file' | 'folder';
  /** as sent by the model */
  readonly path: string;
  run(access: ReadAccess): Promise<ToolOutcome>;
}

/** What a read may access. */
export interface ReadAccess {
  readonly target: VaultTarget;
  /**
   * Whether another file or folder may be read too. Must be checked before its text or name is
   * returned.
   */
  allows(path: string, kind: 'file' | 'folder'): Promise<boolean>;
  /**
   * Whether a rule asks about reading a note, judged by its path alone. Undefined if no rule asks.
   */
  readonly isAskedAbout?: ((path: string) => boolean) | undefined;
}

/** Creates or changes a note, depending on whether it exists. */
export interface ChangePlan {
  readonly kind: 'change';
  /** as sent by the model */
  readonly path: string;
  /** only shows the change */
  readonly dryRun: boolean;
  /**
   * whether the place of the change depends on the note's text; then even a failure would reveal
   * some of it
   */
  readonly byText?: boolean;
  /**
   * Returns the note's new text. Must be pure: called for the preview, and again with the current
   * text when it is written.
   * @param before undefined if there is no note
   */
  change(before: string | undefined): ChangedText | (ToolFault & { readonly ok: false });
}

export interface ChangedText {
  readonly ok: true;
  readonly after: string;
  /** short description for the model: "Appended 3 lines" */
  readonly words: string;
}
