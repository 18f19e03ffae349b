import type { Session } from '../../session/session';
import { MOST_SAID, turnsOf, type RunState } from '../state';
import { lookWords, stageOf, workingIn, type PendingEvent } from './pending-events';
import type { SessionEvent, SessionEventOf } from '../../session/session-event-bus';
import type { RunEvent } from '../event';
import { ending } from '../run-words';
import { WireError } from '../../../protocol/wire-error';
import type { CommandQueue } from './command-queue';
import type { OrchestratorDeps, OwnAsk } from './orchestrator-deps';
import type { Sends } from './command-executor';
import type { Backoff } from './timers';
import type { PermissionRequest, QuestionRequest } from '../../../protocol/snapshot';

/** The sessions that a run works with, as its state names them. */
export function sessionsOf(state: RunState): ReadonlySet<string> {
  if (state.kind === 'idle') return new Set();
  const own = new Set(state.run.planner === null ? [] : [state.run.planner]);
  const stage = stageOf(state);
  if (stage?.kind === 'executing') {
    for (const { worker } of stage.steps) if (worker !== null) own.add(worker.session);
  }
  for (const session of runningIn(state)) own.add(session);
  for (const turn of stage === undefined ? [] : turnsOf(stage)) {
    if ('session' in turn) own.add(turn.session);
  }
  return own;
}

/** Those in which a turn runs, or has to be stopped. */
function runningIn(state: RunState): readonly string[] {
  const stage = stageOf(state);
  if (stage !== undefined) {
    return turnsOf(stage).flatMap((turn) => (turn.kind === 'working' ? [turn.session] : []));
  }
  return 'stops' in state ? state.stops.map(({ session }) => session) : [];
}

/**
 * The session of the run that a session is, or works for as a sub-agent; undefined for others. What a
 * sub-agent asks and uses is its parent's.
 */
export function kinOf(
  own: ReadonlySet<string>,
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

/** What a run makes of an event of the bus. */
type Heard =
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

/** What a run makes of an event of the bus; undefined for what no run depends on. */
export function eventOf(event: SessionEvent): RunEvent | undefined {
  const { sessionId } = event;
  switch (event.type) {
    case 'message.final':
      return said(event);
    case 'permission.request':
      return asked(event, permissionWords(event.payload));
    case 'question.request':
      return asked(event, questionWords(event.payload));
    case 'permission.resolved':
    case 'question.resolved':
      return { type: 'answered', sessionId, request: event.payload.requestId };
    case 'progress.update':
      return progressed(event);
    case 'turn.end': {
      const { messageId, reason, error } = event.payload;
      const ended = { sessionId, message: messageId ?? null, reason, error: error?.message ?? '' };
      return { type: 'turn_ended', ...ended };
    }
    case 'session.end':
      // A process that ended leaves the session on the disk: how it stands is asked for.
      return event.payload.reason === 'closed' ? undefined : { type: 'session_ended', sessionId };
    case 'snapshot':
    case 'session.created':
    case 'stream.token':
    case 'stream.thinking':
    case 'tool.call':
    case 'tool.cancel':
    case 'tool.update':
    case 'error':
      return undefined;
  }
}

function asked(
  { sessionId, payload }: SessionEventOf<'permission.request' | 'question.request'>,
  what: string,
): RunEvent {
  return { type: 'asked', sessionId, request: payload.requestId, what };
}

/** Words of the agent's answer: not of a prompt, not its thinking. */
function said({ sessionId, payload }: SessionEventOf<'message.final'>): RunEvent | undefined {
  const { role, kind, text } = payload;
  const own = role !== 'user' && kind !== 'thinking' && text.trim() !== '';
  return own ? { type: 'said', sessionId, text: ending(text, MOST_SAID) } : undefined;
}

function progressed({
  sessionId,
  payload,
}: SessionEventOf<'progress.update'>): RunEvent | undefined {
  if (payload.kind !== 'tokens') return undefined;
  const { messageId, input, output, reasoning } = payload;
  const count = input + output + (reasoning ?? 0);
  return { type: 'tokens', sessionId, message: messageId ?? null, count };
}

interface LooksPort {
  state(): RunState;
  hear(word: PendingEvent): void;
  readonly sends: Sends;
  readonly carrier: Pick<CommandQueue, 'prompts'>;
}

/** A turn of which nothing is heard for so long is asked for, ms. */
const SILENCE = 60_000;

/**
 * Asks how the sessions stand in which a turn runs, where their end may have been missed. What was
 * told of a session before stands before the answer, and no answer is about another turn than that
 * which was looked at.
 */
export class SessionLooks {
  readonly #under = new Set<string>();
  readonly #heard = new Map<string, number>();

  constructor(
    private readonly deps: Pick<
      OrchestratorDeps,
      'runtime' | 'link' | 'log' | 'clock' | 'sessions' | 'asks'
    >,
    private readonly waits: Backoff,
    private readonly port: LooksPort,
  ) {}

  all(): void {
    for (const session of new Set(runningIn(this.port.state()))) this.one(session);
  }

  one(session: string): void {
    if (this.#under.has(session)) return;
    this.#under.add(session);
    void this.#look(session).finally(() => this.#under.delete(session));
  }

  alive(session: string): void {
    this.#heard.set(session, this.deps.clock.now());
  }

  silent(): void {
    const running = new Set(runningIn(this.port.state()));
    const now = this.deps.clock.now();
    for (const session of this.#heard.keys()) {
      if (!running.has(session)) this.#heard.delete(session);
    }
    for (const session of running) {
      const since = this.#heard.get(session);
      if (since === undefined) this.alive(session);
      // The clock may have been set back: what was heard later than now was heard long ago.
      else if ((now < since || now - since >= SILENCE) && this.deps.link.up()) {
        this.alive(session);
        this.one(session);
      }
    }
  }

  async #look(session: string): Promise<void> {
    for (let tries = 1; this.#wanted(session); tries += 1) {
      const still = this.port.sends.now(session);
      try {
        const look = await this.deps.runtime.look(session);
        if (this.waits.closed) return;
        for (const word of lookWords(session, look, still)) this.port.hear(word);
        for (const word of askWords(session, this.port.state(), this.deps)) this.port.hear(word);
        return;
      } catch (error) {
        if (this.waits.closed) return;
        if (error instanceof WireError && error.code === 'unknown_session') {
          this.port.hear((state) =>
            still() && runningIn(state).includes(session)
              ? { type: 'session_ended', sessionId: session }
              : undefined,
          );
          return;
        }
        this.deps.log.note('How a session stands could not be asked.', { error: String(error) });
      }
      await this.waits.turn(Math.min(30_000, 500 * 2 ** Math.min(tries, 8)));
    }
  }

  /** Where a prompt is under way, its answer says how it stands. */
  #wanted(session: string): boolean {
    if (this.waits.closed || this.port.carrier.prompts(session)) return false;
    const state = this.port.state();
    return workingIn(state, session) !== undefined || runningIn(state).includes(session);
  }
}

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
function askWords(
  session: string,
  state: RunState,
  deps: Pick<OrchestratorDeps, 'sessions' | 'asks'>,
): PendingEvent[] {
  const pending = pendingIn(session, state, deps);
  const known = new Set((workingIn(state, session)?.asks ?? []).map(({ request }) => request));
  const gone = [...known].filter((request) => !pending.has(request));
  const come = [...pending].filter(([request]) => !known.has(request));
  return [
    ...gone.map((request) => ({ type: 'answered', sessionId: session, request }) as const),
    ...come.map(([request, what]) => askedEvent(session, request, what)),
  ];
}

function askedEvent(sessionId: string, request: string, what: string | undefined): PendingEvent {
  return { type: 'asked', sessionId, request, ...(what !== undefined && { what }) };
}

/** What a permission is asked for, as in `bash: rm -rf build`. */
function permissionWords({
  permission,
  patterns,
}: Pick<PermissionRequest, 'permission' | 'patterns'>): string {
  return toolWords(permission, patterns);
}

/** A tool and what it is about: commands, paths. */
export function toolWords(tool: string, about: readonly string[]): string {
  return about.length === 0 ? tool : `${tool}: ${about.join(', ')}`;
}

function questionWords({ questions }: Pick<QuestionRequest, 'questions'>): string {
  return questions.map(({ question }) => question).join(' ');
}
