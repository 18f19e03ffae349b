import type { Run } from '../state';
import type { Step } from '../task-step';
import { noted, type About, type TimelineEntry } from '../timeline';

type Kind = TimelineEntry['kind'];

/** The run with one more entry in its timeline, at the time of its last event. */
export function note(run: Run, kind: Kind, words = '', about: About = {}): Run {
  return withEntry(run, { at: run.at, kind, task: null, words, ...about });
}

/** Of a step: with its task, and who works on it. */
export function noteStep(
  run: Run,
  kind: Kind,
  { task: id, title, worker }: Pick<Step, 'task' | 'title' | 'worker'>,
  words = '',
  about: About = {},
): Run {
  const session = worker === null ? {} : { session: worker.session };
  return withEntry(run, { at: run.at, kind, task: title, words, id, ...session, ...about });
}

function withEntry(run: Run, entry: TimelineEntry): Run {
  return { ...run, timeline: noted(run.timeline, entry) };
}
