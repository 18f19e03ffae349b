import type { Board } from '../../core/board/task';
import type { Clock, Undo } from '../../core/ports';

/** How long the bar says what changed, ms. */
const SHOWN = 5_000;

/** What others changed in one board just now, in words for the bar. */
export class NoteNews {
  /** undefined: nothing just now */
  text: string | undefined;
  private counts: ReadonlyMap<string, number> | undefined;
  private timer: Undo = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onOver: () => void,
  ) {}

  /** @param counts how often others changed each task, by key; what stands at first is no news */
  look(board: Board, counts: ReadonlyMap<string, number>): void {
    const before = this.counts ?? counts;
    this.counts = counts;
    const keys = [...counts].filter(([key, count]) => (before.get(key) ?? 0) < count);
    const titles = board.tasks.filter((task) => keys.some(([key]) => key === task.key));
    const [first] = titles;
    if (first === undefined) return;
    const what = titles.length === 1 ? first.title : `${titles.length} tasks`;
    this.text = `${board.agent} changed ${what}`;
    this.timer();
    this.timer = this.clock.after(SHOWN, () => {
      this.text = undefined;
      this.onOver();
    });
  }

  close(): void {
    this.timer();
  }
}
