import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Runs, RunView } from '../../core/orchestrator/runs';
import type { Clock } from '../../core/ports';
import { goingOf } from './run-of';

/** All runs; draws anew when one is another. */
export function useRuns(runs: Runs): readonly RunView[] {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => runs.onChange(() => draw(undefined)), [runs]);
  return runs.all();
}

/** Between two looks at the clock, ms: minutes are shown. */
const EVERY = 15_000;

/** Now, kept up to date while it is of interest. */
export function useNow(clock: Pick<Clock, 'now' | 'after'>, moves: boolean): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    if (!moves) return;
    let stop = clock.after(EVERY, again);
    function again(): void {
      tick(undefined);
      stop = clock.after(EVERY, again);
    }
    return () => stop();
  }, [clock, moves]);
  return clock.now();
}

/** Whether the run's figures move by themselves. */
export function moves(view: RunView | undefined): boolean {
  return view !== undefined && view.by !== 'nobody' && goingOf(view) !== undefined;
}
