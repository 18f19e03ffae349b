import type * as z from 'zod/mini';
import type { CallContext } from '../board/call-check';
import type { ToolFault, ToolPlan } from './tool-plan';

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
  /** of a session that was started for it: whose board it works on, and the task it may change */
  readonly board?: {
    readonly session: string;
    readonly agent: string;
    readonly task?: string | undefined;
  };
}

/** Who calls, for the boards: the session of its own, or the one whose board it was started for. */
export function callContext(call: Omit<ToolCall, 'tool' | 'args'>): CallContext {
  const { sessionId, agent, sessionTitle, board } = call;
  if (board !== undefined) {
    return { sessionId: board.session, agent, bound: { agent: board.agent, task: board.task } };
  }
  return { sessionId, agent, ...(sessionTitle !== undefined && { sessionTitle }) };
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
  readonly input: z.ZodMiniType<Input>;
  plan(input: Input, call: ToolCall): ToolPlan | ToolFault;
}): Tool {
  const { name, description, input } = tool;
  return {
    name,
    description,
    plan(call) {
      const read = input.safeParse(call.args);
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
