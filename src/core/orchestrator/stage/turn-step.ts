import type { RunEvent } from '../event';
import { retryAfter } from '../limits';
import { lastChars } from '../run-text';
import {
  RUN_SENTENCES,
  runSentence,
  MAX_ANSWER_CHARS,
  oneLine,
  type StopCause,
  type PromptTarget,
  type Turn,
  type TurnResult,
  type WorkingTurn,
} from '../state';
import type { RunDraft } from './run-draft';

/** The outcome of a turn that is over. */
export interface TurnOutcome {
  readonly kind: 'over';
  readonly result: TurnResult;
  /** where the next prompt goes; null for a new session */
  readonly talk: PromptTarget | null;
  /** whether one of its requests expired */
  readonly lapsed: boolean;
  readonly stop: StopCause | null;
}

type Sending = Extract<Turn, { kind: 'sending' }>;

/** The turn for the next prompt, in the previous session or in a new one. */
export function nextTurn(draft: RunDraft, talk: PromptTarget | null, attempt: number): Turn {
  return talk === null
    ? { kind: 'opening', key: draft.nextKey() }
    : { kind: 'due', from: draft.run.at + (attempt > 1 ? retryAfter(attempt) : 0), ...talk };
}

/** Applies an event to a turn. Events of other sessions and answers to other keys are ignored. */
export function stepTurn(turn: Turn, event: RunEvent, at: number): Turn | TurnOutcome {
  const refused = 'key' in turn && event.type === 'refused' && event.key === turn.key;
  switch (turn.kind) {
    case 'opening':
      if (refused) return outcomeBeforeStart({ kind: 'refused', message: event.message }, null);
      return event.type === 'opened' && event.key === turn.key
        ? { kind: 'due', session: event.sessionId, from: at, last: null }
        : turn;
    case 'due': {
      // The session ended before its prompt: it goes to a new session.
      const gone = event.type === 'session_ended' && event.sessionId === turn.session;
      return gone ? outcomeBeforeStart({ kind: 'cut', said: '' }, null) : turn;
    }
    case 'sending':
      if (refused)
        return outcomeBeforeStart(
          { kind: 'refused', message: event.message },
          promptTargetOf(turn),
        );
      return stepSending(turn, event);
    case 'working':
      return stepWorking(turn, event);
  }
}

/** Sends the prompt of a due turn. It is counted here, so that the limit is never exceeded. */
export function sendTurn(turn: Extract<Turn, { kind: 'due' }>, draft: RunDraft): Turn {
  const { session, last } = turn;
  draft.updateUsage({ turns: draft.run.used.turns + 1 });
  return { kind: 'sending', key: draft.nextKey(), session, last };
}

/**
 * Marks a turn to be stopped; undefined if none runs. A prompt that is being sent counts as
 * running, and is interrupted once it was accepted.
 */
export function stopTurn(turn: Turn, cause: StopCause, draft: RunDraft): Turn | undefined {
  if (turn.kind !== 'working' && turn.kind !== 'sending') return undefined;
  const running = turn.kind === 'working' ? turn : toWorking(turn);
  if (running.stop === null) return { ...running, stop: { key: draft.nextKey(), cause } };
  // An earlier cause already decides what happens to the task.
  if (cause.kind === 'person' && running.stop.cause.kind !== 'limit') return turn;
  return { ...running, stop: { ...running.stop, cause } };
}

/** Where the prompt after this turn goes. */
export function promptTargetOf(turn: Turn): PromptTarget | null {
  return 'session' in turn ? { session: turn.session, last: turn.last } : null;
}

/**
 * Handles events while a prompt is being sent. Some events of the session show that it was
 * accepted, before the answer to the prompt arrives.
 */
function stepSending(turn: Sending, event: RunEvent): Turn | TurnOutcome {
  const { session, key } = turn;
  if (event.type === 'done') return event.key === key ? toWorking(turn) : turn;
  if (event.type === 'over' && event.key === key) return cutOutcome(toWorking(turn));
  if (!('sessionId' in event) || event.sessionId !== session) return turn;
  const shows = event.type === 'said' || event.type === 'asked' || event.type === 'session_ended';
  if (shows) return stepWorking(toWorking(turn), event);
  // The end of a turn without a message could be that of the previous turn.
  if (event.type !== 'turn_ended' || event.message === null) return turn;
  const next = stepWorking(toWorking(turn), event);
  return next.kind === 'over' ? next : turn;
}

function toWorking({ key, session, last }: Sending): WorkingTurn {
  return {
    ...{ kind: 'working', key, session, last, said: '' },
    ...{ asks: [], lapsed: false, stop: null },
  };
}

/** Maximum characters of a request's description; the person sees all of it when answering. */
const MAX_REQUEST_TEXT = 120;

function stepWorking(turn: WorkingTurn, event: RunEvent): Turn | TurnOutcome {
  if (event.type === 'over' && event.key === turn.key) return cutOutcome(turn);
  if (event.type === 'refused' && event.key === turn.key) {
    const { message } = event;
    return outcomeOf(turn, turn.stop ? { kind: 'interrupted' } : { kind: 'refused', message });
  }
  if (!('sessionId' in event) || event.sessionId !== turn.session) return turn;
  switch (event.type) {
    case 'said':
      return { ...turn, said: lastChars(event.text, MAX_ANSWER_CHARS) };
    case 'asked': {
      const { request, what = '' } = event;
      const asks = [...turn.asks, { request, what: oneLine(what, MAX_REQUEST_TEXT) }];
      return turn.asks.some((one) => one.request === request) ? turn : { ...turn, asks };
    }
    case 'answered':
    case 'lapsed': {
      const asks = turn.asks.filter(({ request }) => request !== event.request);
      return { ...turn, asks, lapsed: turn.lapsed || event.type === 'lapsed' };
    }
    case 'turn_ended': {
      const { message, reason, error, code = '' } = event;
      if (message !== null && message === turn.last) return turn;
      const ended = { ...turn, last: message ?? turn.last };
      if (reason === 'completed') return outcomeOf(ended, { kind: 'completed', said: turn.said });
      if (reason === 'interrupted') return outcomeOf(ended, { kind: 'interrupted' });
      const failed = error === '' ? RUN_SENTENCES.turnFailed : error;
      if (NO_ACCESS.has(code)) {
        const message = runSentence('noAccess', { why: failed });
        return outcomeOf(ended, { kind: 'no_access', message });
      }
      const kind = code === 'context_too_long' ? 'too_long' : 'error';
      return outcomeOf(ended, { kind, message: failed });
    }
    case 'at_rest':
      return cutOutcome(turn);
    case 'session_ended':
      return { ...cutOutcome(turn), talk: null };
    case 'opened':
    case 'tokens':
      return turn;
  }
}

/** Engine error codes that a retry would meet again until the person acts. */
const NO_ACCESS: ReadonlySet<string> = new Set(['auth', 'quota', 'auth_required']);

function cutOutcome(turn: WorkingTurn): TurnOutcome {
  return outcomeOf(turn, { kind: 'cut', said: turn.said });
}

function outcomeOf(turn: WorkingTurn, result: TurnResult): TurnOutcome {
  const { lapsed, stop } = turn;
  return { kind: 'over', result, talk: promptTargetOf(turn), lapsed, stop: stop?.cause ?? null };
}

function outcomeBeforeStart(result: TurnResult, talk: PromptTarget | null): TurnOutcome {
  return { kind: 'over', result, talk, lapsed: false, stop: null };
}
