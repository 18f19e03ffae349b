import type { Used } from '../limits';
import { oneLine, type About, type Run, type Step, type TimelineEntry } from '../state';

/** The oldest go: a run within the default limits has far fewer, and its log has them all. */
const MOST_ENTRIES = 500;

/** Longer words are cut, so that a chatty error does not fill the file. */
const MOST_WORDS = 300;

type Kind = TimelineEntry['kind'];

/** The run while one event is taken in: each change of it is a new value, the one before stays. */
export class RunDraft {
  constructor(public run: Run) {}

  /** The next command's key. */
  key(): string {
    const { id, next } = this.run;
    this.run = { ...this.run, next: next + 1 };
    return `${id}.${next}`;
  }

  use(used: Partial<Used>): void {
    this.run = { ...this.run, used: { ...this.run.used, ...used } };
  }

  /** One more entry in the timeline, at the time of the last event. */
  note(kind: Kind, said = '', about: About & { task?: string } = {}): void {
    const { at, timeline } = this.run;
    const entry = { at, kind, task: null, words: oneLine(said, MOST_WORDS), ...about };
    this.run = { ...this.run, timeline: [...timeline, entry].slice(-MOST_ENTRIES) };
  }

  /** Of a step: with its task, and who works on it. */
  noteStep(kind: Kind, step: Step, said = '', about: About = {}): void {
    const { task: id, title: task, worker } = step;
    this.note(kind, said, { task, id, ...(worker && { session: worker.session }), ...about });
  }

  /** Which attempt of a step it is, for the timeline. */
  attempt({ attempt: n }: Pick<Step, 'attempt'>): About {
    return { attempt: { n, of: this.run.wish.limits.attempts } };
  }
}
