import type { SessionLook } from '../../session/session-runtime';
import { ending } from '../cut-text';
import type { RunState } from '../state';
import { MOST_SAID } from '../turn';
import { turnsOf } from '../turns-of';
import { stageOf, workingIn, type Word } from './word';

/**
 * What a look at a session tells of the turn that runs in it, if it still is the one that was looked
 * at: its end where that was not heard, else that it is over without one.
 */
export function lookWords(session: string, look: SessionLook, still: () => boolean): Word[] {
  if (look.status !== 'idle') return [];
  return [
    (state) => {
      const turn = still() ? workingIn(state, session) : undefined;
      const answer = turn && freshAnswer(look, turn);
      return answer === undefined || answer.text.trim() === ''
        ? undefined
        : { type: 'said', sessionId: session, text: ending(answer.text, MOST_SAID) };
    },
    (state) => {
      if (!still()) return undefined;
      const turn = workingIn(state, session);
      if (turn === undefined) {
        return isStop(state, session) ? { type: 'at_rest', sessionId: session } : undefined;
      }
      const answer = freshAnswer(look, turn);
      if (answer === undefined) return { type: 'at_rest', sessionId: session };
      const { messageId, end, error } = answer;
      return {
        ...{ type: 'turn_ended', sessionId: session },
        ...{ message: messageId, reason: end, error: end === 'error' ? error : '' },
      };
    },
  ];
}

/** A prompt was there before: its turn runs, is over with an end, or without one. */
export function sentBefore(key: string, session: string, look: SessionLook): Word {
  return (state) => {
    if (look.status !== 'idle') return { type: 'done', key };
    const stage = stageOf(state);
    const turn = (stage === undefined ? [] : turnsOf(stage)).find(
      (one) => (one.kind === 'sending' || one.kind === 'working') && one.session === session,
    );
    const last = turn !== undefined && 'last' in turn ? turn.last : null;
    const fresh = freshAnswer(look, { key, last });
    return { type: fresh === undefined ? 'over' : 'done', key };
  };
}

/** The newest answer where it was written to its end and is that of this turn, as far as is told. */
function freshAnswer(
  { answer }: SessionLook,
  { key, last }: { readonly key: string; readonly last: string | null },
) {
  if (answer === undefined || answer.end === null) return undefined;
  const { end, key: of } = answer;
  const own = of === undefined ? answer.messageId !== last : of === key;
  return own ? { ...answer, end } : undefined;
}

function isStop(state: RunState, session: string): boolean {
  return 'stops' in state && state.stops.some((stop) => stop.session === session);
}
