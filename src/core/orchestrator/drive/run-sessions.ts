import type { Session } from '../../session/session';
import { MAX_ANSWER_CHARS, type RunState } from '../state';
import { stepsOf } from '../runs';
import { noPromptSince, type DrivenRun, type PendingEvent } from './driven-run';
import { eventsFromStatus, turnsIn, workingTurnOf } from './pending-events';
import type { SessionEvent } from '../../session/session-event-bus';
import type { RunEvent } from '../event';
import { lastChars } from '../run-text';
import { WireError } from '../../../protocol/wire-error';
import type { CommandQueue } from './command-queue';
import type { ToolRequest } from './orchestrator-deps';
import type { PermissionRequest, QuestionRequest } from '../../../protocol/snapshot';

/** The sessions of a run according to its state. */
export function sessionsOf(state: RunState): ReadonlySet<string> {
  if (state.kind === 'idle') return new Set();
  return new Set([
    ...(state.run.planner === null ? [] : [state.run.planner]),
    ...stepsOf({ state }).flatMap(({ worker }) => (worker === null ? [] : [worker.session])),
    ...runningSessions(state),
    ...turnsIn(state).flatMap((turn) => ('session' in turn ? [turn.session] : [])),
  ]);
}

/** The sessions in which a turn runs, or has to be stopped. */
function runningSessions(state: RunState): readonly string[] {
  if ('stops' in state) return state.stops.map(({ session }) => session);
  return turnsIn(state).flatMap((turn) => (turn.kind === 'working' ? [turn.session] : []));
}

/**
 * The run's session that `id` is, or works for as a subagent; undefined if there is none. Requests
 * and usage of a subagent count as its parent's.
 */
export function runSessionOf(
  own: Pick<ReadonlySet<string>, 'has'>,
  sessions: readonly Session[],
  id: string,
): string | undefined {
  const parents = new Map(sessions.map((one) => [one.id, one.parentId]));
  const seen = new Set<string>();
  for (let at: string | null | undefined = id; typeof at === 'string'; at = parents.get(at)) {
    if (own.has(at)) return at;
    if (seen.has(at)) return undefined;
    seen.add(at);
  }
  return undefined;
}

/**
 * Translates an event of the bus for a run. `look`: the run may have missed something, so the session's
 * state has to be requested.
 * @param sessions all known sessions, to find the session of a subagent
 */
export function interpretEvent(
  event: SessionEvent,
  state: RunState,
  sessions: () => readonly Session[],
): RunEvent | 'look' | undefined {
  const { sessionId } = event;
  const own = sessionsOf(state);
  if (own.size === 0) return undefined;
  if (!own.has(sessionId)) {
    // Requests and usage of a subagent count as its parent's; the ends of its turns don't.
    const runEvent = toRunEvent(event);
    if (runEvent === undefined || !SUB_AGENT_EVENTS.has(runEvent.type)) return undefined;
    const session = runSessionOf(own, sessions(), sessionId);
    return session === undefined ? undefined : ({ ...runEvent, sessionId: session } as RunEvent);
  }
  if (event.type === 'snapshot') return event.payload.more ? undefined : 'look';
  // Only the process that ran the session is gone; the session may continue.
  if (event.type === 'session.end' && event.payload.reason === 'closed') return 'look';
  // No answer had begun, or its process is gone: the person need not have stopped it.
  const { type, payload } = event;
  const isCut =
    type === 'turn.end' && payload.reason === 'interrupted' && payload.messageId === undefined;
  const stops = (workingTurnOf(state, sessionId)?.stop ?? null) !== null;
  return isCut && !stops ? 'look' : toRunEvent(event);
}

const SUB_AGENT_EVENTS: ReadonlySet<RunEvent['type']> = new Set([
  'asked',
  'answered',
  'lapsed',
  'tokens',
]);

/** Converts an event of the bus to an event of a run; undefined if runs don't depend on it. */
export function toRunEvent({ type, sessionId, payload }: SessionEvent): RunEvent | undefined {
  if (type === 'message.final') {
    // Only text of the agent's answer: no prompt, no thinking.
    const { role, kind, text } = payload;
    const own = role !== 'user' && kind !== 'thinking' && text.trim() !== '';
    return own ? { type: 'said', sessionId, text: lastChars(text, MAX_ANSWER_CHARS) } : undefined;
  }
  if (type === 'permission.request' || type === 'question.request') {
    const what = type === 'question.request' ? questionsText(payload) : permissionText(payload);
    return { type: 'asked', sessionId, request: payload.requestId, what };
  }
  if (type === 'permission.resolved' || type === 'question.resolved') {
    return { type: 'answered', sessionId, request: payload.requestId };
  }
  if (type === 'progress.update' && payload.kind === 'tokens') {
    const { messageId, input, cacheWrite = 0, output, reasoning = 0 } = payload;
    const count = input + cacheWrite + output + reasoning;
    return { type: 'tokens', sessionId, message: messageId ?? null, count };
  }
  if (type === 'turn.end') {
    const { messageId, reason, error } = payload;
    const ended = { sessionId, message: messageId ?? null, reason, error: error?.message ?? '' };
    return { type: 'turn_ended', ...ended, ...(error !== undefined && { code: error.code }) };
  }
  // `closed` means that only the process ended, and the session is still on disk; its status is
  // requested instead.
  const gone = type === 'session.end' && payload.reason !== 'closed';
  return gone ? { type: 'session_ended', sessionId } : undefined;
}

/** Silence after which the status of a running turn is requested, ms. */
const MAX_SILENCE = 60_000;

/**
 * Requests the status of sessions with a running turn, in case its end was missed. The response
 * comes after all earlier events of the session, and is dropped if another prompt was sent
 * meanwhile.
 */
export class SessionStatusChecks {
  readonly #checking = new Set<string>();
  readonly #lastActive = new Map<string, number>();

  constructor(
    private readonly run: DrivenRun,
    private readonly commands: Pick<CommandQueue, 'isPrompting'>,
  ) {}

  checkAll(): void {
    for (const session of new Set(runningSessions(this.run.state))) this.check(session);
  }

  check(session: string): void {
    if (this.#checking.has(session)) return;
    this.#checking.add(session);
    void this.#check(session).finally(() => this.#checking.delete(session));
  }

  noteActivity(session: string): void {
    this.#lastActive.set(session, this.run.deps.clock.now());
  }

  checkSilent(): void {
    const { clock, link } = this.run.deps;
    const running = new Set(runningSessions(this.run.state));
    const now = clock.now();
    for (const session of this.#lastActive.keys()) {
      if (!running.has(session)) this.#lastActive.delete(session);
    }
    for (const session of running) {
      const since = this.#lastActive.get(session);
      if (since === undefined) this.noteActivity(session);
      // A time in the future means that the clock was set back; then the silence counts as over.
      else if ((now < since || now - since >= MAX_SILENCE) && link.isUp()) {
        this.noteActivity(session);
        this.check(session);
      }
    }
  }

  async #check(session: string): Promise<void> {
    const { run } = this;
    for (let tries = 1; this.#wanted(session); tries += 1) {
      const isCurrent = noPromptSince(run, session);
      try {
        const current = await run.deps.runtime.getStatus(session);
        if (run.backoff.closed) return;
        for (const event of eventsFromStatus(session, current, isCurrent)) run.enqueue(event);
        for (const event of missedRequestEvents(session, run)) run.enqueue(event);
        return;
      } catch (error) {
        if (run.backoff.closed) return;
        if (error instanceof WireError && error.code === 'unknown_session') {
          return run.enqueue((state) =>
            isCurrent() && runningSessions(state).includes(session)
              ? { type: 'session_ended', sessionId: session }
              : undefined,
          );
        }
        run.deps.log.note('How a session stands could not be asked.', {
          at: 'run.session',
          error: String(error),
        });
      }
      await run.backoff.waitOnline(Math.min(30_000, 500 * 2 ** Math.min(tries, 8)));
    }
  }

  /** Not needed while a prompt is being sent: its answer tells the status. */
  #wanted(session: string): boolean {
    const { state, backoff } = this.run;
    if (backoff.closed || this.commands.isPrompting(session)) return false;
    return workingTurnOf(state, session) !== undefined || runningSessions(state).includes(session);
  }
}

/** The events for requests that were made or answered while this program was not connected. */
function missedRequestEvents(session: string, { state, deps }: DrivenRun): PendingEvent[] {
  const own = sessionsOf(state);
  const all = deps.sessions();
  const waiting = all.flatMap(({ id: sessionId, permissions, questions }): ToolRequest[] => [
    ...permissions.map((one) => ({ ...one, sessionId, what: permissionText(one) })),
    ...questions.map((one) => ({ ...one, sessionId, what: questionsText(one) })),
  ]);
  const here = [...waiting, ...(deps.toolRequests?.pending() ?? [])].filter(
    ({ sessionId }) => runSessionOf(own, all, sessionId) === session,
  );
  const pending = new Map(here.map(({ requestId, what }) => [requestId, what]));
  const known = new Set((workingTurnOf(state, session)?.asks ?? []).map(({ request }) => request));
  const gone = [...known].filter((request) => !pending.has(request));
  const come = [...pending].filter(([request]) => !known.has(request));
  return [
    ...gone.map((request) => ({ type: 'answered', sessionId: session, request }) as const),
    ...come.map(([request, what]): PendingEvent => {
      return { type: 'asked', sessionId: session, request, ...(what !== undefined && { what }) };
    }),
  ];
}

/** Describes a permission request, as `bash: rm -rf build`. */
function permissionText({ permission, patterns }: PermissionRequest): string {
  return toolText(permission, patterns);
}

/** A tool and its commands or paths. */
export function toolText(tool: string, about: readonly string[]): string {
  return about.length === 0 ? tool : `${tool}: ${about.join(', ')}`;
}

function questionsText({ questions }: QuestionRequest): string {
  return questions.map(({ question }) => question).join(' ');
}
