import type { Block } from './block';

export type { Block };

/** Tokens as the session's newest answer told them. */
export interface TokenUse {
  /** of all answers heard of */
  readonly input: number;
  readonly output: number;
  /** that the newest answer had before it and made: what the model's window holds now */
  readonly context?: number | undefined;
  /** what the model's window can hold, where it is known */
  readonly limit?: number | undefined;
}

/**
 * What was said and done in one session, oldest first. A value: what did not change since the one
 * before is the same object, block by block.
 */
export interface Transcript {
  readonly sessionId: string;
  readonly blocks: readonly Block[];
  /** earlier messages may be had from OpenCode */
  readonly older: boolean;
  readonly tokens?: TokenUse;
}
