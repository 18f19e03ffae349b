import type { Run } from '../state';
import { noted, type TimelineEntry } from '../timeline';

/** The run with one more entry in its timeline, at the time of its last event. */
export function note(
  run: Run,
  kind: TimelineEntry['kind'],
  task: string | null = null,
  words = '',
): Run {
  return { ...run, timeline: noted(run.timeline, { at: run.at, kind, task, words }) };
}
