import type { Clock, Log, Undo } from '../../ports';
import type { RunLink } from './orchestrator-deps';
import { turnsOf, type RunState } from '../state';

/** Pauses of a run that end early: when the connection is back, and for good when it rests. */
export class Backoff {
  readonly #ends = new Set<() => void>();
  readonly #undo: Undo;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly link: RunLink,
  ) {
    this.#undo = link.onChange(() => {
      if (link.up()) this.#end();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Until it is worth another try: after `ms`, or where there is no connection, when it is back. */
  turn(ms: number): Promise<void> {
    return this.#until(ms, this.link.up());
  }

  /** @returns false where it rests since */
  async time(ms: number): Promise<boolean> {
    await this.#until(ms, true);
    return !this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#undo();
    this.#end();
  }

  #until(ms: number, timed: boolean): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const undo = this.clock.after(timed ? ms : LONG_WAIT, () => end());
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

/** Without a connection: a change of it that nobody told of is found out too, ms. */
const LONG_WAIT = 30_000;

/** Timers of all programs can wait as long, ms. */
const LONGEST_TIMER = 1_000_000_000;

/** Where the time said nothing, it says nothing at once again, ms. */
const OVERDUE_AGAIN = 1_000;

/** Tells a run the time when it wants to hear it. */
export class Alarm {
  #undo: Undo = () => undefined;
  /** as the run stood when it heard the time last */
  #woken: RunState | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly tell: () => void,
  ) {}

  plan(state: RunState): void {
    this.close();
    const at = wakeAt(state);
    if (at === undefined) return;
    const soonest = this.#woken === state ? OVERDUE_AGAIN : 0;
    const ms = Math.min(LONGEST_TIMER, Math.max(soonest, at - this.clock.now()));
    this.#undo = this.clock.after(ms, () => {
      this.#woken = state;
      this.tell();
    });
  }

  /** Where the clock was set back, what the run waits for would come only when it is there again. */
  look(state: RunState): void {
    if ('stage' in state && this.clock.now() < state.run.at) this.tell();
  }

  close(): void {
    this.#undo();
  }
}

/**
 * When a run wants to hear the time, ms since the epoch: a prompt is due then, or its minutes are used
 * up. Undefined where time changes nothing.
 */
export function wakeAt(state: RunState): number | undefined {
  if (state.kind !== 'going' || state.stage.kind === 'approving') return undefined;
  const { run, stage } = state;
  const left = run.wish.limits.minutes * 60_000 - run.used.ms;
  const times = [
    ...turnsOf(stage).flatMap((turn) => (turn.kind === 'due' ? [turn.from] : [])),
    ...(left > 0 ? [run.at + left] : []),
  ];
  return times.length === 0 ? undefined : Math.max(run.at, Math.min(...times));
}

/** Between two looks at what other programs did, ms. */
const POLL_EVERY = 2_000;

/** Looks again and again, as long as somebody wants it. */
export class Poller {
  #undo: Undo | undefined;
  #closed = false;

  /** @param look resolves with whether it is to be looked again */
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly look: () => Promise<boolean>,
  ) {}

  want(): void {
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
      again = await this.look();
    } catch (error) {
      this.log.note('Looking after runs failed.', {
        at: 'run.timers',
        severity: 'error',
        error: String(error),
      });
    }
    this.#undo = undefined;
    if (again) this.want();
  }
}
