import type * as z from 'zod/mini';
import type { CallContext } from '../board/call-plan';
import type { Refusals } from '../board/answer/write-answer';
import type { BoundBoard } from '../../protocol/fields';
import type { VaultTarget } from '../permission/vault-target';

/** A call as it comes from a model, with the context that no argument can change. */
export interface ToolCall {
  readonly tool: string;
  /** that the model gave it, as in the transcript; models repeat theirs in other sessions */
  readonly callId?: string;
  /** as sent, unchecked */
  readonly args: unknown;
  /** undefined where the context has none */
  readonly sessionId: string | undefined;
  readonly agent: string;
  readonly sessionTitle?: string;
  /** of a session that was started for it: whose board it works on, and what it may change there */
  readonly board?: BoundBoard;
}

/** Who calls, for the boards: the session of its own, or the one whose board it was started for. */
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

/** What a call came to, with what the person is told of it beside. */
export type AnsweredCall = ToolOutcome & { readonly audit: CallAudit };

export interface CallAudit {
  /** whether the rules, or the person, let it through */
  readonly approved: boolean;
  readonly dryRun: boolean;
  /** that the work itself took, without waiting for the person */
  readonly ms: number;
}

export interface Tool {
  readonly name: string;
  /** for the model */
  readonly description: string;
  /** What the call would do, or why it can't be done; nothing is read or written for it. */
  plan(call: ToolCall): ToolPlan | ToolFault;
}

/** A tool whose arguments are checked before anything is made of them. */
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
      const told = read.error.issues.slice(0, 5).map(({ path, message }) => {
        const where = path.length === 0 ? 'the arguments' : path.map(String).join('.');
        return `${where}: ${message}`;
      });
      const message = `Nothing was done, the arguments of ${name} don't fit. ${told.join('; ')}`;
      return { code: 'bad_arguments', message };
    },
  };
}

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
  /** for the audit as well; absent where nothing was refused */
  readonly refusals?: Refusals | undefined;
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
  /** Whether a rule asks about a note that it came upon; by its path alone. undefined: none asks */
  readonly isAskedAbout?: ((path: string) => boolean) | undefined;
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
  change(before: string | undefined): ChangedText | (ToolFault & { readonly ok: false });
}

export interface ChangedText {
  readonly ok: true;
  readonly after: string;
  /** what is done, in a few words for the model: "Appended 3 lines" */
  readonly words: string;
}
