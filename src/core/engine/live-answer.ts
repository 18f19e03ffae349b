import type { SignedBlock } from '../model/model-client';
import type { LoggedAnswer, LoggedCall, LoggedResult } from './session-log';

/** An answer that is being written. */
export interface LiveAnswer {
  readonly id: string;
  readonly prompt: string;
  /** ms since the epoch */
  readonly at: number;
  text: string;
  thinking: string;
  /** number of characters of `thinking` that were reported as a whole */
  thinkingPublished: number;
  /** see `ModelEvent` */
  signed: readonly SignedBlock[];
  /** calls that the agent behind the engine runs itself, and that are not in the log yet */
  readonly calls: readonly LiveCall[];
}

export interface LiveCall {
  readonly call: LoggedCall;
  readonly result?: LoggedResult | undefined;
}

export function partIdOf(messageId: string, kind: 'text' | 'thinking'): string {
  return `${messageId}_${kind}`;
}

/** The text written so far, in the form of the log. */
export function loggedText({
  text,
  thinking,
  signed,
}: LiveAnswer): Pick<LoggedAnswer, 'text' | 'thinking'> {
  // Some models send a signature alone for their thinking, and want it back.
  const hasSigned = signed.length > 0;
  const thought = { text: thinking, ...(hasSigned && { signed: [...signed] }) };
  return { text, ...((thinking !== '' || hasSigned) && { thinking: thought }) };
}
