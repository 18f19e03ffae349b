import { validAgentName, validSessionId } from './board-path';
import type { BoundTo } from './bound-call';
import type { AgentCall } from './call-plan';
import type { Fault } from './operation/read-operation';
import { readTasksCall } from './tasks-schema';

/** The session of calls that name none. */
const DEFAULT_SESSION = 'default-session';

/** Who calls, from the call's context; nothing in the arguments can change it. */
export interface CallContext {
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** title of a board that has to be made without one */
  readonly sessionTitle?: string;
  /** of a session that was started for a board: `sessionId` is then that board's */
  readonly bound?: BoundTo;
}

/** A call that may be carried out, or why all of it is refused; `session` is the one it would be of. */
export function checkCall(
  { sessionId, agent, sessionTitle, bound }: CallContext,
  args: unknown,
  defaultSession: 'isolate' | 'refuse' | undefined,
): { readonly ok: true; readonly call: AgentCall } | (Fault & { readonly session: string }) {
  const named = sessionId ?? '';
  const session = named === '' ? DEFAULT_SESSION : named;
  if (named === '' && defaultSession === 'refuse') {
    const message = 'This call has no session id, and the settings refuse such calls.';
    return { ok: false, session: named, code: 'no_session', message };
  }
  if (!validSessionId(session)) return { ...invalid('bad_session', 'session id'), session };
  if (!validAgentName(agent)) return { ...invalid('bad_agent', 'agent name'), session };
  const read = readTasksCall(args);
  if (!read.ok) return { ...read, session };
  const { operations, terms } = read;
  const notices = named === '' ? [NO_SESSION] : [];
  const who = { session, agent, title: sessionTitle, bound };
  return { ok: true, call: { ...who, operations, terms, notices } };
}

const NO_SESSION = `The call had no session id, so this is the shared session "${DEFAULT_SESSION}".`;

function invalid(code: string, what: string): Fault {
  const message = `Nothing was done: the ${what} of this call must be 1 to 72 bytes of text without control characters.`;
  return { ok: false, code, message };
}
