import type { Bridges } from '../../session/bridges';
import { isFeatureAvailable } from '../../session/connection';
import type { ToolRequest, ToolRequests, RunLink } from './orchestrator-deps';
import type { Clock, Log, Undo } from '../../ports';
import { runSessionOf } from './run-sessions';
import type { Session } from '../../session/session';
import type { SessionEvent, SessionEventBus } from '../../session/session-event-bus';
import type { SessionRuntime } from '../../session/bridge-runtime';

/** The link of runs to OpenCode: up while at least one connected bridge can start sessions. */
export function bridgesLink(connection: Pick<Bridges, 'state' | 'onState'>): RunLink {
  const isUp = (): boolean => isFeatureAvailable(connection.state, 'start');
  return {
    isUp,
    supportsKeys: () => isFeatureAvailable(connection.state, 'keys'),
    onChange: (listener) => {
      let before = isUp();
      return connection.onState(() => {
        const now = isUp();
        if (now === before) return;
        before = now;
        listener();
      });
    },
  };
}

interface ExpiringRequestsDeps {
  readonly bus: Pick<SessionEventBus, 'onAll'>;
  readonly runtime: Pick<SessionRuntime, 'answerPermission'>;
  readonly clock: Clock;
  readonly log: Log;
  /** minutes until an unanswered request is denied; 0: never */
  readonly minutes: () => number;
  /** whether a run that this program carries out uses the session */
  readonly usesSession: (sessionId: string) => boolean;
  /** all known sessions, to find the parents of subagents */
  readonly sessions: () => readonly Session[];
  /** requests of our own tools, which expire by themselves */
  readonly own?: ToolRequests | undefined;
}

/** Sent to the model, which continues without the permission. */
const DENIAL_MESSAGE =
  'Nobody answered in time, so it was denied. Go on without it, and say at the end what is left.';

/** Pause before another try if the denial could not be sent, ms. */
const RETRY_AFTER = 30_000;

/**
 * Denies OpenCode's permission requests in the sessions of runs when their time is over, as our own
 * tools do, and reports to the run that they expired. Questions are not denied: only the person can
 * answer them.
 */
export class ExpiringRequests implements ToolRequests {
  readonly #timers = new Map<string, Undo>();
  readonly #ended = new Set<(ask: ToolRequest, lapsed: boolean) => void>();
  readonly #stop: Undo;

  constructor(private readonly deps: ExpiringRequestsDeps) {
    this.#stop = deps.bus.onAll((event) => this.#onEvent(event));
  }

  pending(): readonly ToolRequest[] {
    return this.deps.own?.pending() ?? [];
  }

  onRequest(listener: (ask: ToolRequest) => void): Undo {
    return this.deps.own?.onRequest(listener) ?? ((): void => undefined);
  }

  onEnd(listener: (ask: ToolRequest, lapsed: boolean) => void): Undo {
    this.#ended.add(listener);
    const undo = this.deps.own?.onEnd(listener);
    return () => {
      this.#ended.delete(listener);
      undo?.();
    };
  }

  close(): void {
    this.#stop();
    for (const undo of this.#timers.values()) undo();
    this.#timers.clear();
  }

  #onEvent(event: SessionEvent): void {
    const { sessionId, type } = event;
    if (type === 'permission.request') {
      const { requestId } = event.payload;
      const minutes = this.deps.minutes();
      // A request repeated after a reconnect keeps its time limit.
      if (minutes === 0 || this.#timers.has(requestId)) return;
      this.#wait({ sessionId, requestId }, minutes * 60_000);
    } else if (type === 'permission.resolved') this.#forget(event.payload.requestId);
  }

  #wait(ask: ToolRequest, ms: number): void {
    const undo = this.deps.clock.after(ms, () => void this.#deny(ask));
    this.#timers.set(ask.requestId, undo);
  }

  #forget(requestId: string): void {
    this.#timers.get(requestId)?.();
    this.#timers.delete(requestId);
  }

  /** Notifies the run first: the answer may end the turn. */
  async #deny(ask: ToolRequest): Promise<void> {
    const { runtime, log } = this.deps;
    const { sessionId, requestId } = ask;
    // The session of a run: this one, or the one that it works for as a subagent.
    const runSession = runSessionOf(
      { has: this.deps.usesSession },
      this.deps.sessions(),
      sessionId,
    );
    if (runSession === undefined) return this.#forget(requestId);
    for (const listener of [...this.#ended]) listener(ask, true);
    try {
      await runtime.answerPermission(sessionId, requestId, 'reject', DENIAL_MESSAGE);
    } catch (error) {
      log.note('What ran out could not be denied.', { at: 'run.deny', error: String(error) });
      if (this.#timers.has(requestId)) this.#wait(ask, RETRY_AFTER);
    }
  }
}
