import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import { kinOf, sessionsOf } from './run-sessions';
import { workingIn, type Word } from './word';

/** Requests that wait for the person in a session of the run, or in its sub-agents. */
function pendingIn(
  session: string,
  state: RunState,
  { sessions, asks }: Pick<OrchestratorDeps, 'sessions' | 'asks'>,
): ReadonlySet<string> {
  const own = sessionsOf(state);
  const all = sessions();
  const waiting = all.flatMap(({ id, permissions, questions }) =>
    [...permissions, ...questions].map(({ requestId }) => ({ sessionId: id, requestId })),
  );
  const here = [...waiting, ...(asks?.pending() ?? [])].filter(
    ({ sessionId }) => kinOf(own, all, sessionId) === session,
  );
  return new Set(here.map(({ requestId }) => requestId));
}

/** What a turn waits for, as it is now: what was answered or asked while nobody listened. */
export function askWords(
  session: string,
  state: RunState,
  deps: Pick<OrchestratorDeps, 'sessions' | 'asks'>,
): Word[] {
  const pending = pendingIn(session, state, deps);
  const known = new Set(workingIn(state, session)?.asks ?? []);
  const gone = [...known].filter((request) => !pending.has(request));
  const come = [...pending].filter((request) => !known.has(request));
  return [
    ...gone.map((request) => ({ type: 'answered', sessionId: session, request }) as const),
    ...come.map((request) => ({ type: 'asked', sessionId: session, request }) as const),
  ];
}
