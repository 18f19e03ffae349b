import { MarkdownRenderChild } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { Overview } from '../model/overview';
import { noteTasks } from '../note/note-facts';
import type { TaskHead } from './task-head';

export interface LiveTasksDeps {
  readonly overview: Overview;
  readonly today: () => string;
}

/** Keeps drawn tasks true: what one waits for changes elsewhere, where the app draws nothing anew. */
export class LiveTasks extends MarkdownRenderChild {
  private drawn: Board | undefined;

  constructor(
    element: HTMLElement,
    private readonly deps: LiveTasksDeps,
    /** as the drawn text says; the boards may not be known yet */
    private readonly first: Board,
    private readonly heads: readonly TaskHead[],
  ) {
    super(element);
  }

  override onload(): void {
    this.register(this.deps.overview.onChange(() => this.draw()));
    this.draw();
  }

  private draw(): void {
    const { path } = this.first;
    const now = this.deps.overview.state.boards.find((one) => one.path === path);
    const board = now ?? this.drawn ?? this.first;
    if (board === this.drawn) return;
    this.drawn = board;
    const facts = noteTasks(board, this.deps.today());
    const tasks = new Map(board.tasks.map((task) => [task.key, task]));
    for (const head of this.heads) {
      const [task, fact] = [tasks.get(head.key), facts.get(head.key)];
      if (task !== undefined && fact !== undefined) head.draw(task, fact);
    }
  }
}
