import type { Session } from '../../session/session';
import type { SessionEvent } from '../../session/session-event';
import type { RunEvent } from '../event';
import { eventOf } from '../event-of';
import type { RunState } from '../state';
import { kinOf, sessionsOf } from './run-sessions';
import { workingIn } from './word';

/** What a run makes of an event of the bus. */
export type Heard =
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** it may have missed something: how the session stands has to be asked for */
  | { readonly kind: 'look'; readonly session: string }
  | { readonly kind: 'nothing' };

const NOTHING: Heard = { kind: 'nothing' };

/** @param sessions all that are known, for whose sub-agent a session is */
export function hearing(
  event: SessionEvent,
  state: RunState,
  sessions: () => readonly Session[],
): Heard {
  const own = sessionsOf(state);
  if (own.size === 0) return NOTHING;
  const session = own.has(event.sessionId) ? event.sessionId : undefined;
  return session === undefined ? ofSubAgent(event, own, sessions) : ofOwn(event, session, state);
}

function ofOwn(event: SessionEvent, session: string, state: RunState): Heard {
  const look: Heard = { kind: 'look', session };
  if (event.type === 'snapshot') return event.payload.more ? NOTHING : look;
  // The process that ran the session is gone, not the session.
  if (event.type === 'session.end' && event.payload.reason === 'closed') return look;
  if (event.type === 'turn.end' && isCut(event) && !stopped(state, session)) return look;
  const heard = eventOf(event);
  return heard === undefined ? NOTHING : { kind: 'event', event: heard };
}

/** Of a sub-agent a run hears what it asks and uses, as its session's; its ends are no turn's. */
function ofSubAgent(
  event: SessionEvent,
  own: ReadonlySet<string>,
  sessions: () => readonly Session[],
): Heard {
  const heard = eventOf(event);
  const counts =
    heard?.type === 'asked' ||
    heard?.type === 'answered' ||
    heard?.type === 'lapsed' ||
    heard?.type === 'tokens';
  const session = counts ? kinOf(own, sessions(), event.sessionId) : undefined;
  if (!counts || session === undefined) return NOTHING;
  return { kind: 'event', event: { ...heard, sessionId: session } };
}

/** No answer was begun, or the process that ran it is gone: nobody need have stopped it. */
function isCut({ payload }: SessionEvent & { type: 'turn.end' }): boolean {
  return payload.reason === 'interrupted' && payload.messageId === undefined;
}

function stopped(state: RunState, session: string): boolean {
  return (workingIn(state, session)?.stop ?? null) !== null;
}
