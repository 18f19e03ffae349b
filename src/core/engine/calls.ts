import type * as z from 'zod/mini';
import type { AskPerson } from '../tool/call-run';
import type { ToolCall, ToolOutcome } from '../tool/tool';

/** A call of one of our tools by a session's model. */
export interface EngineCall extends ToolCall {
  readonly callId: string;
  readonly sessionId: string;
}

export interface CallOptions {
  /** the message that contains the call */
  readonly messageId: string;
  readonly abort: AbortSignal;
  /** asks the person what the rules ask, unless a client does; undefined if nobody can be asked */
  readonly ask: AskPerson | undefined;
  /** called when the client asks the person */
  readonly onWait?: (() => void) | undefined;
}

/** Runs calls of our tools. */
export interface ToolCallRunner {
  /**
   * Never rejects for a call that is refused, fails or is lost: the outcome has a message for the
   * model.
   */
  run(call: EngineCall, terms: CallOptions): Promise<ToolOutcome>;
}

/** The outcome for arguments that don't match the schema, with a message for the model. */
export function badArguments(error: z.core.$ZodError): ToolOutcome {
  const told = error.issues.slice(0, 5).map(({ path, message }) => {
    const where = path.length === 0 ? 'the arguments' : path.map(String).join('.');
    return `${where}: ${message}`;
  });
  return nothingDone('bad_arguments', `The arguments don’t fit. ${told.join('; ')}`);
}

/** The outcome of a call that did nothing, with a message for the model. */
export function nothingDone(code: string, why: string): ToolOutcome {
  return { ok: false, error: { code, message: `Nothing was done. ${why}` } };
}
