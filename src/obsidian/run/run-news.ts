import { saidOf } from '../../core/orchestrator/run-words';
import type { RunView } from '../../core/orchestrator/runs';
import type { TimelineEntry } from '../../core/orchestrator/timeline';
import { runOf } from './run-of';

/** What came of steps since a moment, a sentence each, for who does not see the panel. */
export function runNews(view: RunView, since: number): readonly string[] {
  const run = runOf(view);
  if (run === undefined) return [];
  return run.timeline.filter(({ at }) => at > since).flatMap(newsOf);
}

function newsOf(entry: TimelineEntry): readonly string[] {
  const { kind, task } = entry;
  switch (kind) {
    case 'tried_again':
      return [saidOf(entry)];
    case 'failed':
      return [`${task ?? 'A step'} failed. ${saidOf(entry)}`];
    case 'passed':
      return [`${task ?? 'A step'}, done.`];
    case 'started':
    case 'planned':
    case 'approved':
    case 'checkpoint':
    case 'begun':
    case 'checked':
    case 'person':
    case 'rolled_back':
    case 'paused':
    case 'resumed':
    case 'waits':
    case 'connection':
    case 'ended':
      return [];
  }
}
