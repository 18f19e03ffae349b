import type { Clock, Undo } from '../../core/ports';
import type { BoardChange } from '../../core/board/board-change';
import { progress } from '../../core/board/facts';
import { t } from '../language/text';

/** Least ms between two polite messages in one window. */
export const MIN_POLITE_INTERVAL = 2_000;

/** A change to announce in the live region. */
interface Announcement {
  /** the agent, or "Someone" */
  readonly who: string;
  /** "Split words in Chinese and Japanese, done by build. 3 of 12." */
  readonly sentence: string;
  /** 0: the news is about no task and is always announced as its sentence */
  readonly tasks: number;
}

/**
 * Announces changes to screen readers. Polite messages come at most once in two seconds, with those
 * in between merged; requests to the person are announced at once.
 */
export class Announcer {
  private waiting: readonly Announcement[] = [];
  private cancelTimer: Undo | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly output: { polite(text: string): void; assertive(text: string): void },
  ) {}

  announceNow(text: string): void {
    this.output.assertive(text);
  }

  announce(news: Announcement): void {
    this.waiting = [...this.waiting, news];
    if (this.cancelTimer === undefined) this.flush();
  }

  close(): void {
    this.cancelTimer?.();
    this.waiting = [];
  }

  private flush(): void {
    this.cancelTimer = undefined;
    if (this.waiting.length === 0) return;
    this.output.polite(mergeAnnouncements(this.waiting));
    this.waiting = [];
    this.cancelTimer = this.clock.after(MIN_POLITE_INTERVAL, () => this.flush());
  }
}

/** A single sentence unchanged; several as one count per author: "build changed 3 tasks." */
function mergeAnnouncements(news: readonly Announcement[]): string {
  const [only] = news;
  if (only !== undefined && news.length === 1) return only.sentence;
  const counts = new Map<string, number>();
  const others = news.filter(({ tasks }) => tasks === 0).map(({ sentence }) => sentence);
  for (const { who, tasks } of news) {
    if (tasks > 0) counts.set(who, (counts.get(who) ?? 0) + tasks);
  }
  const counted = [...counts].map(([who, count]) => t('ui.whoChangedTasks', { who, count }));
  return [...counted, ...others].join(' ');
}

/** The two live regions of a window: invisible, but read aloud. */
export class LiveRegion {
  private readonly regions: readonly HTMLElement[];

  constructor(parent: HTMLElement) {
    this.regions = ['polite', 'assertive'].map((live) =>
      parent.createDiv({ cls: 'atb-unseen', attr: { 'aria-live': live } }),
    );
  }

  polite(text: string): void {
    this.regions[0]?.setText(text);
  }

  assertive(text: string): void {
    this.regions[1]?.setText(text);
  }

  close(): void {
    for (const region of this.regions) region.remove();
  }
}

/** The announcement of a change by somebody other than the person; undefined if there is none. */
export function boardAnnouncement(change: BoardChange): Announcement | undefined {
  const { board, before, by, changedKeys } = change;
  if (board === undefined || by === 'person' || changedKeys.length === 0) return undefined;
  const count = changedKeys.length;
  if (before === undefined) {
    // Includes boards that an agent's program wrote to the disk itself.
    const who = board.agent;
    return { who, tasks: count, sentence: t('ui.newPlan', { who, title: board.title }) };
  }
  const who = by === 'agent' ? change.agent : t('ui.someone');
  if (count > 1) return { who, tasks: count, sentence: t('ui.whoChangedTasks', { who, count }) };
  const task = board.tasks.find((one) => one.key === changedKeys[0]);
  const old = before.tasks.find((one) => one.key === changedKeys[0]);
  if (task === undefined) return undefined;
  const { done, total } = progress(board);
  const what = old === undefined ? 'added' : old.status === task.status ? 'changed' : task.status;
  const sentence = t(`taskNews.${what}`, { title: task.title, who, done, total });
  return { who, tasks: 1, sentence };
}
