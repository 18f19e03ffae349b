import type { Bridges } from '../../session/bridges';
import { isAble } from '../../session/connection';
import type { OwnAsk, OwnAsks, RunLink } from './orchestrator-deps';
import type { Clock, Log, Undo } from '../../ports';
import { kinOf } from './run-sessions';
import type { Session } from '../../session/session';
import type { SessionEvent, SessionEventBus } from '../../session/session-event-bus';
import type { SessionRuntime } from '../../session/bridge-runtime';

/** The link of runs to OpenCode: up while at least one connected bridge can start sessions. */
export function bridgesLink(connection: Pick<Bridges, 'state' | 'onState'>): RunLink {
  const up = (): boolean => isAble(connection.state, 'start');
  return {
    up,
    knowsKeys: () => isAble(connection.state, 'keys'),
    onChange: (listener) => {
      let before = up();
      return connection.onState(() => {
        const now = up();
        if (now === before) return;
        before = now;
        listener();
      });
    },
  };
}

interface LateAsksDeps {
  readonly bus: Pick<SessionEventBus, 'onAll'>;
  readonly runtime: Pick<SessionRuntime, 'answerPermission'>;
  readonly clock: Clock;
  readonly log: Log;
  /** minutes until an unanswered request is denied; 0: never */
  readonly minutes: () => number;
  /** whether a run that this program carries out uses the session */
  readonly holds: (sessionId: string) => boolean;
  /** all known sessions, to find the parents of sub-agents */
  readonly sessions: () => readonly Session[];
  /** requests of our own tools, which expire by themselves */
  readonly own?: OwnAsks | undefined;
}

/** Sent to the model, which continues without the permission. */
const WORDS =
  'Nobody answered in time, so it was denied. Go on without it, and say at the end what is left.';

/** Pause before another try if the denial could not be sent, ms. */
const AGAIN = 30_000;

/**
 * Denies OpenCode's permission requests in the sessions of runs when their time is over, as our own
 * tools do, and reports to the run that they expired. Questions are not denied: only the person can
 * answer them.
 */
export class LateAsks implements OwnAsks {
  readonly #timers = new Map<string, Undo>();
  readonly #ended = new Set<(ask: OwnAsk, lapsed: boolean) => void>();
  readonly #stop: Undo;

  constructor(private readonly deps: LateAsksDeps) {
    this.#stop = deps.bus.onAll((event) => this.#heard(event));
  }

  pending(): readonly OwnAsk[] {
    return this.deps.own?.pending() ?? [];
  }

  onAsk(listener: (ask: OwnAsk) => void): Undo {
    return this.deps.own?.onAsk(listener) ?? ((): void => undefined);
  }

  onEnd(listener: (ask: OwnAsk, lapsed: boolean) => void): Undo {
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

  #heard(event: SessionEvent): void {
    const { sessionId, type } = event;
    if (type === 'permission.request') {
      const { requestId } = event.payload;
      const minutes = this.deps.minutes();
      // A request repeated after a reconnect keeps its time limit.
      if (minutes === 0 || this.#timers.has(requestId)) return;
      this.#wait({ sessionId, requestId }, minutes * 60_000);
    } else if (type === 'permission.resolved') this.#forget(event.payload.requestId);
  }

  #wait(ask: OwnAsk, ms: number): void {
    const undo = this.deps.clock.after(ms, () => void this.#deny(ask));
    this.#timers.set(ask.requestId, undo);
  }

  #forget(requestId: string): void {
    this.#timers.get(requestId)?.();
    this.#timers.delete(requestId);
  }

  /** Notifies the run first: the answer may end the turn. */
  async #deny(ask: OwnAsk): Promise<void> {
    const { runtime, log } = this.deps;
    const { sessionId, requestId } = ask;
    // The session of a run: this one, or the one that it works for as a sub-agent.
    const held = kinOf({ has: this.deps.holds }, this.deps.sessions(), sessionId);
    if (held === undefined) return this.#forget(requestId);
    for (const listener of [...this.#ended]) listener(ask, true);
    try {
      await runtime.answerPermission(sessionId, requestId, 'reject', WORDS);
    } catch (error) {
      log.note('What ran out could not be denied.', { at: 'run.deny', error: String(error) });
      if (this.#timers.has(requestId)) this.#wait(ask, AGAIN);
    }
  }
}
