import { count } from '../../core/orchestrator/counts';
import { duration } from '../../core/orchestrator/run-words';
import type { RunView } from '../../core/orchestrator/runs';
import { doneTasks, runOf } from './run-of';

/** One line of what a run used of what it may. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

export interface Figures {
  /** tasks that are done, and all that count */
  readonly done: number;
  readonly total: number;
  readonly lines: readonly Figure[];
}

/** What a run used, against its limits. @param now ms since the epoch */
export function figures(view: RunView, now: number): Figures | undefined {
  const run = runOf(view);
  if (run === undefined) return undefined;
  const { used, wish } = run;
  const { limits } = wish;
  const tasks = view.look.kind === 'plan' ? view.look.tasks : [];
  const done = doneTasks(view).length;
  const total = tasks.filter(({ status }) => status !== 'cancelled').length;
  const minutes = Math.floor((used.ms + sinceLast(view, now)) / 60_000);
  return {
    done,
    total,
    lines: [
      { name: 'Steps', value: `${count(done)} of ${count(total)}` },
      { name: 'Turns', value: `${count(used.turns)} of ${count(limits.turns)}` },
      { name: 'Tokens', value: `${short(used.tokens)} of ${short(limits.tokens)}` },
      { name: 'Time', value: `${duration(minutes)} of ${duration(limits.minutes)}` },
    ],
  };
}

/** What counts since the last event, which the run itself adds at its next one. */
function sinceLast({ state, by }: RunView, now: number): number {
  if (state.kind !== 'going' || state.stage.kind === 'approving' || by === 'nobody') return 0;
  return Math.max(0, now - state.run.at);
}

/** `960`, `182k`, `1.2M`. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}
