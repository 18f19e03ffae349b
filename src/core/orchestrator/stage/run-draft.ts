import type { RunUsage } from '../limits';
import { oneLine, type EntryDetails, type Run, type Step, type TimelineEntry } from '../state';

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
  nextKey(): string {
    const { id, next } = this.run;
    this.run = { ...this.run, next: next + 1 };
    return `${id}.${next}`;
  }

  updateUsage(used: Partial<RunUsage>): void {
    this.run = { ...this.run, used: { ...this.run.used, ...used } };
  }

  /** Adds an entry to the timeline, with the time of the last event. */
  addEntry(kind: Kind, text = '', about: EntryDetails & { task?: string } = {}): void {
    const { at, timeline } = this.run;
    const entry = { at, kind, task: null, words: oneLine(text, MAX_WORDS), ...about };
    this.run = { ...this.run, timeline: [...timeline, entry].slice(-MAX_ENTRIES) };
  }

  /** Adds an entry about a step, with its task and its session. */
  addStepEntry(kind: Kind, step: Step, text = '', about: EntryDetails = {}): void {
    const { task: id, title: task, worker } = step;
    this.addEntry(kind, text, { task, id, ...(worker && { session: worker.session }), ...about });
  }

  /** The number of a step's attempt, for the timeline. */
  attemptDetails({ attempt: n }: Pick<Step, 'attempt'>): EntryDetails {
    return { attempt: { n, of: this.run.wish.limits.attempts } };
  }
}
