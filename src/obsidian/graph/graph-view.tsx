import { ItemView, type App, type Menu, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { createRef, render } from 'preact';
import type { Board } from '../../core/board/task';
import type { ChosenTask } from '../board/task-commands';
import { keepFocus } from '../ui/focus';
import { addActs, type ActingView, type ViewActs } from '../ui/view-actions';
import { GraphApp } from './graph-app';
import type { GraphDeps } from './use-graph';

export const GRAPH_VIEW = 'agent-task-boards-graph';

/** The plan of one board as a graph, in a tab of its own. */
export class GraphView extends ItemView implements ActingView {
  private path = '';
  private wanted: string | undefined;
  private on: string | undefined;
  private readonly handle = createRef<ActingView>();

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: GraphDeps,
  ) {
    super(leaf);
    this.icon = 'workflow';
    this.navigation = true;
  }

  /** The task that the person is on, for commands. */
  get chosen(): ChosenTask | undefined {
    const { board } = this;
    const task = board?.tasks.find(({ key }) => key === this.on);
    return board && task && { board, task };
  }

  get acts(): ViewActs {
    return this.handle.current?.acts ?? {};
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    addActs(menu, this.acts, 'view');
  }

  /** The board that is shown. */
  get board(): Board | undefined {
    return this.deps.overview.state.boards.find(({ path }) => path === this.path);
  }

  override getViewType(): string {
    return GRAPH_VIEW;
  }

  override getDisplayText(): string {
    const { board } = this;
    return board === undefined ? 'Graph of a plan' : `${board.title}, graph`;
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), path: this.path };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const wanted = new Map<string, unknown>(Object.entries(state ?? {}));
    const [path, key] = [wanted.get('path'), wanted.get('key')];
    if (typeof path === 'string') this.path = path;
    this.wanted = typeof key === 'string' ? key : undefined;
    this.draw();
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-graph');
    this.register(keepFocus(this.contentEl));
    this.addAction('list-checks', 'Open as note', () => {
      const { board } = this;
      if (board !== undefined) this.deps.intents.open(board, undefined, false);
    });
    this.draw();
    this.deps.shown();
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private draw(): void {
    const { deps, path, wanted, handle } = this;
    const onSelect = (key: string | undefined) => (this.on = key);
    render(<GraphApp key={path} {...{ deps, path, wanted, onSelect, handle }} />, this.contentEl);
  }
}

/** Shows a board's graph, where it is open already in its own tab. */
export async function openGraph({ workspace }: App, { path }: Board, key?: string): Promise<void> {
  const there = workspace
    .getLeavesOfType(GRAPH_VIEW)
    .find((leaf) => leaf.getViewState().state?.['path'] === path);
  const leaf = there ?? workspace.getLeaf('tab');
  const state = { path, ...(key !== undefined && { key }) };
  await leaf.setViewState({ type: GRAPH_VIEW, active: true, state });
  await workspace.revealLeaf(leaf);
}
