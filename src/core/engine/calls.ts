import type * as z from 'zod/mini';
import type { AskPerson } from '../tool/call-run';
import type { ToolCall, ToolOutcome } from '../tool/tool';

/** A call of one of our tools by the model of a session. */
export interface EngineCall extends ToolCall {
  readonly callId: string;
  readonly sessionId: string;
}

export interface CallTerms {
  /** of the message that the call stands in */
  readonly messageId: string;
  readonly abort: AbortSignal;
  /** asks what the rules ask where no client does; undefined where nobody can be asked */
  readonly ask: AskPerson | undefined;
  /** called where the client asks a person */
  readonly waits?: (() => void) | undefined;
}

/** Where calls of our tools run. */
export interface Calls {
  /** Never rejects for what is refused, fails, or gets lost: the outcome has words for the model. */
  run(call: EngineCall, terms: CallTerms): Promise<ToolOutcome>;
}

/** Words for the model about arguments of a wrong shape. */
export function unfit(error: z.core.$ZodError): ToolOutcome {
  const told = error.issues.slice(0, 5).map(({ path, message }) => {
    const where = path.length === 0 ? 'the arguments' : path.map(String).join('.');
    return `${where}: ${message}`;
  });
  return nothingDone('bad_arguments', `The arguments don’t fit. ${told.join('; ')}`);
}

/** Words for the model about a call that did nothing. */
export function nothingDone(code: string, why: string): ToolOutcome {
  return { ok: false, error: { code, message: `Nothing was done. ${why}` } };
}
