import type { LoggedAnswer, LoggedCall, LoggedResult } from './session-log';

/** An answer that is being written. */
export interface LiveAnswer {
  readonly id: string;
  readonly prompt: string;
  /** ms since the epoch */
  readonly at: number;
  text: string;
  thinking: string;
  /** characters of it that were told as a whole */
  thinkingTold: number;
  signature: string | undefined;
  /** that an agent of its own made in it, and which are not in the log yet */
  readonly calls: readonly LiveCall[];
}

export interface LiveCall {
  readonly call: LoggedCall;
  readonly result?: LoggedResult | undefined;
}

export function partIdOf(messageId: string, kind: 'text' | 'thinking'): string {
  return `${messageId}_${kind}`;
}

/** What was written so far, as it is kept. */
export function writtenIn({
  text,
  thinking,
  signature,
}: LiveAnswer): Pick<LoggedAnswer, 'text' | 'thinking'> {
  const signed = signature === undefined ? {} : { signature };
  return { text, ...(thinking !== '' && { thinking: { text: thinking, ...signed } }) };
}
