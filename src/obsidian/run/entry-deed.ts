import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import type { TimelineEntry } from '../../core/orchestrator/timeline';
import type { Deed } from './deed';
import { runOf, sessionOf, stepsOf } from './run-of';

/** What an entry of the timeline opens: a session, a task or a checkpoint; undefined: nothing. */
export function entryDeed(
  entry: TimelineEntry,
  view: RunView,
  board: Board | undefined,
): Deed | undefined {
  const { kind, task, checkpoint } = entry;
  const planner = runOf(view)?.planner ?? undefined;
  switch (kind) {
    case 'checkpoint':
      return checkpoint === undefined
        ? taskDeed(entry, board)
        : { kind: 'roll_back', n: checkpoint };
    case 'begun':
    case 'tried_again':
    case 'failed':
    case 'passed':
    case 'checked': {
      const session = task === null ? planner : sessionAt(entry, view);
      return session === undefined ? taskDeed(entry, board) : { kind: 'session', session };
    }
    case 'started':
    case 'planned':
      return planner === undefined ? undefined : { kind: 'session', session: planner };
    case 'approved':
    case 'rolled_back':
      return { kind: 'board' };
    case 'person':
      return task === null ? { kind: 'board' } : taskDeed(entry, board);
    case 'paused':
    case 'resumed':
    case 'waits':
    case 'connection':
    case 'ended':
      return undefined;
  }
}

function taskDeed({ id, task }: TimelineEntry, board: Board | undefined): Deed | undefined {
  const found = board?.tasks.find((one) => (id === undefined ? one.title === task : one.id === id));
  return found === undefined ? undefined : { kind: 'board', task: found.id };
}

/** When a step begins, its session is not there yet: the one that it has now. */
function sessionAt({ id, session }: TimelineEntry, view: RunView): string | undefined {
  if (session !== undefined) return session;
  const step = stepsOf(view).find(({ task }) => task === id);
  if (step !== undefined) return sessionOf(step);
  const later = runOf(view)?.timeline.findLast((one) => one.id === id && one.session !== undefined);
  return later?.session;
}
