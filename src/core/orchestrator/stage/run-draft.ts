import type { Used } from '../limits';
import { oneLine, type About, type Run, type Step, type TimelineEntry } from '../state';

/**
 * Maximum timeline entries; the oldest are dropped. A run within the default limits has far fewer, and
 * the log has all of them.
 */
const MAX_ENTRIES = 500;

/** Maximum characters of an entry, so that a long error does not fill the file. */
const MAX_WORDS = 300;

type Kind = TimelineEntry['kind'];

/**
 * The run while one event is applied. Each change replaces the value; the previous run is not
 * modified.
 */
export class RunDraft {
  constructor(public run: Run) {}

  /** Allocates the next command's key. */
  key(): string {
    const { id, next } = this.run;
    this.run = { ...this.run, next: next + 1 };
    return `${id}.${next}`;
  }

  use(used: Partial<Used>): void {
    this.run = { ...this.run, used: { ...this.run.used, ...used } };
  }

  /** Adds an entry to the timeline, with the time of the last event. */
  note(kind: Kind, said = '', about: About & { task?: string } = {}): void {
    const { at, timeline } = this.run;
    const entry = { at, kind, task: null, words: oneLine(said, MAX_WORDS), ...about };
    this.run = { ...this.run, timeline: [...timeline, entry].slice(-MAX_ENTRIES) };
  }

  /** Adds an entry about a step, with its task and its session. */
  noteStep(kind: Kind, step: Step, said = '', about: About = {}): void {
    const { task: id, title: task, worker } = step;
    this.note(kind, said, { task, id, ...(worker && { session: worker.session }), ...about });
  }

  /** The number of a step's attempt, for the timeline. */
  attempt({ attempt: n }: Pick<Step, 'attempt'>): About {
    return { attempt: { n, of: this.run.wish.limits.attempts } };
  }
}
