import type { Clock, Undo } from '../../ports';
import type { RunState } from '../state';
import { wakeAt } from '../wake-at';

/** Timers of all programs can wait as long, ms. */
const LONGEST = 1_000_000_000;
/** Where the time said nothing, it says nothing at once again, ms. */
const AGAIN = 1_000;

/** Tells a run the time when it wants to hear it. */
export class Wake {
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
    const soonest = this.#woken === state ? AGAIN : 0;
    const ms = Math.min(LONGEST, Math.max(soonest, at - this.clock.now()));
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
