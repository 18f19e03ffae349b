import type { Clock, Log, Undo } from '../../ports';
import type { RunLink } from './orchestrator-deps';
import { turnsOf, type RunState } from '../state';

/**
 * Pauses of a run. They end early when the connection is back, and all end when the run is closed.
 */
export class Backoff {
  readonly #ends = new Set<() => void>();
  readonly #undo: Undo;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly link: RunLink,
  ) {
    this.#undo = link.onChange(() => {
      if (link.isUp()) this.#end();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Waits `ms`, or, if there is no connection, until it is back. */
  waitOnline(ms: number): Promise<void> {
    return this.#pause(ms, this.link.isUp());
  }

  /** @returns false if the run was closed meanwhile */
  async wait(ms: number): Promise<boolean> {
    await this.#pause(ms, true);
    return !this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#undo();
    this.#end();
  }

  #pause(ms: number, timed: boolean): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const undo = this.clock.after(timed ? ms : MAX_OFFLINE_WAIT, () => end());
      const end = (): void => {
        undo();
        this.#ends.delete(end);
        resolve();
      };
      this.#ends.add(end);
    });
  }

  #end(): void {
    for (const end of [...this.#ends]) end();
  }
}

/** Longest pause without a connection, ms, in case its return is not reported. */
const MAX_OFFLINE_WAIT = 30_000;

/** A delay that the timers of all hosts support, ms. */
const LONGEST_TIMER = 1_000_000_000;

/** Pause before the next `time` event if the last one did not change the state, ms. */
const OVERDUE_AGAIN = 1_000;

/** Sends a run the `time` event when it is due. */
export class Alarm {
  #undo: Undo = () => undefined;
  /** the run's state at the last `time` event */
  #woken: RunState | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: () => void,
  ) {}

  set(state: RunState): void {
    this.close();
    const at = dueTime(state);
    if (at === undefined) return;
    const soonest = this.#woken === state ? OVERDUE_AGAIN : 0;
    const ms = Math.min(LONGEST_TIMER, Math.max(soonest, at - this.clock.now()));
    this.#undo = this.clock.after(ms, () => {
      this.#woken = state;
      this.onDue();
    });
  }

  /**
   * If the clock was set back, sends the event at once: otherwise the run would wait until the old
   * time comes again.
   */
  checkClock(state: RunState): void {
    if ('stage' in state && this.clock.now() < state.run.at) this.onDue();
  }

  close(): void {
    this.#undo();
  }
}

/**
 * When a run needs the `time` event, ms since the epoch: a prompt is due then, or its minutes are
 * used up. Undefined if the run does not wait for a time.
 */
export function dueTime(state: RunState): number | undefined {
  if (state.kind !== 'going' || state.stage.kind === 'approving') return undefined;
  const { run, stage } = state;
  const left = run.wish.limits.minutes * 60_000 - run.used.ms;
  const times = [
    ...turnsOf(stage).flatMap((turn) => (turn.kind === 'due' ? [turn.from] : [])),
    ...(left > 0 ? [run.at + left] : []),
  ];
  return times.length === 0 ? undefined : Math.max(run.at, Math.min(...times));
}

/** Time between two polls for changes by other programs, ms. */
const POLL_EVERY = 2_000;

/** Polls for as long as it is wanted. */
export class Poller {
  #undo: Undo | undefined;
  #closed = false;

  /** @param poll polls once; resolves with whether to poll again */
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly poll: () => Promise<boolean>,
  ) {}

  schedule(): void {
    if (this.#undo !== undefined || this.#closed) return;
    this.#undo = this.clock.after(POLL_EVERY, () => void this.#tick());
  }

  close(): void {
    this.#closed = true;
    this.#undo?.();
  }

  async #tick(): Promise<void> {
    let again = true;
    try {
      again = await this.poll();
    } catch (error) {
      this.log.note('Looking after runs failed.', {
        at: 'run.timers',
        severity: 'error',
        error: String(error),
      });
    }
    this.#undo = undefined;
    if (again) this.schedule();
  }
}
