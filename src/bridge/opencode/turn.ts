import type { EventFault } from './opencode-event';

/**
 * When a turn ends. "Idle" is not the end: an abort and a provider's error say it twice, and after
 * the abort of a running tool the second one may come inside the next turn, or not at all.
 *
 * The rule: an idle ends the turn if the newest answer to the newest prompt is complete, or if
 * there is no answer and a fault was told. A prompt that comes while the session says idle, or
 * after a fault, ends the turn before it. Prompts in between join the turn that runs.
 */
export type Turn =
  | { readonly kind: 'none'; readonly newest: Prompt | undefined; readonly failed: boolean }
  | {
      readonly kind: 'open';
      readonly newest: Prompt;
      readonly answer: Answer | undefined;
      readonly fault: EventFault | undefined;
      /** an idle came that did not end it */
      readonly idle: boolean;
      /** the newest event was an answer to an earlier prompt: the idle after it is not ours */
      readonly late: boolean;
    };

interface Prompt {
  readonly id: string;
  /** ms since the epoch */
  readonly created: number;
}

export interface Answer extends Prompt {
  readonly parentId: string | undefined;
  readonly complete: boolean;
  readonly finish: string | undefined;
  readonly fault: EventFault | undefined;
}

export type TurnEvent =
  | { readonly type: 'prompt'; readonly prompt: Prompt }
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'fault'; readonly fault: EventFault }
  | { readonly type: 'busy' }
  | { readonly type: 'idle' };

export interface TurnEnd {
  /** the last answer's id; undefined where the agent had not begun */
  readonly messageId: string | undefined;
  readonly reason: 'completed' | 'interrupted' | 'error';
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface TurnStep {
  readonly turn: Turn;
  readonly end: TurnEnd | undefined;
}

export const NO_TURN: Turn = { kind: 'none', newest: undefined, failed: false };

export function stepTurn(turn: Turn, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'prompt':
      return prompted(turn, event.prompt);
    case 'answer':
      return { turn: answered(turn, event.answer), end: undefined };
    case 'fault':
      return faulted(turn, event.fault);
    case 'busy':
      if (turn.kind === 'none') return { turn, end: undefined };
      return { turn: { ...turn, idle: false, late: false }, end: undefined };
    case 'idle':
      return idled(turn);
  }
}

function prompted(turn: Turn, prompt: Prompt): TurnStep {
  const { newest } = turn;
  // A prompt's message is told again when OpenCode adds to it.
  const known = newest && (prompt.id === newest.id || prompt.created < newest.created);
  if (known) return { turn, end: undefined };
  const opened = { kind: 'open', newest: prompt, answer: undefined } as const;
  const fresh: Turn = { ...opened, fault: undefined, idle: false, late: false };
  const over = turn.kind === 'open' && (turn.idle || turn.fault !== undefined);
  return { turn: fresh, end: over ? endOf(turn, 'interrupted') : undefined };
}

function answered(turn: Turn, answer: Answer): Turn {
  if (turn.kind === 'none') return turn;
  if (answer.parentId !== turn.newest.id) return { ...turn, late: answer.complete };
  const older = turn.answer && turn.answer.id !== answer.id && answer.created < turn.answer.created;
  return older ? turn : { ...turn, answer, late: false };
}

/** A fault outside a turn is a prompt that never became one; it is told once. */
function faulted(turn: Turn, fault: EventFault): TurnStep {
  if (turn.kind === 'open') {
    return { turn: { ...turn, fault: turn.fault ?? fault, late: false }, end: undefined };
  }
  if (turn.failed || isAbort(fault)) return { turn, end: undefined };
  return { turn: { ...turn, failed: true }, end: faultEnd(fault, undefined) };
}

function idled(turn: Turn): TurnStep {
  if (turn.kind === 'none') return { turn, end: undefined };
  const { answer, fault } = turn;
  const between = turn.late && answer?.finish === 'tool-calls' && !answer.fault;
  const over = answer ? answer.complete && !between : fault !== undefined;
  if (!over) return { turn: { ...turn, idle: true, late: false }, end: undefined };
  const end = endOf(turn, 'completed');
  return { turn: { kind: 'none', newest: turn.newest, failed: end.reason !== 'completed' }, end };
}

function endOf(turn: Turn & { kind: 'open' }, without: 'completed' | 'interrupted'): TurnEnd {
  const fault = turn.fault ?? turn.answer?.fault;
  if (fault) return faultEnd(fault, turn.answer?.id);
  return { messageId: turn.answer?.id, reason: without, error: undefined };
}

function faultEnd(fault: EventFault, messageId: string | undefined): TurnEnd {
  if (isAbort(fault)) return { messageId, reason: 'interrupted', error: undefined };
  const message = fault.data?.message ?? fault.name;
  return { messageId, reason: 'error', error: { code: fault.name, message } };
}

function isAbort(fault: EventFault): boolean {
  return fault.name === 'MessageAbortedError';
}
