import type { EventFault } from './opencode-event';

/**
 * Determines when a turn ends. "Idle" alone is not the end: an abort or a provider's error causes
 * two idle events, and after aborting a running tool the second one may come within the next turn,
 * or never.
 *
 * The rule: an idle event ends the turn if the newest answer to the newest prompt is complete, or
 * if there is no answer but a fault. A prompt that comes while the session is idle, or after a
 * fault, ends the turn before it. Other prompts join the running turn.
 */
export type SessionTurn =
  | { readonly kind: 'none'; readonly newest: Prompt | undefined; readonly failed: boolean }
  | {
      readonly kind: 'open';
      readonly newest: Prompt;
      readonly answer: AnswerMessage | undefined;
      readonly fault: EventFault | undefined;
      /** whether an idle event came that did not end the turn */
      readonly idle: boolean;
      /**
       * whether the newest event was an answer to an earlier prompt; the next idle event then
       * belongs to that one
       */
      readonly late: boolean;
    };

interface Prompt {
  readonly id: string;
  /** ms since the epoch */
  readonly created: number;
}

export interface AnswerMessage extends Prompt {
  readonly parentId: string | undefined;
  readonly complete: boolean;
  readonly finish: string | undefined;
  readonly fault: EventFault | undefined;
}

export type TurnEvent =
  | { readonly type: 'prompt'; readonly prompt: Prompt }
  | { readonly type: 'answer'; readonly answer: AnswerMessage }
  | { readonly type: 'fault'; readonly fault: EventFault }
  | { readonly type: 'busy' }
  | { readonly type: 'idle' };

export interface TurnEnd {
  /** id of the last answer; undefined if there was none */
  readonly messageId: string | undefined;
  readonly reason: 'completed' | 'interrupted' | 'error';
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface SessionTurnStep {
  readonly turn: SessionTurn;
  readonly end: TurnEnd | undefined;
}

export const NO_TURN: SessionTurn = { kind: 'none', newest: undefined, failed: false };

export function stepSessionTurn(turn: SessionTurn, event: TurnEvent): SessionTurnStep {
  switch (event.type) {
    case 'prompt':
      return onPrompt(turn, event.prompt);
    case 'answer':
      return { turn: onAnswer(turn, event.answer), end: undefined };
    case 'fault':
      return onFault(turn, event.fault);
    case 'busy':
      if (turn.kind === 'none') return { turn, end: undefined };
      return { turn: { ...turn, idle: false, late: false }, end: undefined };
    case 'idle':
      return onIdle(turn);
  }
}

function onPrompt(turn: SessionTurn, prompt: Prompt): SessionTurnStep {
  const { newest } = turn;
  // OpenCode sends a prompt's message again when it adds to it.
  const known = newest && (prompt.id === newest.id || prompt.created < newest.created);
  if (known) return { turn, end: undefined };
  const opened = { kind: 'open', newest: prompt, answer: undefined } as const;
  const fresh: SessionTurn = { ...opened, fault: undefined, idle: false, late: false };
  const over = turn.kind === 'open' && (turn.idle || turn.fault !== undefined);
  return { turn: fresh, end: over ? endOf(turn, 'interrupted') : undefined };
}

function onAnswer(turn: SessionTurn, answer: AnswerMessage): SessionTurn {
  if (turn.kind === 'none') return turn;
  if (answer.parentId !== turn.newest.id) return { ...turn, late: answer.complete };
  const older = turn.answer && turn.answer.id !== answer.id && answer.created < turn.answer.created;
  return older ? turn : { ...turn, answer, late: false };
}

/** A fault outside of a turn means that a prompt never started one. It is reported once. */
function onFault(turn: SessionTurn, fault: EventFault): SessionTurnStep {
  if (turn.kind === 'open') {
    return { turn: { ...turn, fault: turn.fault ?? fault, late: false }, end: undefined };
  }
  if (turn.failed || isAbort(fault)) return { turn, end: undefined };
  return { turn: { ...turn, failed: true }, end: faultEnd(fault, undefined) };
}

function onIdle(turn: SessionTurn): SessionTurnStep {
  if (turn.kind === 'none') return { turn, end: undefined };
  const { answer, fault } = turn;
  const between = turn.late && answer?.finish === 'tool-calls' && !answer.fault;
  const over = answer ? answer.complete && !between : fault !== undefined;
  if (!over) return { turn: { ...turn, idle: true, late: false }, end: undefined };
  const end = endOf(turn, 'completed');
  return { turn: { kind: 'none', newest: turn.newest, failed: end.reason !== 'completed' }, end };
}

function endOf(
  turn: SessionTurn & { kind: 'open' },
  without: 'completed' | 'interrupted',
): TurnEnd {
  const fault = turn.fault ?? turn.answer?.fault;
  if (fault) return faultEnd(fault, turn.answer?.id);
  return { messageId: turn.answer?.id, reason: without, error: undefined };
}

/** How a turn ends if its answer or prompt has this fault. */
export function faultEnd(fault: EventFault, messageId: string | undefined): TurnEnd {
  if (isAbort(fault)) return { messageId, reason: 'interrupted', error: undefined };
  const message = fault.data?.message ?? fault.name;
  return { messageId, reason: 'error', error: { code: codeOf(fault), message } };
}

/** Gives faults after which a retry is of no use the same codes as in the other engines. */
function codeOf({ name, data }: EventFault): string {
  const status = data?.statusCode;
  if (name === 'ProviderAuthError' || status === 401 || status === 403) return 'auth';
  if (name === 'ContextOverflowError') return 'context_too_long';
  return status === 402 ? 'quota' : name;
}

function isAbort(fault: EventFault): boolean {
  return fault.name === 'MessageAbortedError';
}
