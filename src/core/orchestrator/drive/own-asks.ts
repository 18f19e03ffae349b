import { permissionWords, questionWords } from '../ask-words';
import type { RunState } from '../state';
import type { OrchestratorDeps, OwnAsk } from './orchestrator-deps';
import { kinOf, sessionsOf } from './run-sessions';
import { workingIn, type Word } from './word';

/** Requests that wait for the person in a session of the run, or in its sub-agents, and what for. */
function pendingIn(
  session: string,
  state: RunState,
  { sessions, asks }: Pick<OrchestratorDeps, 'sessions' | 'asks'>,
): ReadonlyMap<string, string | undefined> {
  const own = sessionsOf(state);
  const all = sessions();
  const waiting = all.flatMap(({ id, permissions, questions }): OwnAsk[] => [
    ...permissions.map((one) => ({ ...ask(id, one), what: permissionWords(one) })),
    ...questions.map((one) => ({ ...ask(id, one), what: questionWords(one) })),
  ]);
  const here = [...waiting, ...(asks?.pending() ?? [])].filter(
    ({ sessionId }) => kinOf(own, all, sessionId) === session,
  );
  return new Map(here.map(({ requestId, what }) => [requestId, what]));
}

function ask(sessionId: string, { requestId }: { readonly requestId: string }): OwnAsk {
  return { sessionId, requestId };
}

/** What a turn waits for, as it is now: what was answered or asked while nobody listened. */
export function askWords(
  session: string,
  state: RunState,
  deps: Pick<OrchestratorDeps, 'sessions' | 'asks'>,
): Word[] {
  const pending = pendingIn(session, state, deps);
  const known = new Set((workingIn(state, session)?.asks ?? []).map(({ request }) => request));
  const gone = [...known].filter((request) => !pending.has(request));
  const come = [...pending].filter(([request]) => !known.has(request));
  return [
    ...gone.map((request) => ({ type: 'answered', sessionId: session, request }) as const),
    ...come.map(([request, what]) => asked(session, request, what)),
  ];
}

function asked(sessionId: string, request: string, what: string | undefined): Word {
  return { type: 'asked', sessionId, request, ...(what !== undefined && { what }) };
}
