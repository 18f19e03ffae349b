import { MarkdownView, type Workspace } from 'obsidian';
import { render } from 'preact';
import type { Board } from '../../core/board/task';
import type { NamedStore } from '../../core/board/names/named-store';
import { isTitled } from '../../core/board/names/titled-names';
import type { Undo } from '../../core/ports';
import type { Overview } from '../model/overview';
import { NoteBar } from './note-head';
import type { Intents } from '../board/intents';
import { RepairBanner } from '../board/repairs';
import type { ProblemsPanel } from '../problems/problems-panel';
import { boardSession } from '../session/session-list';

/**
 * Draws the bar above board notes that the app shows in its own editor, and the banner above any
 * note with problems. It is placed between the header and the content of the view, both of which
 * the app keeps when it switches modes.
 */
export class NativeBars {
  private readonly bars = new Map<MarkdownView, HTMLElement>();
  private readonly undos: Undo[] = [];

  constructor(
    private readonly workspace: Workspace,
    private readonly overview: Overview,
    private readonly intents: Intents,
    private readonly today: () => string,
    private readonly store: Pick<NamedStore, 'plainPath'>,
    private readonly problems: Pick<ProblemsPanel, 'problems' | 'banner'>,
  ) {}

  start(): void {
    const { workspace, overview } = this;
    const update = () => this.update();
    const events = [
      workspace.on('layout-change', update),
      workspace.on('file-open', update),
      workspace.on('active-leaf-change', update),
    ];
    this.undos.push(
      overview.onChange(update),
      this.problems.problems.onChange(update),
      ...events.map((event) => () => workspace.offref(event)),
    );
    this.update();
  }

  close(): void {
    for (const undo of this.undos) undo();
    for (const view of [...this.bars.keys()]) this.remove(view);
  }

  private update(): void {
    const boards = new Map(this.overview.state.boards.map((board) => [board.path, board]));
    const shown = new Set<MarkdownView>();
    for (const { view } of this.workspace.getLeavesOfType('markdown')) {
      if (!(view instanceof MarkdownView)) continue;
      const file = view.file?.path ?? '';
      const path = this.store.plainPath(file);
      const board = boards.get(path);
      if (board === undefined && this.problems.problems.forFile(path).length === 0) continue;
      shown.add(view);
      // The note starts with its title; the file's name above would repeat it.
      view.contentEl.toggleClass('atb-titled-note', board !== undefined && isTitled(file));
      this.draw(view, path, board);
    }
    for (const view of [...this.bars.keys()]) if (!shown.has(view)) this.remove(view);
  }

  private draw(view: MarkdownView, path: string, board: Board | undefined): void {
    const container = this.bars.get(view) ?? createDiv({ cls: 'atb-native-bar' });
    this.bars.set(view, container);
    if (container.nextSibling !== view.contentEl) view.contentEl.before(container);
    render(
      <>
        {board !== undefined && (
          <>
            <NoteBar
              board={board}
              state={this.overview.state}
              today={this.today()}
              onGraph={() => this.intents.openGraph(board)}
              onBoard={() => this.intents.openAsBoard(boardSession(board))}
            />
            <RepairBanner board={board} intents={this.intents} />
          </>
        )}
        {this.problems.banner(path)}
      </>,
      container,
    );
  }

  private remove(view: MarkdownView): void {
    const container = this.bars.get(view);
    this.bars.delete(view);
    view.contentEl.removeClass('atb-titled-note');
    if (container === undefined) return;
    render(null, container);
    container.remove();
  }
}
