import type { RunEvent, RunEventOf } from '../event';
import { ending } from '../run-words';
import {
  MOST_SAID,
  oneLine,
  type Rest,
  type Run,
  type StopCause,
  type Turn,
  type TurnResult,
  type Working,
} from '../state';
import { withKey } from './step-moves';

export type TurnStep =
  | { readonly kind: 'still'; readonly turn: Turn }
  | { readonly kind: 'over'; readonly result: TurnResult; readonly rest: Rest };

/** What an event makes of a turn. Events of other sessions and answers to other keys change nothing. */
export function stepTurn(turn: Turn, event: RunEvent, at: number): TurnStep {
  switch (turn.kind) {
    case 'opening':
      return opening(turn, event, at);
    case 'due':
      return isEnd(event, turn.session) ? gone() : still(turn);
    case 'sending':
      return sending(turn, event);
    case 'working':
      return working(turn, event);
  }
}

/** The prompt goes out now. Counted here, so that no turn is beyond the limit. */
export function sendTurn(turn: Turn, run: Run): { readonly run: Run; readonly turn: Turn } {
  if (turn.kind !== 'due') return { run, turn };
  const { session, last } = turn;
  const { run: next, key } = withKey(run);
  const used = { ...next.used, turns: next.used.turns + 1 };
  return { run: { ...next, used }, turn: { kind: 'sending', key, session, last } };
}

/**
 * The turn with the wish to stop it, undefined where none runs. A prompt on its way counts as
 * running: it is stopped behind it.
 */
export function stopTurn(
  turn: Turn,
  cause: StopCause,
  run: Run,
): { readonly run: Run; readonly turn: Turn } | undefined {
  if (turn.kind !== 'working' && turn.kind !== 'sending') return undefined;
  const running = turn.kind === 'working' ? turn : begun(turn);
  if (running.stop !== null) {
    // What is to come of the task is decided already.
    if (cause.kind === 'person' && running.stop.cause.kind !== 'limit') return { run, turn };
    return { run, turn: { ...running, stop: { ...running.stop, cause } } };
  }
  const { run: next, key } = withKey(run);
  return { run: next, turn: { ...running, stop: { key, cause } } };
}

function opening(turn: Extract<Turn, { kind: 'opening' }>, event: RunEvent, at: number): TurnStep {
  if (event.type === 'opened' && event.key === turn.key) {
    return still({ kind: 'due', session: event.sessionId, from: at, last: null });
  }
  if (event.type === 'refused' && event.key === turn.key) return refused(event.message, null);
  return still(turn);
}

/** What comes of the session before the answer to the prompt shows that it was taken. */
function sending(turn: Extract<Turn, { kind: 'sending' }>, event: RunEvent): TurnStep {
  const { session, last, key } = turn;
  if (event.type === 'done') return still(event.key === key ? begun(turn) : turn);
  if (event.type === 'over' && event.key === key) {
    return over(begun(turn), { kind: 'cut', said: '' }, last);
  }
  if (event.type === 'refused') {
    return event.key === key ? refused(event.message, { session, last }) : still(turn);
  }
  if (!('sessionId' in event) || event.sessionId !== session) return still(turn);
  const shows = event.type === 'said' || event.type === 'asked' || event.type === 'session_ended';
  if (shows) return working(begun(turn), event);
  // An end without a message can't be told from that of the turn before.
  return event.type === 'turn_ended' && event.message !== null
    ? orTurn(turn, working(begun(turn), event))
    : still(turn);
}

/** A turn stays what it was where the event did not end it. */
function orTurn(turn: Turn, next: TurnStep): TurnStep {
  return next.kind === 'over' ? next : still(turn);
}

function begun({ key, session, last }: Extract<Turn, { kind: 'sending' }>): Working {
  return {
    ...{ kind: 'working', key, session, last, said: '' },
    ...{ asks: [], lapsed: false, stop: null },
  };
}

function working(turn: Working, event: RunEvent): TurnStep {
  if (event.type === 'over' && event.key === turn.key) {
    return over(turn, { kind: 'cut', said: turn.said }, turn.last);
  }
  if (event.type === 'refused' && event.key === turn.key) {
    const { message } = event;
    const stopped = turn.stop !== null;
    return over(turn, stopped ? { kind: 'interrupted' } : { kind: 'refused', message }, turn.last);
  }
  if (!('sessionId' in event) || event.sessionId !== turn.session) return still(turn);
  switch (event.type) {
    case 'said':
      return still({ ...turn, said: ending(event.text, MOST_SAID) });
    case 'asked':
      return turn.asks.some(({ request }) => request === event.request)
        ? still(turn)
        : still({ ...turn, asks: [...turn.asks, askOf(event)] });
    case 'answered':
      return still({ ...turn, asks: without(turn, event.request) });
    case 'lapsed':
      return still({ ...turn, asks: without(turn, event.request), lapsed: true });
    case 'turn_ended':
      return event.message !== null && event.message === turn.last
        ? still(turn)
        : over(turn, resultOf(event, turn), event.message ?? turn.last);
    case 'at_rest':
      return over(turn, { kind: 'cut', said: turn.said }, turn.last);
    case 'session_ended':
      return { ...over(turn, { kind: 'cut', said: turn.said }, null), rest: restOf(turn, null) };
    case 'opened':
    case 'tokens':
      return still(turn);
  }
}

function askOf({ request, what = '' }: RunEventOf<'asked'>): Working['asks'][number] {
  return { request, what: oneLine(what, MOST_ASKED) };
}

/** Enough to see what is asked; who answers it sees all of it. */
const MOST_ASKED = 120;

function without({ asks }: Working, request: string): Working['asks'] {
  return asks.filter((one) => one.request !== request);
}

function resultOf(
  { reason, error }: { reason: 'completed' | 'interrupted' | 'error'; error: string },
  { said }: Working,
): TurnResult {
  if (reason === 'completed') return { kind: 'completed', said };
  if (reason === 'interrupted') return { kind: 'interrupted' };
  return { kind: 'error', message: error === '' ? 'The turn failed.' : error };
}

function over(
  turn: Working,
  result: TurnResult,
  last: string | null,
): Extract<TurnStep, { kind: 'over' }> {
  return { kind: 'over', result, rest: restOf(turn, { session: turn.session, last }) };
}

function restOf({ lapsed, stop }: Working, talk: Rest['talk']): Rest {
  return { talk, lapsed, stop: stop?.cause ?? null };
}

function still(turn: Turn): TurnStep {
  return { kind: 'still', turn };
}

function refused(message: string, talk: Rest['talk']): TurnStep {
  const rest = { talk, lapsed: false, stop: null };
  return { kind: 'over', result: { kind: 'refused', message }, rest };
}

/** Before its prompt: what was to be said is said in a new session. */
function gone(): TurnStep {
  const rest = { talk: null, lapsed: false, stop: null };
  return { kind: 'over', result: { kind: 'cut', said: '' }, rest };
}

function isEnd(event: RunEvent, session: string): boolean {
  return event.type === 'session_ended' && event.sessionId === session;
}
